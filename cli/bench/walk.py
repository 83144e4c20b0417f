"""What is measured: one schema on one engine.

- Time to first mask: compile and the first mask, from a parsed schema.
- Time between masks: one mask and one accepted token, for every token of every document, seen from Python.
- Verdict: the tokens of a document are followed until the mask does not allow the next one. After the last token the
  engine is asked whether the document may end.
- Forced: at each position of a valid document the engine is asked which tokens are forced. They must be those that come
  next in the document. Spaced documents are walked on the grammar that allows any whitespace, compact ones on the
  grammar that allows none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

from ..show import counted
from .data import Schema, compact, spaced
from .engines import Engine, Refused
from .order import reorderings

__all__ = ["Forced", "Result", "run_schema", "timed_step"]


@dataclass
class Forced:
    """Counts over the valid documents of one spelling. A run is a document whose tokens are all accepted.

    Attributes:
        tokens: the tokens of all runs.
        forced: how many of these were forced.
        runs: the number of runs.
        bad_runs: for each run in which forced tokens were not those that came, the first place where that was so.
    """

    tokens: int = 0
    forced: int = 0
    runs: int = 0
    bad_runs: list[str] = field(default_factory=list)


@dataclass
class Result:
    """The outcome of one schema on one engine. Times are in nanoseconds.

    Attributes:
        status: "pass", "wrong accept", "wrong reject", "wrong reject by property order", "refused", "crash" or "hang".
        detail: why the status is not "pass".
        keyword: the keyword that a refused schema was refused for.
        instances: how many documents were judged rightly, and how many there are.
        compile_time, first_mask_time: from the parsed schema to the grammar, and to the first mask.
        between_masks: the time of each mask together with the accepted token after it.
        spaced, compact: the counts of forced tokens in documents of each spelling.
    """

    id: str
    status: str = "pass"
    detail: str = ""
    keyword: str = ""
    instances: tuple[int, int] = (0, 0)
    compile_time: int = 0
    first_mask_time: int = 0
    between_masks: list[int] = field(default_factory=list)
    spaced: Forced = field(default_factory=Forced)
    compact: Forced = field(default_factory=Forced)


def run_schema(engine: Engine, schema: Schema, *, forced: bool = True) -> Result:
    """Measure one schema with all its documents. Exceptions of the engine, but for `Refused`, pass through."""
    result = Result(schema.id)
    encode = engine.encode
    begin = perf_counter_ns()
    try:
        compiled = engine.compile(schema.schema)
    except Refused as refused:
        result.status, result.keyword, result.detail = "refused", refused.keyword, str(refused)
        return result
    middle = perf_counter_ns()
    engine.fill(engine.matcher(compiled))
    result.compile_time = middle - begin
    result.first_mask_time = perf_counter_ns() - begin

    right = 0
    worst = 0
    for number, instance in enumerate(schema.instances):
        stopped = _walk(engine, compiled, encode(instance.written()), result.between_masks)
        if (stopped is None) == instance.valid:
            right += 1
            continue
        if not instance.valid:
            severity, status = 3, "wrong accept"
        elif any(_walk(engine, compiled, encode(spaced(data)), []) is None for data in _reorderings(schema, number)):
            severity, status = 1, "wrong reject by property order"
        else:
            severity, status = 2, "wrong reject"
        if severity > worst:
            worst, result.status = severity, status
            result.detail = f"document {number}: {stopped or 'accepted'}"
    result.instances = (right, len(schema.instances))
    if forced and engine.forced(engine.matcher(compiled)) is not None:
        _all_forced(engine, compiled, schema, result)
    return result


def _all_forced(engine: Engine, compiled: Any, schema: Schema, result: Result) -> None:
    """Compare forced tokens along all valid documents, in both spellings."""
    tight = engine.compile(schema.schema, compact=True)
    for number, instance in enumerate(schema.instances):
        if instance.valid:
            name = f"{schema.id} document {number}"
            _forced(engine, compiled, engine.encode(instance.written()), result.spaced, name)
            _forced(engine, tight, engine.encode(compact(instance.data)), result.compact, name)


def _reorderings(schema: Schema, number: int) -> list[Any]:
    return list(reorderings(schema.instances[number].data, schema.schema))


def timed_step(engine: Engine, matcher: Any, token: int) -> int | None:
    """The nanoseconds to fill the mask and accept a token; None, and nothing is accepted, if the mask forbids it."""
    fill, accept, row = engine.fill, engine.accept, engine.bitmask[0]
    start = perf_counter_ns()
    fill(matcher)
    filled = perf_counter_ns()
    if not int(row[token >> 5]) >> (token & 31) & 1:
        return None
    ready = perf_counter_ns()
    accepted = accept(matcher, token)
    spent = perf_counter_ns() - ready + filled - start
    if not accepted:
        raise AssertionError(f"token {token} is allowed by the mask, but not accepted")
    return spent


def _walk(engine: Engine, compiled: Any, tokens: list[int], times: list[int]) -> str | None:
    """None if the document is accepted, else where it was rejected. The time of each step is appended to `times`."""
    matcher = engine.matcher(compiled)
    for place, token in enumerate(tokens):
        spent = timed_step(engine, matcher, token)
        if spent is None:
            return f"token {place} ({token}) of {len(tokens)} is not allowed"
        times.append(spent)
    return None if engine.is_accepting(matcher) else f"not accepting after the last of {counted(len(tokens), 'token')}"


def _forced(engine: Engine, compiled: Any, tokens: list[int], counts: Forced, name: str) -> None:
    """Compare forced tokens with those that come. A document with a token that the engine rejects is not counted."""
    matcher = engine.matcher(compiled)
    covered = 0
    count = 0
    bad = ""
    for place, token in enumerate(tokens):
        ahead = engine.forced(matcher) or []
        if ahead != tokens[place : place + len(ahead)]:
            bad = bad or f"{name} token {place}: forced {ahead}, canonical {tokens[place : place + len(ahead)]}"
        else:
            count += max(0, place + len(ahead) - max(covered, place))
            covered = max(covered, place + len(ahead))
        if not engine.accept(matcher, token):
            return
    counts.tokens += len(tokens)
    counts.forced += count
    counts.runs += 1
    if bad:
        counts.bad_runs.append(bad)
