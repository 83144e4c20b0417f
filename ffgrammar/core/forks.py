"""Locks that survive a fork.

A forked child has the memory of all threads but runs only one of them. A lock that another thread held at the moment of
the fork would stay locked in the child for ever. So os.fork() waits until the locks made here are free. Python has such
a lock for each module that is being imported, so os.fork() also waits until imports of this package and of numpy are
done.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
import weakref

__all__ = ["new_lock"]

# The packages that are imported when they are needed, in whichever thread that is.
_IMPORTED_LATE = ("ffgrammar", "numpy")

_locks: set[weakref.ref[threading.Lock]] = set()
_held: list[threading.Lock] = []


def new_lock() -> threading.Lock:
    """A lock that os.fork() waits for. A thread that holds this lock must take no other lock of the package."""
    lock = threading.Lock()
    _locks.add(weakref.ref(lock, _locks.discard))
    return lock


def _hold() -> None:
    for reference in _locks.copy():
        lock = reference()
        if lock is not None:
            lock.acquire()
            _held.append(lock)


def _let_go() -> None:
    for lock in _held:
        lock.release()
    _held.clear()


def _finish_imports() -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _IMPORTED_LATE and getattr(module.__spec__, "_initializing", False):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
# (what is registered last runs first: an import may need the locks)
os.register_at_fork(before=_finish_imports)
