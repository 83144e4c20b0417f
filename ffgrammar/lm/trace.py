"""What a trace tells of each token that a hole's text has."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["TracedToken", "chosen_token"]

# How many other tokens are told.
OTHERS = 3


class TracedToken(NamedTuple):
    """A token, and why it is there.

    Attributes:
        token: its id.
        kind: "prompt": it has text of the prompt's end, and was drawn among those that may have it. "forced": nothing
            else could come, and the model was not asked. "chosen": it was drawn.
        log_prob: the model's own natural log-probability; None unless it was chosen.
        others: ids and log-probabilities of the most probable tokens that might have come instead.
        refused: id and log-probability of the most probable token that the grammar does not allow, if that is more
            probable than what was chosen; else None.
    """

    token: int
    kind: Literal["prompt", "forced", "chosen"]
    log_prob: float | None = None
    others: tuple[tuple[int, float], ...] = ()
    refused: tuple[int, float] | None = None


def chosen_token(token: int, row: NDArray[np.float64], allowed: NDArray[np.int32]) -> TracedToken:
    """What is told of a token that was drawn.

    Args:
        token: its id.
        row: the model's log-probabilities, [vocab_size].
        allowed: the ids that might come.
    """
    best = allowed[np.argsort(-row[allowed], kind="stable")[: OTHERS + 1]].tolist()
    others = tuple((one, float(row[one])) for one in best if one != token)[:OTHERS]
    rest = row.copy()
    rest[allowed] = -np.inf
    most = int(rest.argmax())
    refused = (most, float(row[most])) if rest[most] > row[token] else None
    return TracedToken(token, "chosen", float(row[token]), others, refused)
