"""A call of a Python function, where the interpreter lets a thread run that waits for the GIL.

The interpreter gives up the GIL, and runs the handlers of signals, at the beginning of a Python function. Compiled code
has no such place of its own, so a long loop of compiled code calls `turn` once in a few hundred steps. This module is
not compiled.
"""

from __future__ import annotations

__all__ = ["turn"]


def turn() -> None:
    """Do nothing."""
