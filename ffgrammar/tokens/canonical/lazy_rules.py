"""A tokenizer's rules, made when they are first asked for: that takes 10 to 30 ms, and masks do not need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ffgrammar.core.errors import TokenizerError

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["LazyRules", "make_rules"]


class LazyRules:
    """A tokenizer's rules.

    Args:
        make: makes them; raises TokenizerError where they cannot be known.

    Attributes:
        reason: why they cannot be known, once `get` has been asked; "" where they are.
    """

    __slots__ = ("_found", "_make", "reason")

    def __init__(self, make: Callable[[], CanonicalRules]) -> None:
        self._make: Callable[[], CanonicalRules] | None = make
        self._found: CanonicalRules | Literal[False] | None = None
        self.reason = ""

    def get(self) -> CanonicalRules | None:
        """The rules; None where they cannot be known."""
        make = self._make
        if self._found is None and make is not None:
            # Two threads may both get here; the rules are the same.
            found: CanonicalRules | Literal[False] = False
            try:
                found = make()
            except TokenizerError as error:
                self.reason = str(error)
            # (last: another thread must not take unfinished work for "not known")
            self._found = found
            self._make = None
        return self._found or None


def make_rules(trie: TokenTrie, pattern: str, embedded: bool) -> CanonicalRules:
    """The rules of a vocabulary whose ids are ranks.

    Args:
        trie: the vocabulary.
        pattern: of its pre-tokenizer.
        embedded: whether it is an embedded one, of which tests know that merges make every token.

    Raises:
        TokenizerError: the pattern cannot be read.
    """
    from ffgrammar.tokens.canonical.rules import CanonicalRules

    return CanonicalRules(trie, pattern, all_merged=embedded)
