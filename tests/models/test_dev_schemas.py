"""A few of the development schemas, written in all ways; `models.dev_schemas` writes hundreds."""

from __future__ import annotations

from typing import Any

import pytest

import ffgrammar as ff
from models.dev_schemas import compare, dev_schemas, judge, ways
from shared_data import shared_dir


def test_the_judge() -> None:
    schema = {"type": "string", "format": "date"}
    assert [judge(schema, text) for text in ('"2024-02-29"', '"2023-02-29"', "1", "{")] == ["valid"] + 3 * ["invalid"]


def test_some_schemas(model: Any, hf_tokenizer: Any, llama: Any, tok: ff.Tokenizer) -> None:
    shared = shared_dir()
    if shared is None:
        pytest.skip("no shared data: set FFGRAMMAR_SHARED")
    told: list[str] = []
    found = compare(dev_schemas(shared, 6), tok, ways(model, hf_tokenizer, llama, tok), told.append)
    left_out = found.pop("left out")
    assert len(found) == 8 and not told
    assert all(counts["valid"] >= 4 and not counts["invalid"] for counts in found.values())
    assert sum(left_out.values()) <= 1
