"""Imports that Ctrl-C does not cut short.

Many modules are imported when they are first needed. If a KeyboardInterrupt ends such an import, CPython may keep the
import's lock, and other threads then wait for it without end. Some versions turn the KeyboardInterrupt into a
RuntimeError, too. So Ctrl-C waits here until the import is done, which takes some tens of milliseconds.
"""

from __future__ import annotations

import signal
import sys
import threading
from importlib import import_module
from types import FrameType, ModuleType

__all__ = ["import_whole"]


def import_whole(name: str) -> ModuleType:
    """The module of a name, imported if it is not yet."""
    found = sys.modules.get(name)
    if found is not None and not getattr(found.__spec__, "_initializing", False):
        return found
    handler = signal.getsignal(signal.SIGINT)
    # (only the main thread runs handlers, and may set them)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        return import_module(name)
    caught: list[tuple[int, FrameType | None]] = []

    def catch(number: int, frame: FrameType | None) -> None:
        caught.append((number, frame))

    try:
        signal.signal(signal.SIGINT, catch)
    except ValueError:  # a subinterpreter
        return import_module(name)
    try:
        return import_module(name)
    finally:
        # (the module may have set a handler of its own)
        if signal.getsignal(signal.SIGINT) is catch:
            signal.signal(signal.SIGINT, handler)
        if caught:
            handler(*caught[-1])
