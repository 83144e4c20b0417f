"""The rules and the encoder of a tokenizer whose vocabulary came from the cache. The tokenizer's file is read
when its rules or its encoder are first needed.

    late = LateReading(read, trie, kept)
    late.encode("Hello"), late.rules.get()
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.lazy_rules import LazyRules

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.loaders.reading import Encoder, ReadTokenizer
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["LateReading"]


class LateReading:
    """An encoder and the rules, read once.

    Args:
        read: reads the file. Raises TokenizerError if that fails, or if the file is not the one whose vocabulary was
            cached.
        trie: the vocabulary.
        kept: finds the rules without the file; returns None if it does not find them.

    Attributes:
        rules: the tokenizer's rules.
    """

    def __init__(
        self, read: Callable[[], ReadTokenizer], trie: TokenTrie, kept: Callable[[], CanonicalRules | None]
    ) -> None:
        self._read = read
        self._trie = trie
        self._kept = kept
        self._found: dict[None, ReadTokenizer] = {}
        self.rules = LazyRules(self._make_rules)

    def _parts(self) -> ReadTokenizer:
        found = self._found.get(None)
        if found is None:
            from ffgrammar.tokens.loaders.build import bind

            found = self._read()
            bind(found, self._trie, self.rules)
            # Two threads may both get here. The first result stays.
            found = self._found.setdefault(None, found)
        return found

    def _make_rules(self) -> CanonicalRules:
        """Raises TokenizerError where the rules cannot be known."""
        found = self._kept()
        if found is not None:
            return found
        read = self._parts()
        if read.rules is None:
            raise TokenizerError(read.reason)
        return read.rules.make(self._trie)

    def _encoder(self) -> Encoder:
        encoder = self._parts().encoder
        if encoder is None:
            raise TokenizerError("the tokenizer cannot encode")
        return encoder

    def encode(self, data: str | bytes) -> list[int]:
        """The ids of a text. Raises TokenizerError."""
        return self._encoder().encode(data)

    def writes(self, ids: tuple[int, ...], specials: Container[int]) -> bool:
        """See `Tokenizer.writes`. Raises TokenizerError."""
        check = getattr(self._encoder(), "writes", None)
        return check is not None and check(ids, specials)

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        """Where the pre-tokens of a UTF-8 text end. None where that is not known. Raises TokenizerError."""
        return self._encoder().pretoken_ends(data)
