"""Large schemas, generated: the CPU time to compile them, and their slowest mask.

Masks are asked for where all keys or all strings may follow, and then along random tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from string import ascii_lowercase
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..options import VocabularyName
from ..sources import load_tokenizer

if TYPE_CHECKING:
    from ffgrammar import Grammar

__all__ = ["measure", "table"]

# Tokens that each grammar is walked along.
TOKENS = 600
LEAVES: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "array", "items": {"type": "string"}},
    {"type": "string", "maxLength": 30},
    {"enum": ["a", "b", "c"]},
]


def measure(named: VocabularyName) -> list[dict[str, Any]]:
    """A row for each schema and order of properties: their names, the milliseconds to compile, and those of the slowest
    mask."""
    from ffgrammar import compile_json_schema

    random = Random(1)
    tokenizer = load_tokenizer(named)
    rows = []
    for name, schema in list(_schemas(random)):
        for order in ("schema", "any"):
            start = process_time()
            grammar = compile_json_schema(schema, tokenizer, property_order=order)
            compiled = process_time() - start
            slowest = _slowest_mask(grammar, random)
            times = {"compile_ms": round(compiled * 1e3, 1), "slowest_mask_ms": round(slowest * 1e3, 2)}
            rows.append({"schema": name, "property_order": order, **times})
    return rows


def _schemas(random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = {_word(random) + str(number): random.choice(LEAVES) for number in range(3000)}
    yield "3,000 optional properties", {"type": "object", "properties": properties}
    yield "20,000 strings", {"enum": [_word(random, random.randint(4, 20)) for _ in range(20_000)]}
    yield "4 MB", _megabytes(random, 4)


def _word(random: Random, length: int = 8) -> str:
    return "".join(random.choices(ascii_lowercase, k=length))


def _megabytes(random: Random, count: int) -> dict[str, Any]:
    """A schema whose JSON text has about `count` megabytes."""
    properties: dict[str, Any] = {}
    size = 0
    while size < count * 1_000_000:
        name, schema = _word(random), _nested(random, 3)
        properties[name] = schema
        size += len(json.dumps({name: schema}))
    return {"type": "object", "properties": properties}


def _nested(random: Random, depth: int) -> dict[str, Any]:
    properties = {
        _word(random): _nested(random, depth - 1)
        if depth and random.random() < 0.5
        else {**random.choice(LEAVES), "description": "some text here " * 2}
        for _ in range(8)
    }
    return {"type": "object", "description": "x" * 80, "properties": properties}


def _slowest_mask(grammar: Grammar, random: Random) -> float:
    """The seconds of the slowest mask along random tokens."""
    from ffgrammar import allocate_bitmask

    size = grammar.tokenizer.vocab_size
    bitmask = allocate_bitmask(1, size)
    matcher = grammar.matcher()
    found = 0.0
    for count in range(TOKENS):
        # First where all keys, or all strings, may follow.
        if count < 2 and matcher.accept_bytes((b'{"', b'"')[count]) == 0:
            continue
        start = process_time()
        matcher.fill_bitmask(bitmask)
        found = max(found, process_time() - start)
        allowed = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")[:size])
        if not len(allowed) or not matcher.accept_token(int(random.choice(allowed))) or matcher.is_terminated():
            matcher.reset()
    return found


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The rows as lines for a terminal."""
    lines = ["", f"{'large schemas, ms of CPU time':<34}{'properties':>12}{'compile':>12}{'slowest mask':>16}"]
    for row in rows:
        times = f"{row['compile_ms']:>12.1f}{row['slowest_mask_ms']:>16.2f}"
        lines.append(f"{row['schema']:<34}{row['property_order']:>12}{times}")
    return lines
