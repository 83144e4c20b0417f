"""Writes a program: one step after another, from one snapshot to the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ffgrammar.api.parts import sequence
from ffgrammar.core.errors import GrammarError
from ffgrammar.engine.captures.capture import Capture
from ffgrammar.lm.drawing import draw
from ffgrammar.lm.events import Event, Watcher
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.program import Hole, Said
from ffgrammar.lm.questions import Asking
from ffgrammar.lm.runs import Chosen, Run, Step
from ffgrammar.lm.score import score_after
from ffgrammar.lm.several import write_several
from ffgrammar.lm.snapshot import Snapshot, TokenLogProbs, Trace, Value, Writing
from ffgrammar.lm.stops import Stop
from ffgrammar.lm.walk import Walk
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["execute"]


def execute(tok: Tokenizer, before: Snapshot, steps: Sequence[Step], seed: int, watched: bool, trace: Trace) -> Writing:
    """Write the steps of a program after a snapshot. Raises as `State.text` does.

    Args:
        tok: the model's vocabulary.
        seed: what each run draws with depends on the seed and on how many runs there were.
        watched: whether captures are compared after each token.
        trace: gets each token of the holes, unless it is None.
    """
    for step in steps:
        if isinstance(step, bytes):
            before = before._replace(opening=before.opening.then(tok, step))
            continue
        if isinstance(step, Said):
            before = before._replace(opening=before.opening.then(tok, _said(before.values, step.name)))
            continue
        if isinstance(step, Chosen):
            before = yield from _choose(tok, before, step, np.random.default_rng([seed, before.drawn]))
            continue
        hole = step.pieces[0]
        assert isinstance(hole, Hole)
        write = partial(_write if hole.stop is None else _write_until, tok, before, step)
        if hole.number is None or hole.name is None:
            before = yield from write(np.random.default_rng([seed, before.drawn]), watched, trace)
        else:
            before = yield from write_several(write, hole.name, hole.number, before, seed, watched, trace)
    return before


def _said(values: dict[str, Value], name: str) -> bytes:
    """What was written under a name."""
    if name not in values:
        raise GrammarError(f"nothing is written under the name {name!r} before it is said again")
    text = values[name].text
    if not isinstance(text, str):
        raise GrammarError(f"{name!r} is a list of texts, which cannot be said again")
    return text.encode()


def _choose(tok: Tokenizer, before: Snapshot, step: Chosen, random: np.random.Generator) -> Writing:
    """Draw one of the options."""
    one = step.selection
    scores = yield from score_after(tok, before.opening, one.options, step.then, one.canonical)
    logs = scores.log_probs / one.temperature if one.temperature else scores.log_probs
    text = one.options[draw(logs, 1.0, random if one.temperature else None)]
    for kind in ("opened", "grew", "closed"):
        yield Event(kind, one.name, "" if kind == "opened" else text)
    return before._replace(
        opening=before.opening.then(tok, text.encode()),
        values=before.values | {one.name: Value(text, None, scores)},
        drawn=before.drawn + 1,
        calls=before.calls + scores.calls,
    )


def _write(
    tok: Tokenizer, before: Snapshot, run: Run, random: np.random.Generator, watched: bool, trace: Trace
) -> Writing:
    """Write a run whose grammar says where it ends."""
    holes = {str(place): one for place, one in enumerate(run.pieces) if isinstance(one, Hole) and one.name is not None}
    part = sequence(
        *(
            one.part(tok, str(place) if str(place) in holes else None) if isinstance(one, Hole) else one
            for place, one in enumerate(run.pieces)
        )
    )
    following = int(run.max_tokens is not None and len(run.pieces) > 1)
    walk = Walk(tok, before.opening, part, run.settings, random, run.max_tokens, following, trace)
    watcher = Watcher({key: hole.name or "" for key, hole in holes.items()})
    yield from walk.begin()
    more = True
    while more:
        if watched and holes:
            yield from watcher.changes(walk.matcher.captures(holes))
        more = yield from walk.step()
    captures = walk.matcher.captures(holes) if holes else []
    if watched:
        yield from watcher.changes(captures)
    values = dict(before.values)
    for key, hole in holes.items():
        own = [one for one in captures if one.name == key]
        texts = [one.text.decode("utf-8", "replace") for one in own]
        logs: list[TokenLogProbs] | None = None
        if hole.log_probs:
            logs = [(yield from _log_probs(walk, [(one.start, one.start + len(one.text)) for one in own]))]
        values[hole.name or ""] = Value(texts if hole.several else "".join(texts[-1:]), logs)
    opening = Opening.of_tokens(tok, walk.tokens)
    return before._replace(opening=opening, values=values, drawn=before.drawn + 1, calls=before.calls + walk.calls)


def _write_until(
    tok: Tokenizer, before: Snapshot, run: Run, random: np.random.Generator, watched: bool, trace: Trace
) -> Writing:
    """Write any text up to a stop, which is dropped."""
    hole = run.pieces[0]
    assert isinstance(hole, Hole) and hole.stop is not None
    stop = Stop(hole.stop, tok)
    walk = Walk(tok, before.opening, hole.part(tok, None), run.settings, random, run.max_tokens, trace=trace)
    watcher = Watcher({"": hole.name or ""})
    end: int | None = None
    data = b""
    yield from walk.begin()
    more = True
    while more:
        data = walk.matcher.text_bytes[walk.rest :]
        end = stop.find(data)
        if end is not None:
            break
        if watched and hole.name is not None:
            yield from watcher.changes([Capture("", 0, None, data)])
        more = yield from walk.step()
    written = data[:end]
    if watched and hole.name is not None:
        yield from watcher.changes([Capture("", 0, len(written), written)])
    values = dict(before.values)
    if hole.name is not None:
        logs: list[TokenLogProbs] | None = None
        if hole.log_probs:
            logs = [(yield from _log_probs(walk, [(walk.rest, walk.rest + len(written))]))]
        values[hole.name] = Value(written.decode("utf-8", "replace"), logs)
    size = len(data) - len(written)
    tokens = list(walk.tokens)
    while size > 0:
        size -= len(tok.token_bytes(tokens.pop()))
    # What is left of a token that reaches into the stop.
    left = walk.matcher.text_bytes[walk.rest + len(written) + size : walk.rest + len(written)]
    opening = Opening.of_tokens(tok, tokens).then(tok, left)
    return before._replace(opening=opening, values=values, drawn=before.drawn + 1, calls=before.calls + walk.calls)


def _log_probs(walk: Walk, spans: Sequence[tuple[int, int]]) -> Asking[TokenLogProbs]:
    """The tokens that have bytes in some spans of the matcher's text, with the model's log-probabilities."""
    tok = walk.tokenizer
    place = len(walk.matcher.text_bytes)
    wanted = []
    for index in range(len(walk.tokens) - 1, -1, -1):
        end, place = place, place - len(tok.token_bytes(walk.tokens[index]))
        if any(start < end and place < stop for start, stop in spans):
            wanted.append(index)
        if place <= 0:
            break
    wanted.reverse()
    yield from walk.ask_about(wanted)
    return [(walk.tokens[index], walk.asked[index]) for index in wanted]
