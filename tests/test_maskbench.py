"""A sample of MaskBench: no wrong accept, no wrong reject beyond property order; and the bench's own parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ffgrammar_cli.bench.data import load_schemas
from ffgrammar_cli.bench.engines import FFGrammar
from ffgrammar_cli.bench.order import reorderings
from ffgrammar_cli.bench.report import figures
from ffgrammar_cli.bench.walk import run_schema
from ffgrammar_cli.options import VocabularyName

SCHEMAS = 250


@pytest.mark.slow
def test_sample(shared_dir: Path, covered: Callable[[str], None]) -> None:
    engine = FFGrammar(VocabularyName("cl100k_base"))
    engine.load()
    statuses: Counter[str] = Counter()
    wrong = []
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz", sample=SCHEMAS, seed=11):
        result = run_schema(engine, schema, forced=False)
        statuses[result.status] += 1
        if result.status not in ("pass", "refused", "wrong reject by property order"):
            wrong.append(f"{schema.id}: {result.status}: {result.detail}")
    covered(", ".join(f"{count} {status}" for status, count in statuses.most_common()))
    assert wrong == []
    assert statuses["pass"] >= 0.59 * SCHEMAS


@pytest.mark.parametrize(
    ("schema", "data", "expected"),
    [
        ({"properties": {"a": {}, "b": {}}}, {"b": 1, "c": 2, "a": 3}, {"a": 3, "b": 1, "c": 2}),
        (
            {"items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"properties": {"k": {}, "j": {}}}}},
            [{"j": 1, "k": 2}],
            [{"k": 2, "j": 1}],
        ),
        ({"allOf": [{"properties": {"p": {}}}, {"required": ["q"]}]}, {"q": 1, "p": 2}, {"p": 2, "q": 1}),
        (
            {"additionalProperties": {"properties": {"m": {}, "n": {}}}},
            {"any": {"n": 1, "m": 2}},
            {"any": {"m": 2, "n": 1}},
        ),
    ],
)
def test_keys_in_schema_order(schema: Any, data: Any, expected: Any) -> None:
    found = [json.dumps(one) for one in reorderings(data, schema)]
    assert json.dumps(expected) in found


def test_a_document_in_order_has_no_other_readings() -> None:
    assert list(reorderings({"a": 1, "b": [1, 2]}, {"properties": {"a": {}, "b": {}}})) == []


def test_figures() -> None:
    found = figures([1000 * number for number in range(1, 1001)])
    assert found == {"avg": 500.5, "p50": 500.5, "p90": 900.1, "p99": 990.01, "p99.9": 999.0, "max": 1000.0}
    assert figures([]) == {}
