"""A tokenizer's rules, made when they are first asked for. Making them takes 10 to 30 ms, and plain masks need none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ffgrammar.core.errors import TokenizerError

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["LazyRules", "make_rules"]


class LazyRules:
    """A tokenizer's rules, or the knowledge that there are none.

    Args:
        make: makes the rules. Raises TokenizerError if they cannot be known.

    Attributes:
        reason: why they cannot be known. It is set by `get`, and "" where they are known.
    """

    __slots__ = ("_found", "_make", "reason")

    def __init__(self, make: Callable[[], CanonicalRules]) -> None:
        self._make: Callable[[], CanonicalRules] | None = make
        self._found: CanonicalRules | Literal[False] | None = None
        self.reason = ""

    def get(self) -> CanonicalRules | None:
        """The rules, or None if they cannot be known."""
        make = self._make
        if self._found is None and make is not None:
            # Two threads may both get here. They make the same rules.
            found: CanonicalRules | Literal[False] = False
            try:
                found = make()
            except TokenizerError as error:
                self.reason = str(error)
            # (`_make` is dropped last: a thread that finds both unset would take the rules for "not known")
            self._found = found
            self._make = None
        return self._found or None


def make_rules(trie: TokenTrie, pattern: str, embedded: bool) -> CanonicalRules:
    """The rules of a tokenizer in whose vocabulary ids are ranks.

    Args:
        trie: the vocabulary.
        pattern: the pattern of its pre-tokenizer.
        embedded: whether it is an embedded one. For these, tests check that merges make every token.

    Raises:
        TokenizerError: the pattern cannot be read.
    """
    from ffgrammar.tokens.canonical.rules import CanonicalRules

    return CanonicalRules(trie, pattern, all_merged=embedded)
