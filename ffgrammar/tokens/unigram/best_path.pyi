from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ffgrammar.tokens.vocabulary.trie import TokenTrie

class BestPath:
    """The encoder of a unigram model."""

    @property
    def trie(self) -> TokenTrie: ...
    def __init__(
        self,
        trie: TokenTrie,
        scores: npt.NDArray[np.float64],
        unknown_score: float,
        unknown: int | None,
        byte_tokens: Sequence[int] | None,
        single: bool,
        by_words: bool,
    ) -> None: ...
    def encode(self, text: bytes) -> list[int]: ...
