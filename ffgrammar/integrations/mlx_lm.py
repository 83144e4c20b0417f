"""Grammars in mlx-lm.

mlx_lm.generate(model, tokenizer, prompt, logits_processors=[GrammarProcessor(grammar)])
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState

try:
    import mlx.core as mx
except ImportError as error:
    raise ImportError("ffgrammar.integrations.mlx_lm needs mlx-lm: pip install 'ffgrammar[mlx-lm]'") from error

__all__ = ["GrammarProcessor", "masked"]


def masked(scores: Any, bitmask: NDArray[np.int32]) -> Any:
    """Scores of mlx, [rows, vocabulary], with -inf for all tokens that are not in the masks."""
    bits = mx.array(bitmask.view(np.uint32))[:, :, None] >> mx.arange(32, dtype=mx.uint32)
    allowed = (bits & 1).astype(mx.bool_).reshape(len(bitmask), -1)[:, : scores.shape[-1]]
    return mx.where(allowed, scores, mx.array(-np.inf, scores.dtype))


class GrammarProcessor:
    """Lets a text have only the tokens that its grammar allows. One object is for one text.

    Args:
        grammar: the grammar, or a matcher at the place where the text begins; it is not moved.
    """

    def __init__(self, grammar: Grammar | Matcher) -> None:
        self._grammar = grammar
        self._state: BatchState | None = None
        self._start = 0

    def __call__(self, tokens: Any, logits: Any) -> Any:
        """The scores, with -inf for all tokens that may not come.

        Args:
            tokens: all tokens so far, integers [count]; those of the first call are the prompt.
            logits: the scores, [1, vocabulary].

        Raises:
            MatcherError: a token of the text is not allowed, or there are fewer tokens than in the first call.
            LimitError: a bound of the grammar was reached.
        """
        ids = np.array(tokens).reshape(1, -1)
        if self._state is None:
            self._state = BatchState([self._grammar], logits.shape[-1])
            self._start = ids.shape[1]
        if ids.shape[1] < self._start:
            raise MatcherError("a GrammarProcessor is for one text: make a new one for the next")
        return masked(logits, self._state(ids, self._start))
