"""How much quicker several threads fill a batch of 64 masks than one: `python tests/bench batch`.

Documents of the MaskBench schemas are walked, 64 side by side: one call fills a mask for each, then each matcher takes
its next token.

(a) a document each of 64 schemas; without a pause, and with one as models make it, in which threads fall asleep.
(b) one schema at a time, all 64 matchers at different places of its document; of three schemas with long documents.
(c) the same where all masks have been asked for before: every mask is a copy.

In (a) and (b) grammars are fresh in each run, so that masks are made as well as copied. Runs with one thread and with
more take turns, and a ratio is that of two runs side by side. As other programs disturb, the median and the quartiles
of all pairs are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter, sleep
from typing import Any

import ffgrammar as ff
from bench.shared import dev_set
from ffgrammar_cli.bench.data import Schema, load_schemas, spaced

BATCH = 64
STEPS = 60
LONG = 1000

# a grammar, the tokens before, the tokens that are measured
Walk = tuple[Any, list[int], list[int]]


def walk(walks: list[Walk], threads: int, bitmask: Any, pause: float = 0.0) -> float:
    """Milliseconds a call."""
    matchers = [grammar.matcher() for grammar, _, _ in walks]
    for matcher, (_, before, _) in zip(matchers, walks, strict=True):
        assert matcher.accept_tokens(before) == len(before)
    taken = 0.0
    for step in range(STEPS):
        sleep(pause)
        start = perf_counter()
        ff.fill_bitmask(matchers, bitmask, threads=threads)
        taken += perf_counter() - start
        for matcher, (_, _, tokens) in zip(matchers, walks, strict=True):
            assert matcher.accept_token(tokens[step])
    return taken * 1000 / STEPS


def documents(schemas: list[Schema], tok: ff.Tokenizer, size: int, count: int) -> list[tuple[Schema, list[int]]]:
    """The first schemas with an accepted document of at least `size` tokens, and these."""
    found = []
    for schema in schemas:
        texts = [tok.encode(spaced(instance.data)) for instance in schema.instances if instance.valid]
        tokens = max(texts, key=len, default=[])
        if len(tokens) < size:
            continue
        try:
            matcher = ff.compile_json_schema(schema.schema, tok).matcher()
        except ff.FFGrammarError:
            continue
        if matcher.validate_tokens(tokens) == len(tokens):
            found.append((schema, tokens))
            if len(found) == count:
                break
    return found


def measure(
    name: str, walks: Callable[[], list[Walk]], threads: int, runs: int, bitmask: Any, pause: float = 0.0
) -> None:
    """Print a line: milliseconds a call with one thread and with more, and the ratio."""
    times: dict[int, list[float]] = {1: [], threads: []}
    for run in range(runs):
        for count in sorted(times, reverse=bool(run % 2)):
            times[count].append(walk(walks(), count, bitmask, pause))
    ratios = sorted(one / more for one, more in zip(times[1], times[threads], strict=True))
    low, middle, high = (ratios[runs * quarter // 4] for quarter in (1, 2, 3))
    print(
        f"{name:40s} 1 thread {median(times[1]):6.3f} ms   {threads} threads {median(times[threads]):6.3f} ms   "
        f"ratio {middle:.2f} ({low:.2f} to {high:.2f})",
        flush=True,
    )


def main() -> int:
    """The script."""
    parser = argparse.ArgumentParser(prog="python tests/bench batch", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=2, help="compare this many with one (2)")
    parser.add_argument("--runs", type=int, default=21, help="pairs of runs (21)")
    arguments = parser.parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    schemas = load_schemas(dev_set())
    bitmask = ff.allocate_bitmask(BATCH, tok.vocab_size)

    def compiled(schema: Schema) -> ff.Grammar:
        return ff.compile_json_schema(schema.schema, tok)

    def spread(grammar: ff.Grammar, tokens: list[int]) -> list[Walk]:
        places = [number * (len(tokens) - STEPS) // BATCH for number in range(BATCH)]
        return [(grammar, tokens[:place], tokens[place : place + STEPS]) for place in places]

    many = documents(schemas, tok, STEPS, BATCH)

    def each() -> list[Walk]:
        return [(compiled(schema), [], tokens) for schema, tokens in many]

    measure("(a) 64 grammars", each, arguments.threads, arguments.runs, bitmask)
    measure("(a) and 10 ms between two calls", each, arguments.threads, arguments.runs, bitmask, 0.01)
    for schema, tokens in documents(schemas, tok, LONG, 3):
        name = schema.id[-24:]

        def fresh(schema: Schema = schema, tokens: list[int] = tokens) -> list[Walk]:
            return spread(compiled(schema), tokens)

        measure(f"(b) one grammar, {name}", fresh, arguments.threads, arguments.runs, bitmask)
        warm = fresh()
        walk(warm, 1, bitmask)
        measure("(c) the same, warm", lambda warm=warm: warm, arguments.threads, arguments.runs, bitmask)  # type: ignore[misc]
    return 0
