"""Random walks under the mask: they never get stuck, and end with a valid document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar_cli.bench.data import load_schemas
from oracle.schemas import is_valid, schemas, spelled
from sentences import BYTES, is_sentence

# After CHANCE bytes a walk takes the shortest way to the end; at LONGEST bytes it gives up.
CHANCE = 40
LONGEST = 3000


def allowed(matcher: ff.Matcher, mask: Any) -> list[int]:
    """The bytes that may follow."""
    matcher.fill_bitmask(mask)
    return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")[:256]).tolist()


def walk(grammar: ff.Grammar, random: Random) -> bytes | None:
    """The text of one walk; None if it did not end in time."""
    matcher = grammar.matcher()
    mask = ff.allocate_bitmask(1, 256)
    text = b""
    taken: Counter[tuple[int, int]] = Counter()
    while len(text) < LONGEST:
        following = allowed(matcher, mask)
        done = matcher.is_accepting()
        if not following and not done:
            # dead ends that the grammar cannot avoid have a warning
            assert grammar.warnings, text
            return None
        if done and (not following or len(text) >= CHANCE or random.random() < 0.1):
            return text
        if len(text) < CHANCE:
            # mostly punctuation: otherwise half of all walks would never leave their first string
            marks = [byte for byte in following if byte in b'{}[],:"']
            byte = random.choice(marks if marks and random.random() < 0.7 else following)
        else:
            byte = min(following, key=lambda byte: cost(matcher, byte, taken))
            taken[matcher.distance(), byte] += 1
        assert matcher.accept_bytes(bytes([byte])) == 1, text
        text += bytes([byte])
    return None


def cost(matcher: ff.Matcher, byte: int, taken: Counter[tuple[int, int]]) -> float:
    """The distance to the end after a byte; bytes that were tried at this distance before count as farther."""
    here = matcher.distance()
    matcher.accept_bytes(bytes([byte]))
    there = matcher.distance()
    matcher.rollback(1)
    return there + taken[here, byte] / 4


@settings(max_examples=2 * settings.default.max_examples, suppress_health_check=list(HealthCheck))
@given(schema=schemas, order=st.sampled_from(["schema", "any"]), seed=st.integers(0, 2**32))
def check(schema: Any, order: str, seed: int) -> None:
    """One walk under a random schema; the results are counted in `seen`."""
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
    try:
        value = json.loads(text, parse_float=exact_float)
    except OverflowError:
        return
    assert is_valid(schema, value) is not False, (schema, text)
    # in the schema's order, a changed key may be out of order
    for changed in mutations(value, Random(seed)) if order == "any" else ():
        if has_fractions(changed):
            continue
        expected = is_valid(schema, changed)
        assert expected in (None, is_sentence(grammar, spelled(changed, compact=True))), (schema, changed)
        seen["changed values, valid" if expected else "changed values, invalid"] += 1


def exact_float(text: str) -> float:
    """A number as a float, as jsonschema sees it; raises OverflowError if that is a different number."""
    try:
        same = Decimal(repr(float(text))) == Decimal(text)
    except InvalidOperation:
        same = False
    if not same:
        raise OverflowError
    return float(text)


def mutations(value: Any, random: Random) -> list[Any]:
    """Values that differ from a value in one part."""
    other = random.choice([None, True, 0, 1, 7, "", "a", "ab", [], [1, 1], {}, {"a": 1}])
    if isinstance(value, list):
        index = random.randrange(len(value) + 1)
        found = [[*value[:index], other, *value[index:]], value[:index] + value[index + 1 :], value + value[:1]]
        return found + [
            [*value[:place], new, *value[place + 1 :]]
            for place in range(len(value))
            for new in mutations(value[place], random)[:2]
        ]
    if isinstance(value, dict):
        found = [{key: value[key] for key in value if key != left_out} for left_out in value]
        found += [{**value, key: other} for key in [*value, random.choice("abc")]]
        return found + [{**value, key: new} for key in value for new in mutations(value[key], random)[:2]]
    return [other, [value], {"a": value}]


def has_fractions(value: Any) -> bool:
    """Whether some number is a float: jsonschema takes 1.0 for an integer, `integer_spelling="plain"` does not."""
    if isinstance(value, (list, dict)):
        return any([has_fractions(one) for one in (value.values() if isinstance(value, dict) else value)])
    return isinstance(value, float)


seen: Counter[str] = Counter()


def test_random_schemas(covered: Callable[[str], None]) -> None:
    seen.clear()
    check()
    assert seen["walks"] > 10 * seen["too long"]
    assert seen["changed values, valid"] and seen["changed values, invalid"]
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
