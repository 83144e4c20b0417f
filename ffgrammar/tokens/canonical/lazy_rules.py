"""A tokenizer's rules, made when they are first asked for. Making them takes 4 to 11 ms for an embedded
encoding, and plain masks do not need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.put_off import run_due

if TYPE_CHECKING:
    from ffgrammar.tokens.bpe.merges import Merges
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.embedded import Encoding
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["LazyRules", "make_embedded_rules", "make_rules"]


class LazyRules:
    """A tokenizer's rules, or the knowledge that there are none.

    Args:
        make: makes the rules. Raises TokenizerError if they cannot be known.

    Attributes:
        reason: why the rules cannot be known, once `get` has found that they cannot; else "".
    """

    __slots__ = ("_kept", "_make", "reason")

    def __init__(self, make: Callable[[], CanonicalRules]) -> None:
        self._make: Callable[[], CanonicalRules] | None = make
        self._kept: dict[None, CanonicalRules | Literal[False]] = {}
        self.reason = ""

    def get(self) -> CanonicalRules | None:
        """The rules, or None if they cannot be known. All callers get the same object. A later call may do what was put
        off when rules were made, which takes some ten milliseconds, once."""
        run_due()
        make = self._make
        if not self._kept and make is not None:
            found: CanonicalRules | Literal[False] = False
            try:
                found = make()
            except TokenizerError as error:
                self.reason = str(error)
            # Two threads may both get here. What is kept for a grammar belongs to one rules object, so the first such
            # object stays.
            self._kept.setdefault(None, found)
            # (This comes last. A thread that found neither `_kept` nor `_make` would take the rules for unknown.)
            self._make = None
        return self._kept.get(None) or None


def make_rules(trie: TokenTrie, pattern: str) -> CanonicalRules:
    """The rules of a tokenizer in whose vocabulary ids are ranks.

    Args:
        trie: the vocabulary.
        pattern: the pattern of its pre-tokenizer.

    Raises:
        TokenizerError: the pattern cannot be read, there are too many states or open hypotheses, or tokens are too long
            for the trie.
    """
    from ffgrammar.tokens.canonical.rules import CanonicalRules

    return CanonicalRules(trie, pattern)


def make_embedded_rules(merges: Merges, encoding: Encoding) -> CanonicalRules:
    """The rules of an embedded encoding. Merges make all tokens of these encodings: tests check that.

    Args:
        merges: those of the encoding's encoder, so that the rules and the encoder share what is known of pairs.
        encoding: the encoding.

    Raises:
        TokenizerError: a file of the package cannot be read or is damaged.
    """
    from ffgrammar.tokens.bpe.left_lengths import load_left_lengths
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.embedded import read_left_lengths

    load_left_lengths(merges, read_left_lengths(encoding))
    return CanonicalRules(merges.trie, encoding.pattern, all_merged=True, merges=merges)
