"""How one of several things is drawn, given the logarithms of their weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.errors import MatcherError

__all__ = ["draw"]


def draw(logs: NDArray[np.float64], top_p: float, random: np.random.Generator | None) -> int:
    """The index of one thing.

    Args:
        logs: the logarithms of the weights, [count]; the weights need not add up to 1.
        top_p: only the heaviest things may be drawn, as few as have this share of the whole weight. Of equally heavy
            ones the first are taken.
        random: what draws; None takes the heaviest.

    Raises:
        MatcherError: all weights are 0.
    """
    heaviest = int(logs.argmax())
    if logs[heaviest] == -np.inf:
        raise MatcherError("the model gives everything that may come next the probability 0")
    if random is None:
        return heaviest
    weights = np.exp(logs - logs[heaviest])
    if top_p < 1.0:
        order = np.argsort(-weights, kind="stable")
        sums = weights[order].cumsum()
        few = int(np.searchsorted(sums, top_p * sums[-1])) + 1
        weights[order[few:]] = 0.0
    sums = weights.cumsum()
    index = int(np.searchsorted(sums, random.random() * sums[-1], side="right"))
    # Rounding may lead to the very end.
    return index if index < len(weights) else int(np.flatnonzero(weights)[-1])
