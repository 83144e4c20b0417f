"""How what is written asks the model: a generator yields a question, and is sent the answer.

So one loop can write one text, and another loop many texts, whose questions it puts to the model together.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ffgrammar.lm.checked_model import CheckedModel

__all__ = ["Answer", "Asking", "Question", "answered"]

# Token sequences, at least one.
Question: TypeAlias = list[Sequence[int]]
# The log-probabilities of the next token after each: float64 [n, vocab_size].
Answer: TypeAlias = NDArray[np.float64]

T = TypeVar("T")
Asking: TypeAlias = Generator[Question, Answer, T]


def answered(model: CheckedModel, asking: Asking[T]) -> T:
    """What a generator returns whose questions a model answers."""
    try:
        question = next(asking)
        while True:
            question = asking.send(model.log_probs(question))
    except StopIteration as end:
        found: T = end.value
        return found
