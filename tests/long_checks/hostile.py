"""Hostile sources, variants of them, and mutations of both: `python tests/long_checks hostile --mutations 1000`.

Each is compiled under the bounds for strangers, and masks are made along its text. What took longest is printed, in
time on the processor, and the memory of the process. What ends in any other way than with an answer or a refusal is
wrong. What takes longer than the bounds below is listed.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections import Counter
from typing import Any

import ffgrammar as ff
from hostile.sources import Hostile, compiled, sources
from hostile.variants import variants

__all__ = ["main", "mutated"]

# What a compilation and a mask may take.
COMPILE_SECONDS, MASK_SECONDS = 5.1, 0.6


def mutated(one: Hostile, other: Hostile, rng: random.Random) -> Hostile:
    """A source with a change or two, perhaps with parts of another one of its form."""
    if one.form == "json":
        source = json.loads(json.dumps(one.source))
        for _ in range(rng.randrange(1, 3)):
            source = _mutated_schema(source, other.source if other.form == "json" else {}, rng)
        return one._replace(source=source)
    source = one.source
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(source) + 1)
        kind = rng.randrange(3)
        if kind == 0:
            source = source[:at] + source[at + rng.randrange(1, 4) :]
        elif kind == 1:
            source = (
                source[:at] + rng.choice(["*", "+", "?", "|", "(a|b)*", "{2,40}", ".*", "a", ")", "("]) + source[at:]
            )
        elif other.form == one.form:
            begin = rng.randrange(len(other.source))
            source = source[:at] + other.source[begin : begin + rng.randrange(1, 30)] + source[at:]
    return one._replace(source=source[:5000])


def _mutated_schema(schema: Any, other: Any, rng: random.Random) -> Any:
    word = rng.choice(["allOf", "anyOf", "oneOf", "not", "items", "contains", "properties", "number", "if", "both"])
    if word in ("allOf", "anyOf", "oneOf"):
        return {word: [schema, other, {"type": rng.choice(["object", "string", "array"])}][: rng.randrange(1, 4)]}
    if word in ("not", "items", "contains"):
        return {word: schema}
    if word == "properties":
        return {"properties": {"a": schema, "b": other}, "required": rng.choice([[], ["a"], ["a", "b"]])}
    if word == "if":
        return {"if": schema, "then": other, "else": rng.choice([False, {}, {"required": ["z"]}])}
    if word == "both" and isinstance(schema, dict) and isinstance(other, dict):
        return {**other, **schema}
    text = json.dumps(schema)
    digits = [at for at, character in enumerate(text) if character.isdigit()]
    if not digits:
        return schema
    at = rng.choice(digits)
    try:
        return json.loads(text[:at] + rng.choice("0123456789") + rng.choice(["", "0", "00"]) + text[at + 1 :])
    except ValueError:
        return schema


def _run(one: Hostile, tok: ff.Tokenizer, limits: ff.Limits, bitmask: Any) -> tuple[str, float, float]:
    """What came of a source, the seconds of its compilation, and those of its slowest mask."""
    begun = time.thread_time()
    try:
        grammar = compiled(one, tok, limits)
    except ff.FFGrammarError as error:
        return type(error).__name__, time.thread_time() - begun, 0.0
    seconds = time.thread_time() - begun
    slowest = 0.0
    matcher = grammar.matcher()
    for token in [*tok.encode(one.text.decode()), None]:
        begun = time.thread_time()
        try:
            matcher.fill_bitmask(bitmask)
        except ff.LimitError:
            return "LimitError at a mask", seconds, max(slowest, time.thread_time() - begun)
        slowest = max(slowest, time.thread_time() - begun)
        if token is None or not matcher.accept_token(token):
            break
    return "answer", seconds, slowest


def main() -> int:
    """Run them all. Returns 1 if one ends with another exception than those of ffgrammar."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks hostile", description=__doc__)
    parser.add_argument("--only", default="", help="only sources whose names contain this, and mutations of them")
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    rng = random.Random(args.seed)
    corpus = [one for one in (*sources(), *variants()) if args.only in one.name]
    # (what is large or nested deep by itself is left alone)
    small = [one for one in corpus if "in each other" not in one.name and len(json.dumps(one.source)) < 20_000]
    tried = corpus + [mutated(rng.choice(small), rng.choice(small), rng) for _ in range(args.mutations)]
    outcomes: Counter[str] = Counter()
    compiles, masks = [], []
    wrong = slow = 0
    for number, one in enumerate(tried):
        try:
            outcome, compiling, masking = _run(one, tok, ff.Limits.public(), bitmask)
        except Exception as error:
            wrong += 1
            print(f"{one.name}: {type(error).__name__}: {error}: {json.dumps(one.source)[:300]}")
            continue
        outcomes[outcome] += 1
        compiles.append((compiling, one))
        masks.append((masking, one))
        if number % 100 == 0:
            print(f"long_checks: {number + 1}/{len(tried)} sources", file=sys.stderr, flush=True)
    for what, found, most in (("compilations", compiles, COMPILE_SECONDS), ("masks", masks, MASK_SECONDS)):
        found.sort(key=lambda pair: -pair[0])
        over = [one for seconds, one in found if seconds > most]
        slow += len(over)
        for one in over:
            print(f"over {most} s: {one.name}: {json.dumps(one.source)[:300]}")
        print(f"slowest {what}: " + "; ".join(f"{seconds:.2f} s ({one.name})" for seconds, one in found[:3]))
        print(f"  {json.dumps(found[0][1].source)[:300]}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{len(tried)} sources, {peak} MB at most: " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common()))
    print(f"over the bounds: {slow}")
    print(f"wrong ends: {wrong}")
    return 1 if wrong else 0
