"""The mutators of the fuzzers: a front-end gets far with what they make."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

import ffgrammar as ff
from fuzz.mutators import MUTATORS
from fuzz.seeds import donors

ROUNDS = 60
COMPILERS: dict[str, Callable[..., ff.Grammar]] = {
    "json_schema": ff.compile_json_schema,
    "structural_tag": ff.compile_structural_tag,
    "lark": ff.compile_lark,
    "gbnf": ff.compile_gbnf,
    "ebnf": ff.compile_ebnf,
}


def changed(name: str) -> list[str]:
    chance = random.Random(3)
    texts = sorted(donors(name), key=len)[:100]
    return [MUTATORS[name](chance.choice(texts), texts, chance) for _ in range(ROUNDS)]


@pytest.mark.parametrize("name", ["json_schema", "structural_tag", "compiled_file"])
def test_changed_json_is_json(name: str) -> None:
    values: list[Any] = [json.loads(text) for text in changed(name)]
    assert len({json.dumps(value) for value in values}) > ROUNDS / 2


@pytest.mark.parametrize("name", COMPILERS)
def test_a_part_of_the_changed_sources_compiles(name: str) -> None:
    tokenizer = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)] + [b""], 256)
    compiled = 0
    for text in changed(name):
        try:
            COMPILERS[name](text, tokenizer, limits=ff.Limits.public())
            compiled += 1
        except ff.FFGrammarError:
            continue
    assert compiled >= ROUNDS / 20


def test_chance_alone_decides() -> None:
    assert changed("lark") == changed("lark")
