"""What a tokenizer is made of: what a loader reads (`ReadTokenizer`), and what is built of it (`TokenizerParts`).

    read = read_tokenizer("path/to/tokenizer.json")
    parts = build_parts(read, vocab_size=None)      # checks ids, and makes the trie

`build_parts` also gives the trie to an encoder that works on it. Rules are made when they are first needed, and
so is what most encoders work with: tables, or the object of a package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from ffgrammar.tokens.canonical.lazy_rules import LazyRules, make_rules
from ffgrammar.tokens.loaders.encoders import RulesEncoder
from ffgrammar.tokens.loaders.huggingface_encoder import HuggingFaceEncoder
from ffgrammar.tokens.loaders.source import Source
from ffgrammar.tokens.vocabulary.normal_form import NormalForm
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens
from ffgrammar.tokens.vocabulary.special import add_eos_names, check_eos, check_special_tokens, check_vocab_size
from ffgrammar.tokens.vocabulary.trie import TokenTrie

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules

__all__ = ["Encoder", "PatternRules", "ReadTokenizer", "Rules", "TokenizerParts", "bind", "build_parts"]


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


class PatternRules(NamedTuple):
    """The rules of a tokenizer whose tokens merge in the order of their ids. They need only its vocabulary and its
    pattern."""

    pattern: str
    secondary: frozenset[int] = frozenset()
    knows_space: bool = True
    form: NormalForm | None = None

    def make(self, trie: TokenTrie) -> CanonicalRules:
        """The rules on a vocabulary. Raises TokenizerError if the pattern cannot be read."""
        return make_rules(trie, self.pattern)


class ReadTokenizer(NamedTuple):
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


@dataclass
class TokenizerParts:
    """What a Tokenizer is made of, checked.

    Attributes:
        trie: the vocabulary.
        special_tokens: id by name.
        eos_token_ids: the ids that end a text.
        name: for messages.
        encoder: makes ids of a text; None if nothing does.
        rules: how the tokenizer cuts and merges. None where that is not known.
        reason: why `rules` is None. (If making the rules fails later, `LazyRules.reason` says why.)
        normal_form: see `Tokenizer`.
        adds_prefix_space, strips_first_space: see `Tokenizer`.
        source: where the tokenizer came from.
    """

    trie: TokenTrie
    special_tokens: Mapping[str, int]
    eos_token_ids: tuple[int, ...]
    name: str
    encoder: Encoder | None = None
    rules: LazyRules | None = None
    reason: str = ""
    normal_form: NormalForm | None = None
    adds_prefix_space: bool = False
    strips_first_space: bool = False
    source: Source | None = None


def bind(read: ReadTokenizer, trie: TokenTrie, rules: LazyRules | None = None) -> LazyRules | None:
    """The rules on a trie, to be made when they are first needed; None where they are not known. Gives these rules to
    an encoder that works by rules, and the trie to an encoder that works on the trie. `rules` are such rules, if there
    are any already. Raises TokenizerError if an encoder cannot use the trie."""
    if isinstance(read.encoder, TrieEncoder):
        read.encoder.bind_trie(trie)
    if read.rules is None:
        return None
    if rules is None:
        make: Callable[[TokenTrie], CanonicalRules] = read.rules.make
        rules = LazyRules(partial(make, trie))
    if isinstance(read.encoder, HuggingFaceEncoder | RulesEncoder):
        read.encoder.bind(rules, read.rules.knows_space, read.rules.form)
    return rules


def build_parts(read: ReadTokenizer, vocab_size: int | None) -> TokenizerParts:
    """Checks ids and makes the trie.

    Args:
        read: what a loader read.
        vocab_size: how many ids the model has; None if as many as the tokenizer.

    Raises:
        TokenizerError: an id is out of range, or special under two names, or a token is not bytes; or an encoder cannot
            use the trie.
    """
    special_tokens = dict(read.special_tokens)
    check_special_tokens(special_tokens)
    tokens = read.tokens
    size = check_vocab_size(vocab_size, max([len(tokens), *(1 + number for number in special_tokens.values())]))
    eos = check_eos(read.eos_token_ids, size)
    add_eos_names(special_tokens, eos, tokens)
    packed = tokens if isinstance(tokens, PackedTokens) else PackedTokens(tokens)
    packed = packed.changed({number: None for number in special_tokens.values() if number < len(tokens)})
    trie = TokenTrie(packed, size, frozenset() if read.rules is None else read.rules.secondary)
    return TokenizerParts(
        trie,
        special_tokens,
        eos,
        read.name,
        read.encoder,
        bind(read, trie),
        read.reason,
        None if read.rules is None else read.rules.form,
        read.adds_prefix_space,
        read.strips_first_space,
    )
