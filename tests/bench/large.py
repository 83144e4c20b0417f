"""Large schemas, generated: CPU time to compile, and the slowest mask where all keys or strings may follow and along
random tokens."""

from __future__ import annotations

import argparse
import json
from random import Random
from string import ascii_lowercase
from time import process_time
from typing import Any

import numpy as np

import ffgrammar as ff

TOKENS = 600


def word(random: Random, length: int = 8) -> str:
    return "".join(random.choices(ascii_lowercase, k=length))


def leaf(random: Random) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [
        {"type": "string"},
        {"type": "integer"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "maxLength": 30},
        {"enum": ["a", "b", "c"]},
    ]
    return random.choice(kinds)


def nested(random: Random, depth: int) -> dict[str, Any]:
    properties = {
        word(random): nested(random, depth - 1)
        if depth and random.random() < 0.5
        else {**leaf(random), "description": "some text here " * 2}
        for _ in range(8)
    }
    return {"type": "object", "description": "x" * 80, "properties": properties}


def megabytes(random: Random, count: int) -> dict[str, Any]:
    """A schema of about so many megabytes as JSON text."""
    properties: dict[str, Any] = {}
    size = 0
    while size < count * 1_000_000:
        name, schema = word(random), nested(random, 3)
        properties[name] = schema
        size += len(json.dumps({name: schema}))
    return {"type": "object", "properties": properties}


def slowest(grammar: ff.Grammar, random: Random) -> float:
    """The seconds of the slowest mask along random tokens."""
    size = grammar.tokenizer.vocab_size
    bitmask = ff.allocate_bitmask(1, size)
    matcher = grammar.matcher()
    found = 0.0
    for count in range(TOKENS):
        # first where all keys, or all strings, may follow
        if count < 2 and matcher.accept_bytes((b'{"', b'"')[count]) == 0:
            continue
        start = process_time()
        matcher.fill_bitmask(bitmask)
        found = max(found, process_time() - start)
        allowed = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")[:size])
        if not len(allowed) or not matcher.accept_token(int(random.choice(allowed))) or matcher.is_terminated():
            matcher.reset()
    return found


def main() -> None:
    argparse.ArgumentParser(prog="python tests/bench large", description=__doc__).parse_args()
    random = Random(1)
    tokenizer = ff.Tokenizer.from_tiktoken("cl100k_base")
    optional = {"type": "object", "properties": {word(random) + str(i): leaf(random) for i in range(3000)}}
    schemas = {
        "3,000 optional properties": optional,
        "20,000 strings": {"enum": [word(random, random.randint(4, 20)) for _ in range(20_000)]},
        "4 MB": megabytes(random, 4),
    }
    for name, schema in schemas.items():
        for order in ("schema", "any"):
            start = process_time()
            grammar = ff.compile_json_schema(schema, tokenizer, property_order=order)
            seconds = process_time() - start
            mask = slowest(grammar, random)
            print(f"{name:26} order {order:7} compile {seconds * 1e3:7.1f} ms   slowest mask {mask * 1e3:6.2f} ms")
