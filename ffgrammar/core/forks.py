"""Locks that survive a fork.

A forked child has the memory of all threads but runs only one of them. A lock that another thread held at the moment of
the fork would stay locked in the child for ever. So os.fork() waits until the locks made here are free.
"""

from __future__ import annotations

import os
import threading
import weakref

__all__ = ["new_lock"]

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


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
