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


# How many turns there are at least, with those of each loop: one in 256 steps, or in 1,024 where a step is short.
SOURCES: dict[str, tuple[int, Callable[[ff.Tokenizer], ff.Grammar]]] = {
    "enum": (150, _schema({"enum": [f"v{i}" for i in range(MANY)]})),
    "enum of numbers": (95, _schema({"enum": list(range(MANY))})),
    "properties": (450, _schema({"properties": {f"p{i}": {"type": "string"} for i in range(MANY)}})),
    "anyOf": (280, _schema({"anyOf": [{"const": f"v{i}"} for i in range(MANY)]})),
    "allOf": (75, _schema({"allOf": [{"minimum": i} for i in range(MANY)]})),
    "pattern": (165, _schema({"pattern": "(a|b)" * MANY})),
    "gbnf": (60, lambda tok: ff.compile_gbnf("root ::= " + " ".join(['"a"'] * MANY), tok)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_long_loop_gives_turns(name: str, cl100k: ff.Tokenizer) -> None:
    turns = 0
    least, compile_source = SOURCES[name]

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal turns
        turns += event == "call" and frame.f_code is turn.__code__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        compile_source(cl100k)
    finally:
        sys.setprofile(before)
    assert turns >= least
