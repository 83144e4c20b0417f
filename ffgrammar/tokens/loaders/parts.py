"""What a tokenizer is made of: `TokenizerParts`.

A tokenizer whose vocabulary is in the cache is loaded in less time than it takes to import what reads files. So this
module and those that it needs are small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ffgrammar.tokens.canonical.lazy_rules import LazyRules
    from ffgrammar.tokens.loaders.reading import Encoder
    from ffgrammar.tokens.loaders.source import Source
    from ffgrammar.tokens.vocabulary.normal_form import NormalForm
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["TokenizerParts"]


class TokenizerParts:
    """What a Tokenizer is made of, checked. (No dataclass: the module `dataclasses` takes as long to load as a
    vocabulary.)

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

    def __init__(
        self,
        trie: TokenTrie,
        special_tokens: Mapping[str, int],
        eos_token_ids: tuple[int, ...],
        name: str,
        encoder: Encoder | None = None,
        rules: LazyRules | None = None,
        reason: str = "",
        normal_form: NormalForm | None = None,
        adds_prefix_space: bool = False,
        strips_first_space: bool = False,
        source: Source | None = None,
    ) -> None:
        self.trie = trie
        self.special_tokens = special_tokens
        self.eos_token_ids = eos_token_ids
        self.name = name
        self.encoder = encoder
        self.rules = rules
        self.reason = reason
        self.normal_form = normal_form
        self.adds_prefix_space = adds_prefix_space
        self.strips_first_space = strips_first_space
        self.source = source
