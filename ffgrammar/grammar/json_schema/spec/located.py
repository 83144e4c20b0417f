"""Anything that has a position in a schema."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Located"]


class Located(Protocol):
    """Where a constraint comes from, for error messages. A `Subschema` has this protocol.

    Warnings and string expressions take a `Located`, so that they need not know what a subschema is.
    """

    def pointer(self, *more: str) -> str:
        """The JSON pointer of this position, or of a position below it."""
        ...
