"""A tokenizer and a function from token lists to log-probabilities, whose results are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import MatcherError
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["ChatTemplate", "CheckedModel", "LogProbs"]

LogProbs: TypeAlias = Callable[[list[list[int]]], Any]
# From turns, each {"role": ..., "content": ...}, to the text of a chat.
ChatTemplate: TypeAlias = Callable[[list[dict[str, str]]], str]


# How much a log-probability may be above 0, because a model rounds.
ROUNDING = 1e-2


class CheckedModel:
    """A language model, as the functions of this package use it.

    Attributes:
        tokenizer: the vocabulary.
        chat_template: how it lays out a chat; None if that is not known.
    """

    def __init__(self, tokenizer: Tokenizer, log_probs: LogProbs, chat_template: ChatTemplate | None = None) -> None:
        expect("Model: tokenizer", tokenizer, Tokenizer, "a Tokenizer")
        self.tokenizer = tokenizer
        self.chat_template = chat_template
        self._log_probs = log_probs

    def log_probs(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The natural log-probabilities of the next token after each sequence: float64 [n, vocab_size].

        Raises:
            MatcherError: what the model returns is no array of real numbers, has another shape, has a NaN or plus
                infinity, gives every token the probability 0, or one a probability above 1.
        """
        found = self._log_probs([list(one) for one in sequences])
        try:
            given = np.asarray(found)
        except ValueError as error:
            raise MatcherError(f"the model did not return an array: {error}") from None
        if given.dtype.kind not in "fiu":
            raise MatcherError(f"the model returned an array of the type {given.dtype}, not of real numbers")
        rows: NDArray[np.float64] = given.astype(np.float64, copy=False)
        expected = (len(sequences), self.tokenizer.vocab_size)
        if rows.shape != expected:
            raise MatcherError(
                f"the model returned an array of shape {rows.shape}, not {expected} (if it pads its vocabulary, make "
                "the tokenizer with vocab_size=)"
            )
        if np.isnan(rows).any() or (rows == np.inf).any():
            raise MatcherError("the model returned a log-probability that is NaN or plus infinity")
        most = rows.max(axis=1) if len(rows) else np.zeros(1)
        if most.min() == -np.inf:
            raise MatcherError("the model gives every token the probability 0")
        if most.max() > ROUNDING:
            raise MatcherError(
                f"the model returned {most.max():.6g} as a log-probability, but no probability is above 1 (are these "
                "logits? then subtract the logarithm of the sum of their exponentials)"
            )
        return rows
