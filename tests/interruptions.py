"""Interrupting a call from a signal's handler, some time after the call has begun."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable
from typing import Any

__all__ = ["interrupted_after"]


class _StopError(Exception):
    pass


def interrupted_after(seconds: float, call: Callable[[], Any]) -> bool:
    """Runs a call, and lets a signal's handler raise some time after its beginning. Returns whether it came in time."""
    armed = True

    def stop(number: int, frame: Any) -> None:
        if armed:
            raise _StopError

    before = signal.signal(signal.SIGALRM, stop)
    # The collector drops what is raised in its callbacks, such as hypothesis's. So there are none meanwhile.
    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            call()
        finally:
            armed = False
        return False
    except _StopError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.callbacks[:] = callbacks
