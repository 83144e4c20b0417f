from collections.abc import Callable, Container

from ffgrammar.tokens.bpe.merges import Merges
from ffgrammar.tokens.vocabulary.trie import TokenTrie

class PretokenEncoder:
    """An encoder that cuts a text into pre-tokens, and merges each of them."""

    @property
    def trie(self) -> TokenTrie: ...
    @property
    def merges(self) -> Merges: ...
    def writes(
        self,
        ids: tuple[int, ...],
        specials: Container[int],
        is_known: Callable[[str], bool] | None = None,
        ascii_is_known: bool = True,
    ) -> bool: ...
