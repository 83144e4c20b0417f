"""The tokens at which a request ends, beside those that end every text of the model.

A request has stop tokens of its own. vLLM ends it at the first of them, wherever that is. So they may only come where
the text is complete. An end-of-text token at which vLLM would not stop may not come at all.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ffgrammar.api.bitmask import bitmask_of
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Stops", "stops_of"]


class Stops:
    """What is different in the masks of one request.

    Args:
        further: see below.
        without: end-of-text tokens of the vocabulary that do not end the request.
        vocab_size: how many ids a mask has.

    Attributes:
        further: tokens that end the request, and are no end-of-text tokens of the vocabulary.
    """

    def __init__(self, further: frozenset[int], without: frozenset[int], vocab_size: int) -> None:
        self.further = further
        self._further = bitmask_of(further, vocab_size)
        self._refused = ~bitmask_of(without, vocab_size)

    def change(self, row: NDArray[np.int32], is_complete: bool) -> None:
        """Change a mask: further stop tokens come exactly where the text is complete.

        If a grammar can only go on with a stop token, the mask stays: such a grammar cannot be met otherwise.
        """
        if is_complete:
            row |= self._further
            changed = row & self._refused
        else:
            changed = row & ~self._further & self._refused
        if changed.any():
            row[:] = changed


def stops_of(asked: Iterable[int] | None, vocabulary: Tokenizer, vocab_size: int) -> Stops | None:
    """What the stop tokens of a request change; None if they are the end-of-text tokens of the vocabulary.

    Args:
        asked: the tokens at which the request ends; None or none: the vocabulary's.
        vocabulary: the vocabulary.
        vocab_size: how many ids a mask has.
    """
    wanted = frozenset(token for token in asked or () if 0 <= token < vocab_size)
    known = frozenset(vocabulary.eos_token_ids)
    if not wanted or wanted == known:
        return None
    return Stops(wanted - known, known - wanted, vocab_size)
