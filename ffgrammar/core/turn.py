"""A call of a Python function, where the interpreter lets a thread run that waits for the GIL."""

from __future__ import annotations

__all__ = ["turn"]


def turn() -> None:
    """Do nothing. The interpreter gives up the GIL at the beginning of a Python function, not in compiled code."""
