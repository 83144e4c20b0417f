"""What has been written: the text, and what its names have."""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypeAlias

from ffgrammar.lm.events import Event
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.questions import Answer, Question
from ffgrammar.lm.score import Scores
from ffgrammar.lm.trace import TracedToken

__all__ = ["Snapshot", "TokenLogProbs", "Trace", "Value", "Writing"]

TokenLogProbs: TypeAlias = list[tuple[int, float]]


class Value(NamedTuple):
    """What a name has.

    Attributes:
        text: the text, or the texts of `many` or of `gen(n=…)`.
        log_probs: token ids with log-probabilities, if they were asked for: one list, or one for each text of
            `gen(n=…)`.
        scores: of a selection.
    """

    text: str | list[str]
    log_probs: list[TokenLogProbs] | None = None
    scores: Scores | None = None


class Snapshot(NamedTuple):
    """A text that has been written.

    Attributes:
        opening: the text.
        values: what each name has.
        drawn: how many runs and selections were drawn.
        calls: how many token sequences the model was asked about.
        turns: the roles of the turns of a chat that it has.
    """

    opening: Opening
    values: dict[str, Value]
    drawn: int
    calls: int
    turns: tuple[str, ...] = ()


# What gets the tokens of holes.
Trace: TypeAlias = list[TracedToken] | None
# Writing yields questions, and is sent their answers. It also yields events, and is sent None.
Writing: TypeAlias = Generator[Question | Event, Answer, Snapshot]
