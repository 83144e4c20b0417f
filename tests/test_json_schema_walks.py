"""Walks under the mask: wherever chance leads, there is a way on, and at its end stands a valid document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ffgrammar as ff
from bench.data import load_schemas
from oracle.schemas import is_valid, schemas
from sentences import BYTES

# After so many bytes a walk takes the shortest way out, and has so many more for that.
CHANCE = 40
LONGEST = 3000


def allowed(matcher: ff.Matcher, mask: Any) -> list[int]:
    """The bytes that may follow."""
    matcher.fill_bitmask(mask)
    return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")[:256]).tolist()


def walk(grammar: ff.Grammar, random: Random) -> bytes | None:
    """The text of one walk; None if it found no end in time."""
    matcher = grammar.matcher()
    mask = ff.allocate_bitmask(1, 256)
    text = b""
    taken: Counter[tuple[int, int]] = Counter()
    while len(text) < LONGEST:
        following = allowed(matcher, mask)
        done = matcher.is_accepting()
        assert following or done, text
        if done and (not following or len(text) >= CHANCE or random.random() < 0.1):
            return text
        if len(text) < CHANCE:
            # mostly what has a meaning in JSON: half of all walks would never leave their first string
            marks = [byte for byte in following if byte in b'{}[],:"']
            byte = random.choice(marks if marks and random.random() < 0.7 else following)
        else:
            byte = min(following, key=lambda byte: cost(matcher, byte, taken))
            taken[matcher.distance(), byte] += 1
        assert matcher.accept_bytes(bytes([byte])) == 1, text
        text += bytes([byte])
    return None


def cost(matcher: ff.Matcher, byte: int, taken: Counter[tuple[int, int]]) -> float:
    """How far the end is after a byte; what was tried at this distance before, counts as farther."""
    here = matcher.distance()
    matcher.accept_bytes(bytes([byte]))
    there = matcher.distance()
    matcher.rollback(1)
    return there + taken[here, byte] / 4


@settings(suppress_health_check=list(HealthCheck))
@given(schema=schemas, order=st.sampled_from(["schema", "any"]), seed=st.integers(0, 2**32))
def check(schema: Any, order: str, seed: int) -> None:
    """One walk under a random schema; what was found is counted in `seen`."""
    try:
        grammar = ff.compile_json_schema(schema, BYTES, property_order=order, whitespace="compact")
    except ff.FFGrammarError:
        seen["not built"] += 1
        return
    text = walk(grammar, Random(seed))
    if text is None:
        seen["too long"] += 1
        return
    seen["walks"] += 1
    assert is_valid(schema, json.loads(text)) is not False, (schema, text)


seen: Counter[str] = Counter()


def test_random_schemas(covered: Callable[[str], None]) -> None:
    seen.clear()
    check()
    assert seen["walks"] > 10 * seen["too long"]
    covered(", ".join([f"{count} {what}" for what, count in seen.most_common()]))


@pytest.mark.parametrize("order", ["schema", "any"])
def test_real_schemas(shared_dir: Path, order: str, covered: Callable[[str], None]) -> None:
    found: Counter[str] = Counter()
    random = Random(0)
    for case in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz")[::40]:
        schema = case.schema
        try:
            grammar = ff.compile_json_schema(schema, BYTES, property_order=order, whitespace="compact")
        except ff.FFGrammarError:
            found["not built"] += 1
            continue
        text = walk(grammar, random)
        if text is None:
            found["too long"] += 1
            continue
        found["walks"] += 1
        kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
        assert kind(schema).is_valid(json.loads(text)), (case.id, text)
    assert found["walks"] > 10 * found["too long"]
    covered(", ".join([f"{count} {what}" for what, count in found.most_common()]))
