"""What rules with listed merges are made of: ids, patterns, and the merges in one piece. An entry of the cache has
just this (rules_cache.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe.merge_list import MergeList
from ffgrammar.tokens.bpe.merges import Merges
from ffgrammar.tokens.bpe.packed_parts import load_parts
from ffgrammar.tokens.canonical.rules import CanonicalRules
from ffgrammar.tokens.pretokenize.table import PretokenTable

if TYPE_CHECKING:
    from ffgrammar.tokens.pretokenize.boundaries import Automaton
    from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["PackedRules"]


class PackedRules(NamedTuple):
    """The arguments of `CanonicalRules`, apart from the vocabulary.

    Attributes:
        pairs, ranks: see `MergeList`.
        automata: those of the pre-tokenizer (`automata_of`).
        byte_tokens: see `Merges`.
        whole_pretokens, space: see `CanonicalRules`.
        atoms: the ids of the added tokens.
        renamed: see `Merges`.
        parts: the parts of all tokens (`pack_parts`), if they are known. Only with `pairs` as bytes.
    """

    pairs: list[tuple[int, int, int]] | bytes
    ranks: Sequence[int] | None
    automata: list[Automaton]
    byte_tokens: list[int | None] | None
    whole_pretokens: bool
    space: str | None
    atoms: list[int]
    renamed: frozenset[int] | None = None
    parts: bytes | None = None

    def make(self, trie: TokenTrie) -> CanonicalRules:
        """The rules on a vocabulary.

        Raises:
            TokenizerError: an id is out of range, a pattern cannot be read, an added token has no bytes, or the parts
                are not those of these merges.
        """
        merges = Merges(trie, MergeList(self.pairs, self.ranks), self.byte_tokens, self.renamed)
        if isinstance(self.pairs, bytes) and self.parts is not None and not load_parts(merges, self.pairs, self.parts):
            raise TokenizerError("the parts of tokens are not those of these merges")
        if any(not trie.token_bytes(token) for token in self.atoms):
            raise TokenizerError("an added token has no bytes")
        return CanonicalRules(
            trie, PretokenTable(self.automata), self.whole_pretokens, merges=merges, space=self.space, atoms=self.atoms
        )
