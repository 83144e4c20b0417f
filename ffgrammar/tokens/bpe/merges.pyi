from collections.abc import Sequence

from ffgrammar.tokens.bpe.merge_list import MergeList
from ffgrammar.tokens.vocabulary.trie import TokenTrie

class Merges:
    """The merges of a vocabulary."""

    @property
    def trie(self) -> TokenTrie: ...
    @property
    def pairs(self) -> MergeList | None: ...
    @property
    def by_characters(self) -> bool: ...
    def __init__(
        self,
        trie: TokenTrie,
        pairs: MergeList | None = None,
        byte_tokens: Sequence[int | None] | None = None,
        left_lengths: bytes | None = None,
    ) -> None: ...
    def makes(self, text: bytes) -> list[int]: ...
    def parts(self, token: int) -> tuple[int, int] | tuple[()] | None: ...
    def may_follow(self, one: int, other: int) -> bool: ...
