"""A gate that lets at most two threads compile at a time.

Compiling holds the GIL nearly all of the time, so many threads compile no faster than one. But threads that wait for
the GIL take turns of some milliseconds each, and any other thread of the process, such as one with an event loop, waits
for its turn among them. Threads that wait at the gate do not wait for the GIL. Without the gate, a thread that sleeps
beside eight that compile wakes 170 ms late at p99; docs/testing.md says how late it wakes with the gate. (With one
place instead of two, two threads compile a quarter less, because they hand the place to each other after each compile.)

The module is compiled although it has nothing to gain from C types: the handlers of signals run between the steps of
interpreted code only. So a handler that raises, as that of Ctrl-C does, leaves no place taken by nobody.
"""

import os
import sys
import threading
import time

__all__ = ["gate"]

# The most seconds for which a thread waits. One that has been inside for longer is not waited for.
PATIENCE = 0.03


class _Place:
    """A place for one thread: a lock, the thread that holds it, and since when."""

    __slots__ = ("holder", "lock", "since")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.holder = 0
        self.since = 0.0


# Without a GIL nobody is in the way of others.
_open = not getattr(sys, "_is_gil_enabled", lambda: True)()
_places = (_Place(), _Place())


def _renew() -> None:
    """In a forked child: the threads inside do not exist there."""
    global _places
    _places = (_Place(), _Place())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class gate:
    """A context manager. A thread that has waited for long goes in without a place, so a compile of seconds holds up no
    other one. A thread that is inside goes in again at once."""

    __slots__ = ("_place",)

    def __enter__(self) -> None:
        self._place: _Place | None = None
        me = threading.get_ident()
        first, second = _places
        if _open or first.holder == me or second.holder == me:
            return
        taken = first if first.lock.acquire(blocking=False) else second if second.lock.acquire(blocking=False) else None
        if taken is None:
            latest = max(first, second, key=lambda place: place.since)
            if time.monotonic() - latest.since < PATIENCE and latest.lock.acquire(timeout=PATIENCE):
                taken = latest
        if taken is not None:
            taken.since = time.monotonic()
            taken.holder = me
            self._place = taken

    def __exit__(self, *_: object) -> None:
        if self._place is not None:
            self._place.holder = 0
            self._place.lock.release()
