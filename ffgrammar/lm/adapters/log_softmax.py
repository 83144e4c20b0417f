"""The log-probabilities that a model's logits stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_softmax"]


def log_softmax(logits: Any) -> NDArray[np.float64]:
    """Logits of any float type, [n, vocabulary], as natural log-probabilities: their exponentials add up to 1."""
    rows = np.array(logits, dtype=np.float64)
    rows -= rows.max(axis=1, keepdims=True)
    rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
    return rows
