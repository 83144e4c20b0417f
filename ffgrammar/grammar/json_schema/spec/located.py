"""Anything that has a position in a schema."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Located"]


class Located(Protocol):
    """What a constraint remembers of its origin, for error messages: `Subschema` is one.

    Warnings and string expressions take this protocol, so that they need not know what a subschema is.
    """

    def pointer(self, *more: str) -> str:
        """The JSON pointer of this position, or of a position below it."""
        ...
