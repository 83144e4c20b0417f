"""What a trace tells of each token that a hole's text has."""

from __future__ import annotations

from math import exp
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ffgrammar.draw.document import fragment
from ffgrammar.draw.tables import table
from ffgrammar.draw.text import Html
from ffgrammar.draw.tokens import Chip, Kind, token_strip
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Trace", "TracedToken", "chosen_token"]

# How many other tokens are told.
OTHERS = 3
# How many rows a notebook shows.
MAX_ROWS = 500


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


class Trace(list[TracedToken]):
    """A list for `State.stream` that a notebook shows as a table: each token, why it is there, and what else might
    have come."""

    # Spells the tokens; a stream gives it.
    tokenizer: Tokenizer | None = None

    def _repr_html_(self) -> str:
        rows = [
            (
                token_strip([Chip(self._text(one.token), one.kind, f"id {one.token}")]),
                one.kind,
                "" if one.log_prob is None else exp(one.log_prob),
                self._beside(one.others, "chosen"),
                "" if one.refused is None else self._beside((one.refused,), "rejected"),
            )
            for one in self[:MAX_ROWS]
        ]
        more = f"{len(self) - MAX_ROWS} more tokens" if len(self) > MAX_ROWS else ""
        return fragment(table(["token", "why", "probability", "others", "refused"], rows), more)

    def _text(self, token: int) -> str:
        tok = self.tokenizer
        return str(token) if tok is None else tok.visible_token(token)

    def _beside(self, tokens: tuple[tuple[int, float], ...], kind: Kind) -> Html:
        return token_strip(
            [Chip(f"{self._text(one)} {exp(log_prob):.3f}", kind, f"id {one}") for one, log_prob in tokens]
        )


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
