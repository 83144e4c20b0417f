"""Tools, calls of them that are drawn at random, and how an answer's text is given to a matcher."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import ffgrammar as ff

__all__ = ["SCHEMAS", "TOOLS", "VALUES", "accepts", "draw_calls", "pieces", "with_special"]

SCHEMAS: dict[str, dict[str, Any]] = {
    "get": {"type": "object", "properties": {}, "additionalProperties": False},
    "get_weather": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "where"},
            "days": {"type": "integer", "minimum": 1},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "hours": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
    "get_time": {
        "type": "object",
        "properties": {
            "zone": {"$ref": "#/$defs/zone"},
            "at": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "note": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]},
        },
        "required": ["zone", "at"],
        "additionalProperties": False,
        "$defs": {"zone": {"type": "string", "pattern": "^[A-Z]+$"}},
    },
}
TOOLS = [{"type": "function", "function": {"name": name, "parameters": one}} for name, one in SCHEMAS.items()]
VALUES: dict[str, list[Any]] = {
    "city": ["Oslo", "a\nb", 'q"<\\x', "", "日本", "</param", "null", "{}"],
    "days": [1, 12, 0, "x"],
    "unit": ["celsius", "fahrenheit", "kelvin"],
    "hours": [[], [1, 2], ["x"]],
    "zone": ["UTC", "CET", "utc", ""],
    "at": [1.5, None, -3, "x"],
    "note": ["abc", None, "too long", ""],
}


def with_special(cl100k: ff.Tokenizer, names: tuple[str, ...]) -> ff.Tokenizer:
    tokens: list[bytes | None] = [cl100k.token_bytes(one) for one in range(100_256)]
    ids = {name: 100_256 + number for number, name in enumerate(names)}
    return ff.Tokenizer.from_tokens(
        [*tokens, *[None] * len(names), None], 100_256 + len(names), {**ids, "<eos>": 100_256 + len(names)}
    )


def pieces(text: str, tok: ff.Tokenizer) -> Iterator[bytes | int]:
    """A text as bytes and special tokens."""
    names = sorted(tok.special_tokens, key=len, reverse=True)
    for one in re.split("(" + "|".join(map(re.escape, names)) + ")", text):
        if one in tok.special_tokens:
            yield tok.special_tokens[one]
        elif one:
            yield one.encode("utf-8", "surrogateescape")


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    for one in pieces(text, grammar.tokenizer):
        if isinstance(one, int):
            if not matcher.accept_token(one):
                return False
        elif matcher.accept_bytes(one) != len(one):
            return False
    return matcher.is_accepting()


def draw_calls(rng: random.Random, count: int) -> list[tuple[str, Any]]:
    calls = []
    for _ in range(count):
        name = rng.choice(list(SCHEMAS))
        properties = SCHEMAS[name]["properties"]
        required = SCHEMAS[name].get("required", ())
        # the first values are valid ones
        valid = rng.random() < 0.75
        given = {
            key: rng.choice(VALUES[key][: 2 if valid else None])
            for key in properties
            if rng.random() < 0.7 or (valid and key in required)
        }
        if not valid and rng.random() < 0.3:
            given = dict(reversed(given.items()))
        calls.append((name, given))
    return calls
