"""Locks that survive a fork.

A forked child has the memory of all threads but runs only one of them. A lock that another thread held at the moment of
the fork would stay locked in the child for ever. So os.fork() waits until the locks made here are free. Python has such
a lock for each module that is being imported, so os.fork() also waits until imports of this package, of numpy and of
the standard library are done.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from _thread import RLock, get_ident
from _weakref import ref  # (the module weakref takes as long to load as all of this one)
from collections.abc import Callable

__all__ = ["at_fork", "is_forking", "new_lock"]

# The packages that are imported when they are needed, in whichever thread that is.
_IMPORTED_LATE = {"ffgrammar", "numpy", *sys.stdlib_module_names}

# By the name of a module that is being imported: a weak reference to its lock. (What the module's spec says is not
# enough: a thread takes the lock before there is a module. A CPython without this dict would not wait for imports.)
_module_locks: dict[str, Callable[[], object]] = getattr(importlib._bootstrap, "_module_locks", {})

# How many times a fork waits for imports. (An import may not end before the fork: it may wait for a module that the
# forking thread is in the middle of importing.)
_TRIES = 100

_locks: set[ref[RLock]] = set()
_Handler = Callable[[], None]
_handlers: list[tuple[_Handler, _Handler]] = []

# Held during a fork. Two threads may fork at once, and one waits for the other.
_turn = RLock()
# For each fork under way, the locks that it holds, and what lets go of others. There is more than one only where the
# handler of a signal forks in the middle of a fork.
_forks: list[tuple[list[RLock], list[_Handler]]] = []
_forking: list[int] = []


def new_lock() -> RLock:
    """A lock that os.fork() waits for. A thread that holds this lock must take no other lock of the package.

    The thread that holds it may take it again: the handler of a signal may run in the middle of it. A thread that forks
    holds all locks, and a handler may run then, too.
    """
    lock = RLock()
    _locks.add(ref(lock, _locks.discard))
    return lock


def is_forking() -> bool:
    """Whether the thread that calls holds the locks for a fork: the handler of a signal runs in the middle of it. Other
    threads may wait for these locks, so it must not wait for other threads."""
    return get_ident() in _forking


def at_fork(hold: _Handler, let_go: _Handler) -> None:
    """Call `hold` before each fork, and `let_go` after it in both processes.

    Python's own `os.register_at_fork` is not enough for such a pair: if a module calls it while a fork waits for
    imports, this fork calls only the handlers for after the fork.
    """
    _handlers.append((hold, let_go))


def _hold() -> None:
    _turn.acquire()
    _forking.append(get_ident())
    held: list[RLock] = []
    let_go_later: list[_Handler] = []
    _forks.append((held, let_go_later))
    for tries_left in reversed(range(_TRIES)):
        _finish_imports()
        for hold, let_go in _handlers.copy():
            hold()
            let_go_later.append(let_go)
        for reference in _locks.copy():
            lock = reference()
            if lock is not None:
                lock.acquire()
                held.append(lock)
        if not tries_left or not _importing():
            return
        _let_go_of_locks(held, let_go_later)


def _let_go() -> None:
    _let_go_of_locks(*_forks.pop())
    _forking.pop()
    _turn.release()


def _let_go_of_locks(held: list[RLock], let_go_later: list[_Handler]) -> None:
    for lock in held:
        lock.release()
    held.clear()
    for let_go in let_go_later:
        let_go()
    let_go_later.clear()


def _importing() -> list[str]:
    """The modules that other threads are importing."""
    me = get_ident()
    found = []
    for name, reference in list(_module_locks.items()):
        lock = reference()
        owner = getattr(lock, "owner", None)
        if owner is not None and owner != me and name.partition(".")[0] in _IMPORTED_LATE:
            found.append(name)
    return found


def _finish_imports() -> None:
    for name in _importing():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
