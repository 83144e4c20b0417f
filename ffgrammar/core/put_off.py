"""Work that no caller is to wait for, such as writing to a cache what has just been made.

    put_off(work)      # work() is called later
    run_due()          # where some time was, now and then

Work runs in the thread that asks first once it is DELAY_S old, or at the end of the process. So it needs no thread of
its own, which a child process would not have.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from time import monotonic

__all__ = ["put_off", "run_all", "run_due"]

DELAY_S = 1.0

_pending: list[tuple[float, Callable[[], object]]] = []


def put_off(work: Callable[[], object]) -> None:
    """Have something done later. Work that fails raises its error where it runs."""
    _pending.append((monotonic() + DELAY_S, work))


def run_due() -> None:
    """Do what was put off for long enough."""
    while _pending and _pending[0][0] <= monotonic():
        _run_first()


@atexit.register
def run_all() -> None:
    """Do everything that was put off."""
    while _pending:
        _run_first()


def _run_first() -> None:
    try:
        _, work = _pending.pop(0)
    except IndexError:
        return  # (another thread was faster)
    work()
