"""`Model`: a tokenizer and a function from token lists to log-probabilities, checked at each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import MatcherError
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["LanguageModel", "LogProbs", "Model"]

LogProbs: TypeAlias = Callable[[list[list[int]]], Any]


class LanguageModel(Protocol):
    """What a model must have to be used by `Model.of`."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The vocabulary."""

    def log_probs(self, sequences: list[list[int]]) -> Any:
        """The natural log-probabilities of the next token after each of n token lists: [n, vocabulary].

        A list may be empty: then it is the beginning of a text.
        """


class Model:
    """A language model, as the functions of this package use it. `Model.of` makes it.

    Attributes:
        tokenizer: the vocabulary.
    """

    def __init__(self, tokenizer: Tokenizer, log_probs: LogProbs) -> None:
        expect("Model: tokenizer", tokenizer, Tokenizer, "a Tokenizer")
        self.tokenizer = tokenizer
        self._log_probs = log_probs

    @classmethod
    def of(cls, model: LanguageModel | LogProbs, tokenizer: Tokenizer | None = None) -> Model:
        """A model from an object with the two members of `LanguageModel`, or from a function and a tokenizer.

        Args:
            model: the object, or a function that takes and returns what `LanguageModel.log_probs` does.
            tokenizer: the vocabulary; only for a function.

        Raises:
            TypeError: an argument is of another type, or the tokenizer is missing or given twice.
        """
        if isinstance(model, cls) and tokenizer is None:
            return model
        log_probs = getattr(model, "log_probs", None)
        if log_probs is not None:
            if tokenizer is not None:
                raise TypeError("Model.of: a model with a method log_probs has a tokenizer of its own")
            return cls(getattr(model, "tokenizer", None), log_probs)  # type: ignore[arg-type]
        if not callable(model):
            raise TypeError(f"Model.of: expected a function or an object with log_probs, not {type(model).__name__}")
        return cls(tokenizer, model)  # type: ignore[arg-type]

    def log_probs(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """The natural log-probabilities of the next token after each sequence: float64 [n, vocab_size].

        Raises:
            MatcherError: what the model returns has another shape, or has a NaN or plus infinity.
        """
        rows = np.asarray(self._log_probs([list(one) for one in sequences]), dtype=np.float64)
        expected = (len(sequences), self.tokenizer.vocab_size)
        if rows.shape != expected:
            raise MatcherError(
                f"the model returned an array of shape {rows.shape}, not {expected} (if it pads its vocabulary, make "
                "the tokenizer with vocab_size=)"
            )
        if np.isnan(rows).any() or (rows == np.inf).any():
            raise MatcherError("the model returned a log-probability that is NaN or plus infinity")
        return rows
