"""Special tokens, and stretches of any tokens between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.composition.parts import Choice, Part, Repeat, Sequence, SpecialToken, Text
from ffgrammar.grammar.names import no_special_token
from ffgrammar.grammar.structural_tag.entries import Entry
from ffgrammar.grammar.structural_tag.free import choice
from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["Tokens"]

ANY_TEXT = Text()


class Tokens:
    """The tokens of a vocabulary.

    Args:
        special_tokens: the ids of the special tokens, by name.
        eos_token_ids: those that end a text.
        trie: the ordinary tokens.

    Attributes:
        special: the ids of the special tokens, by name.
        eos: those that end a text.
    """

    def __init__(
        self,
        special_tokens: Mapping[str, int],
        eos_token_ids: Collection[int],
        trie: TokenTrie,
    ) -> None:
        self.special = special_tokens
        self._ids = frozenset(special_tokens.values())
        self.eos = frozenset(eos_token_ids)
        self._trie = trie

    def read(self, entry: Entry) -> int:
        """The id of a special token that is named or numbered.

        Raises:
            GrammarError: the tokenizer has no such token, or the value is neither a name nor an id.
            UnsupportedError: it is an ordinary token.
        """
        token = entry.value
        if isinstance(token, bool) or not isinstance(token, (str, int)):
            raise entry.expected("the name or the id of a token")
        number = self.special.get(token) if isinstance(token, str) else token
        if number in self._ids:
            return number
        if self._is_ordinary(token, entry):
            raise entry.error(
                f"{token!r} is an ordinary token, and one token among other spellings of its text cannot be enforced; "
                "write its text as a string",
                UnsupportedError,
            )
        raise entry.error(no_special_token(token, self.special))

    def _is_ordinary(self, token: str | int, entry: Entry) -> bool:
        if isinstance(token, str):
            return self._trie.id_of(entry.text()) >= 0
        return 0 <= token < self._trie.vocab_size and bool(self._trie.token_bytes(token))

    def read_all(self, fields: Mapping[str, Entry], key: str) -> frozenset[int]:
        """The ids in an array that may be left out, or be empty."""
        if key not in fields or fields[key].value == []:
            return frozenset()
        return frozenset(self.read(one) for one in fields[key].items("tokens"))

    def stretch(self, excluded: Collection[int], calls: Iterable[Part] = (), character: Part | None = None) -> Part:
        """Any number of tokens, as texts with special tokens between them.

        Args:
            excluded: the special tokens that are not among them. Those that end a text never are.
            calls: parts that may stand among them. Each begins with a special token.
            character: any character, if there is at least one token.
        """
        free = self._ids.difference(excluded, self.eos)
        units = [*([SpecialToken(tuple(sorted(free)))] if free else []), *calls]
        more = Sequence((choice(units), ANY_TEXT)) if units else None
        first: Part = ANY_TEXT
        if character is not None:
            some_text = Sequence((character, ANY_TEXT))
            first = some_text if more is None else Choice((some_text, more))
        return first if more is None else Sequence((first, Repeat(more, 0, None)))
