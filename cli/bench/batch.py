"""How much quicker several threads fill a batch of 64 masks than one thread.

64 documents are walked side by side: one call fills a mask for each, then each matcher takes its next token. There are
three cases:

(a) 64 schemas, with one document each. This is measured without a pause between two calls, and with a pause of 10 ms,
    such as a model makes. In a pause threads fall asleep.
(b) One schema, with all 64 matchers at different places of its document. This is measured for three schemas with long
    documents.
(c) As (b), but all masks have been asked for before, so every mask is a copy.

In (a) and (b) grammars are fresh in each run, so that masks are made as well as copied. Runs with one thread and with
several take turns, and a ratio is that of two runs, one right after the other. Other programs disturb a run, so the
report has the median and the quartiles over all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..options import VocabularyName
from ..show import counted
from ..sources import load_tokenizer
from .data import Schema, spaced

if TYPE_CHECKING:
    from ffgrammar import Grammar, Tokenizer

__all__ = ["measure", "table"]

BATCH = 64
# Calls of a run, and pairs of runs.
STEPS = 60
RUNS = 21
# How many tokens a long document has at least, and how many such documents are taken.
LONG = 1000
LONG_DOCUMENTS = 3


class Walk(NamedTuple):
    """A grammar, the tokens before the place where measuring begins, and the tokens along which it is measured."""

    grammar: Grammar
    before: list[int]
    tokens: list[int]


def measure(named: VocabularyName, schemas: Sequence[Schema], threads: int) -> list[dict[str, Any]]:
    """A row for each case: its name, milliseconds a call with one thread and with several, quartiles of their ratio.

    Raises:
        click.ClickException: no document of the schemas is long enough.
    """
    from ffgrammar import compile_json_schema

    tokenizer = load_tokenizer(named)
    tokenizer.grammar_bytes = 0  # a schema that is there twice is compiled twice
    many = _documents(schemas, tokenizer, STEPS, BATCH)
    if not many:
        raise click.ClickException(f"no valid document has {STEPS} tokens: there is no batch to measure")

    def each() -> list[Walk]:
        return [Walk(compile_json_schema(schema.schema, tokenizer), [], tokens) for schema, tokens in many]

    def case(name: str, walks: Callable[[], list[Walk]], pause: float = 0.0) -> dict[str, Any]:
        return {"name": name, "batch": len(many), "threads": threads} | _compare(walks, threads, tokenizer, pause)

    rows = [case(f"(a) {counted(len(many), 'grammar')}", each), case("(a) and 10 ms between two calls", each, 0.01)]
    for schema, tokens in _documents(schemas, tokenizer, LONG, LONG_DOCUMENTS):

        def fresh(schema: Schema = schema, tokens: list[int] = tokens) -> list[Walk]:
            grammar = compile_json_schema(schema.schema, tokenizer)
            places = [number * (len(tokens) - STEPS) // BATCH for number in range(BATCH)]
            return [Walk(grammar, tokens[:place], tokens[place : place + STEPS]) for place in places]

        rows.append(case(f"(b) one grammar, {schema.id[-24:]}", fresh))
        warm = fresh()
        _milliseconds(warm, 1, tokenizer, 0.0)
        rows.append(case("(c) the same, warm", lambda warm=warm: warm))  # type: ignore[misc]
    return rows


def _documents(
    schemas: Sequence[Schema], tokenizer: Tokenizer, size: int, count: int
) -> list[tuple[Schema, list[int]]]:
    """The first schemas with an accepted document of at least `size` tokens, and its tokens."""
    from ffgrammar import FFGrammarError, compile_json_schema

    found = []
    for schema in schemas:
        texts = [tokenizer.encode(spaced(instance.data)) for instance in schema.instances if instance.valid]
        tokens = max(texts, key=len, default=[])
        if len(tokens) < size:
            continue
        try:
            matcher = compile_json_schema(schema.schema, tokenizer).matcher()
        except FFGrammarError:
            continue
        if matcher.validate_tokens(tokens) == len(tokens):
            found.append((schema, tokens))
            if len(found) == count:
                break
    return found


def _compare(walks: Callable[[], list[Walk]], threads: int, tokenizer: Tokenizer, pause: float) -> dict[str, Any]:
    times: dict[int, list[float]] = {1: [], threads: []}
    for run in range(RUNS):
        for count in sorted(times, reverse=bool(run % 2)):
            times[count].append(_milliseconds(walks(), count, tokenizer, pause))
    ratios = sorted(one / several for one, several in zip(times[1], times[threads], strict=True))
    quartiles = [round(ratios[RUNS * quarter // 4], 2) for quarter in (1, 2, 3)]
    return {
        "one_ms": round(median(times[1]), 3),
        "several_ms": round(median(times[threads]), 3),
        "ratio": quartiles[1],
        "ratio_quartiles": [quartiles[0], quartiles[2]],
    }


def _milliseconds(walks: list[Walk], threads: int, tokenizer: Tokenizer, pause: float) -> float:
    """How many milliseconds a call that fills the batch takes, on average."""
    from ffgrammar import allocate_bitmask, fill_bitmask

    bitmask = allocate_bitmask(len(walks), tokenizer.vocab_size)
    matchers = [walk.grammar.matcher() for walk in walks]
    for matcher, walk in zip(matchers, walks, strict=True):
        assert matcher.accept_tokens(walk.before) == len(walk.before)
    taken = 0.0
    for step in range(STEPS):
        sleep(pause)
        start = perf_counter()
        fill_bitmask(matchers, bitmask, threads=threads)
        taken += perf_counter() - start
        for matcher, walk in zip(matchers, walks, strict=True):
            assert matcher.accept_token(walk.tokens[step])
    return taken * 1000 / STEPS


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The rows as lines for a terminal."""
    threads = rows[0]["threads"]
    lines = ["", f"{'a batch, ms a call':<40}{'1 thread':>12}{counted(threads, 'thread'):>12}{'ratio':>8}   quartiles"]
    for row in rows:
        low, high = row["ratio_quartiles"]
        lines.append(
            f"{row['name']:<40}{row['one_ms']:>12.3f}{row['several_ms']:>12.3f}{row['ratio']:>8.2f}   {low} to {high}"
        )
    return lines
