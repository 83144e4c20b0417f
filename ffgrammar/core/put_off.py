"""Work that no caller is to wait for, such as writing to a cache what has just been made.

    put_off(work)      # work() is called later
    run_due()          # called now and then, where some milliseconds more do no harm

Work runs in the thread that first calls `run_due` once the work is DELAY_S old, or at the end of the process. So it
needs no thread of its own, which a child process would not have.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from time import monotonic

__all__ = ["put_off", "run_all", "run_due"]

DELAY_S = 1.0

# each with the time at which it is due
_pending: list[tuple[float, Callable[[], object]]] = []


def put_off(work: Callable[[], object]) -> None:
    """Have something done later. Work that fails raises its error where it runs."""
    _pending.append((monotonic() + DELAY_S, work))


def run_due() -> None:
    """Do what was put off for long enough."""
    if _pending:
        _run(monotonic())


@atexit.register
def run_all() -> None:
    """Do everything that was put off."""
    _run(float("inf"))


def _run(now: float) -> None:
    """Do everything that is due by now."""
    while (work := _next_due(now)) is not None:
        work()


def _next_due(now: float) -> Callable[[], object] | None:
    try:
        # (another thread may take the first one in between; then the next one is done early, or there is none)
        return _pending.pop(0)[1] if _pending[0][0] <= now else None
    except IndexError:
        return None
