"""The probabilities of token sequences that share their beginning, asked in one batch.

What all sequences have in common is not asked about, because it cancels out where they are compared. Each other
beginning is asked about once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffgrammar.lm.questions import Asking

__all__ = ["Weights", "tempered", "total", "weigh"]

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class Weights:
    """A model's answers about some token sequences.

    Attributes:
        shared: how many tokens all sequences begin with.
        rows: for each sequence and each beginning of it that has more than `shared` tokens or just these: the
            log-probabilities of the next token, float64 [vocab_size].
    """

    shared: int
    rows: dict[Tokens, NDArray[np.float64]]

    @property
    def calls(self) -> int:
        """How many sequences the model was asked about."""
        return len(self.rows)

    def of(self, sequence: Tokens) -> float:
        """The log-probability of a sequence after the tokens that all sequences share."""
        return sum(float(self.rows[sequence[:size]][sequence[size]]) for size in range(self.shared, len(sequence)))


def weigh(before: Tokens, sequences: Sequence[Tokens], temperature: float = 1.0) -> Asking[Weights]:
    """Ask about some token sequences, in one question.

    Args:
        before: the tokens before all sequences.
        sequences: the sequences; at least one.
        temperature: the model's log-probabilities are divided by this and normalised again, unless it is 1.
    """
    first, last = min(sequences), max(sequences)
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    asked = sorted({one[:size] for one in sequences for size in range(shared, len(one) + 1)})
    answers = tempered((yield [before + one for one in asked]), temperature)
    return Weights(shared, dict(zip(asked, answers, strict=True)))


def tempered(rows: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Log-probabilities, divided by the temperature and normalised again: [n, vocabulary]."""
    if temperature == 1.0:
        return rows
    scaled = rows / temperature
    return np.asarray(scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True))


def total(log_probs: NDArray[np.float64]) -> float:
    """The logarithm of the sum of probabilities; minus infinity for none."""
    return float(np.logaddexp.reduce(log_probs)) if len(log_probs) else -np.inf
