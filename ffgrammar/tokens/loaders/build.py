"""Building the parts of a tokenizer of what a loader reads.

    read = read_tokenizer("path/to/tokenizer.json")
    parts = build_parts(read, vocab_size=None)      # checks ids, and makes the trie

`build_parts` also gives the trie to an encoder that works on it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ffgrammar.core.records import Record
from ffgrammar.tokens.canonical.lazy_rules import LazyRules, make_rules
from ffgrammar.tokens.loaders.encoders import RulesEncoder
from ffgrammar.tokens.loaders.huggingface_encoder import HuggingFaceEncoder
from ffgrammar.tokens.loaders.parts import TokenizerParts
from ffgrammar.tokens.loaders.reading import ReadTokenizer, TrieEncoder
from ffgrammar.tokens.vocabulary.normal_form import NormalForm
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens
from ffgrammar.tokens.vocabulary.special import add_eos_names, check_eos, check_special_tokens, check_vocab_size
from ffgrammar.tokens.vocabulary.trie import TokenTrie

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.rules import CanonicalRules

__all__ = ["PatternRules", "bind", "build_parts"]


class PatternRules(Record):
    """The rules of a tokenizer whose tokens merge in the order of their ids. They need only its vocabulary and its
    pattern."""

    pattern: str
    secondary: frozenset[int] = frozenset()
    knows_space: bool = True
    form: NormalForm | None = None

    def make(self, trie: TokenTrie) -> CanonicalRules:
        """The rules on a vocabulary. Raises TokenizerError if the pattern cannot be read."""
        return make_rules(trie, self.pattern)


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


def build_parts(read: ReadTokenizer, vocab_size: int | None, *, keep_form: bool = False) -> TokenizerParts:
    """Checks ids and makes the trie.

    Args:
        read: what a loader read.
        vocab_size: how many ids the model has; None if as many as the tokenizer.
        keep_form: as for the trie.

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
    trie = TokenTrie(packed, size, frozenset() if read.rules is None else read.rules.secondary, keep_form)
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
