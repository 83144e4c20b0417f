"""Long loops of the front-ends let other threads run, and the handlers of signals: they call `turn` now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.turn import turn

MANY = 20_000


def _schema(schema: dict[str, Any]) -> Callable[[ff.Tokenizer], ff.Grammar]:
    return lambda tok: ff.compile_json_schema(schema, tok)


SOURCES: dict[str, Callable[[ff.Tokenizer], ff.Grammar]] = {
    "enum": _schema({"enum": [f"v{i}" for i in range(MANY)]}),
    "enum of numbers": _schema({"enum": list(range(MANY))}),
    "properties": _schema({"properties": {f"p{i}": {"type": "string"} for i in range(MANY)}}),
    "anyOf": _schema({"anyOf": [{"const": f"v{i}"} for i in range(MANY)]}),
    "allOf": _schema({"allOf": [{"minimum": i} for i in range(MANY)]}),
    "pattern": _schema({"pattern": "(a|b)" * MANY}),
    "gbnf": lambda tok: ff.compile_gbnf("root ::= " + " ".join(['"a"'] * MANY), tok),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_long_loop_gives_turns(name: str, cl100k: ff.Tokenizer) -> None:
    turns = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal turns
        turns += event == "call" and frame.f_code is turn.__code__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        SOURCES[name](cl100k)
    finally:
        sys.setprofile(before)
    # (one in 256 steps, or in 1,024 where a step is short)
    assert turns >= MANY // 1100
