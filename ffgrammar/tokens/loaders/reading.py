"""What a loader reads (`ReadTokenizer`): tokens, an encoder and rules.

Rules are made when they are first needed, and so is what most encoders work with: tables, or the object of a package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ffgrammar.core.records import Record

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules
    from ffgrammar.tokens.vocabulary.normal_form import NormalForm
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["Encoder", "ReadTokenizer", "Rules", "TrieEncoder"]


class Encoder(Protocol):
    """What a Tokenizer needs of an encoder. The names of special tokens in a text are ordinary text to it."""

    def encode(self, data: str | bytes) -> list[int]:
        """The ids of a text. Raises TokenizerError."""

    def pretoken_ends(self, data: bytes) -> list[int] | None:
        """Where the pre-tokens of a UTF-8 text end: byte offsets, ascending. None where that is not known."""


@runtime_checkable
class TrieEncoder(Protocol):
    """An encoder that works on the vocabulary's trie."""

    def bind_trie(self, trie: TokenTrie) -> None:
        """Take the trie, before anything is encoded. Raises TokenizerError if no text can be encoded on it."""


class Rules(Protocol):
    """How a tokenizer cuts and merges, as its file says it. `make` turns this into `CanonicalRules` on a trie."""

    @property
    def secondary(self) -> frozenset[int]:
        """See `TokenTrie`."""

    @property
    def knows_space(self) -> bool:
        """See `HuggingFaceEncoder.bind`."""

    @property
    def form(self) -> NormalForm | None:
        """The normal form that the tokenizer puts a text into first; None if it leaves the text as it is."""

    def make(self, trie: TokenTrie) -> CanonicalRules:
        """The rules on a vocabulary. Raises TokenizerError."""


class ReadTokenizer(Record):
    """What a loader reads.

    Attributes:
        tokens: bytes by id, None where an id has none.
        special_tokens: id by name.
        eos_token_ids: the ids that end a text, as given or found.
        name: for messages.
        encoder: encodes by the rules once these are made; without rules, with code of its own or of a package. None if
            nothing can encode.
        rules: how the tokenizer cuts and merges; None where that is not known.
        reason: why `rules` is None.
        adds_prefix_space, strips_first_space: see `Tokenizer`.
    """

    tokens: Sequence[bytes | None]
    special_tokens: dict[str, int]
    eos_token_ids: Any
    name: str
    encoder: Encoder | None
    rules: Rules | None
    reason: str
    adds_prefix_space: bool = False
    strips_first_space: bool = False
