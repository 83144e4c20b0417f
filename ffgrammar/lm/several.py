"""Several texts from one place: what `gen(n=…)` writes.

Each text is written by a generator of its own. Their questions are put together, so the model is asked about all texts
at once, and about a token sequence that several of them need only once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from ffgrammar.lm.events import Event
from ffgrammar.lm.questions import Answer, Question
from ffgrammar.lm.snapshot import Snapshot, Trace, Value, Writing

__all__ = ["write_several"]

# Writes one text: what draws, whether captures are compared, and what gets the tokens.
Write = Callable[[np.random.Generator, bool, Trace], Writing]
Asked = tuple[int, ...]


def write_several(
    write: Write, name: str, count: int, before: Snapshot, seed: int, watched: bool, trace: Trace
) -> Writing:
    """Write several texts after a snapshot, and go on with the first.

    Args:
        write: writes one of them.
        name: has the list of the texts.
        count: how many there are.
        before: what they go on from.
        seed: what each draws with depends on the seed, on `before` and on its number. The first draws with what a
            single text draws with.
        watched: whether there are events. Those of the first text come as it is written. Those of each other one come
            at the end.
        trace: gets the tokens of the first text, and at the end those of the others; unless it is None.
    """
    traces: list[Trace] = [trace, *(None if trace is None else [] for _ in range(count - 1))]
    seeds = [[seed, before.drawn, *([number] if number else [])] for number in range(count)]
    writings = [
        write(np.random.default_rng(one), watched and not number, traces[number]) for number, one in enumerate(seeds)
    ]
    calls = before.calls
    found: list[Snapshot | None] = [None] * count
    questions: dict[int, Question] = {}
    for number, one in enumerate(writings):
        yield from _go_on(one, None, number, found, questions)
    while questions:
        asked = list(dict.fromkeys(tuple(one) for question in questions.values() for one in question))
        calls += len(asked)
        rows = yield list(asked)
        known = dict(zip(asked, rows, strict=True))
        waiting, questions = questions, {}
        for number, question in waiting.items():
            answer = np.stack([known[tuple(one)] for one in question])
            yield from _go_on(writings[number], answer, number, found, questions)
    values = [one.values[name] for one in found if one is not None]
    texts = [str(one.text) for one in values]
    for kept, text in zip(traces[1:], texts[1:], strict=True):
        if trace is not None and kept is not None:
            trace += kept
        if watched:
            for kind in ("opened", "grew", "closed"):
                yield Event(kind, name, "" if kind == "opened" else text)
    logs = [log for one in values for log in one.log_probs or ()]
    first = found[0]
    assert first is not None
    return first._replace(values=first.values | {name: Value(texts, logs or None)}, calls=calls)


def _go_on(
    writing: Writing, answer: Answer | None, number: int, found: list[Snapshot | None], questions: dict[int, Question]
) -> Generator[Event, None, None]:
    """Write one text up to its next question, or to its end. Yields the events before that."""
    try:
        asked = next(writing) if answer is None else writing.send(answer)
        while isinstance(asked, Event):
            yield asked
            asked = next(writing)
        questions[number] = asked
    except StopIteration as end:
        found[number] = end.value
