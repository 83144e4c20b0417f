from collections.abc import Iterable

from ffgrammar.tokens.bpe.merges import Merges
from ffgrammar.tokens.bpe.native_encoder import NativeEncoder
from ffgrammar.tokens.pretokenize.split import Split
from ffgrammar.tokens.pretokenize.table import PretokenTable
from ffgrammar.tokens.vocabulary.trie import TokenTrie

class CanonicalRules:
    """The rules that tell a tokenizer's own token sequences from others."""

    @property
    def trie(self) -> TokenTrie: ...
    @property
    def merges(self) -> Merges: ...
    @property
    def pretokens(self) -> PretokenTable: ...
    @property
    def encoder(self) -> NativeEncoder: ...
    @property
    def has_unmergeable(self) -> bool: ...
    @property
    def whole_pretokens(self) -> bool: ...
    @property
    def space(self) -> str | None: ...
    def __init__(
        self,
        trie: TokenTrie,
        pattern: str | Iterable[Split] | PretokenTable,
        whole_pretokens: bool = True,
        all_merged: bool = False,
        merges: Merges | None = None,
        space: str | None = None,
        atoms: Iterable[int] = (),
    ) -> None: ...
