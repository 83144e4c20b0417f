"""A budget of steps, so that what nobody asked for costs little on any grammar."""

from __future__ import annotations

__all__ = ["TooMuchWorkError", "Work"]


class TooMuchWorkError(Exception):
    """The budget is spent."""


class Work:
    """A budget that several searches share.

    Args:
        steps: how many steps may be taken. A step takes about a microsecond.
    """

    def __init__(self, steps: int) -> None:
        self._left = steps

    def take(self, steps: int) -> None:
        """Take some steps.

        Raises:
            TooMuchWorkError: fewer steps are left.
        """
        self._left -= steps
        if self._left < 0:
            raise TooMuchWorkError
