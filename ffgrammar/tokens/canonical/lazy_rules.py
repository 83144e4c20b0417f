"""A tokenizer's rules, made when they are first asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ffgrammar.core.errors import TokenizerError

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules

__all__ = ["LazyRules"]


class LazyRules:
    """A tokenizer's rules.

    Args:
        make: makes them; raises TokenizerError where they cannot be known.
    """

    __slots__ = ("_found", "_make")

    def __init__(self, make: Callable[[], CanonicalRules]) -> None:
        self._make: Callable[[], CanonicalRules] | None = make
        self._found: CanonicalRules | Literal[False] | None = None

    def get(self) -> CanonicalRules | None:
        """The rules; None where they are not known."""
        make = self._make
        if self._found is None and make is not None:
            # Two threads may both get here; the rules are the same.
            found: CanonicalRules | Literal[False] = False
            with contextlib.suppress(TokenizerError):
                found = make()
            # (last: another thread must not take unfinished work for "not known")
            self._found = found
            self._make = None
        return self._found or None
