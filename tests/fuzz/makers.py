"""Random values for the keys of schemas and of structural tags."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD, KEYWORDS, Holds

__all__ = ["NAMES", "scalar", "schema_value", "tag_value"]

NUMBERS = [0, 1, -1, 2, 3, 7, 10, 63, 64, 255, 1000, 10**9, 2**53, 10**30, 0.5, -0.0, 0.1, 1e-7, 1.5e300, 2.0]
STRINGS = ["", "a", "ab", "b", "aé", "\0", "\U0001f600", '"', "\\", "/", "~0", "#", " ", "x" * 40, "1", "-"]
OTHERS: list[Any] = [None, True, False, [], {}]
NAMES = ["a", "b", "c", "a/b", "~", "", "é", "$ref", "toString"]
PATTERNS = [
    *(
        "^a",
        "a$",
        "^[a-c]+$",
        "a|b",
        "(ab){2,5}",
        "^.{0,8}$",
        r"\d+",
        r"^\w*$",
        r"[^\"\\]",
        "(?=a)b*",
        "(?!a).",
        "a*?b",
    ),
    *(r"^\p{L}$", r"\bword\b", "é", "^$", "", r"\u00e9", "(?:x|xy|xyz)*", "^(?!.*aa).*$", "[", "(?<=a)b", r"\1"),
]
FORMATS = ["date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname", "regex", "duration", "xyz"]
DRAFTS = ["2020-12/schema", "2019-09/schema", "draft-07/schema#", "draft-06/schema#", "draft-04/schema#"]
REFERENCES = [
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#/properties/a",
    "#a",
    "b",
    "#/definitions/a",
    "#/items",
    "#/allOf/0",
    "x:y",
]
TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]
COUNTS = [0, 1, 2, 3, 5, 12, 60, 1000]
TAGS = ["const_string", "json_schema", "regex", "grammar", "any_text", "tag", "sequence", "or", "triggered_tags"]
TAGS += ["tags_with_separator", "optional", "plus", "star", "repeat", "token", "exclude_token", "any_tokens"]
# Schemas that end what is made at random.
PLAIN: list[Any] = [
    True,
    False,
    {},
    {"$ref": "#"},
    {"type": "string"},
    {"enum": [1, "a"]},
    {"minimum": 3},
    {"pattern": "a"},
]
MAX_DEPTH = 3


def scalar(chance: Random) -> Any:
    """A value with no values in it."""
    return copy.copy(chance.choice(chance.choice([NUMBERS, STRINGS, OTHERS])))


def schema_value(key: str, chance: Random, depth: int = 0) -> Any:
    """A value for a keyword of JSON Schema; for another key a schema. Now and then it is of a wrong type."""
    if chance.random() < 0.03:
        return scalar(chance)
    row = BY_WORD.get(key)
    holds = Holds.SCHEMA if row is None else row.holds
    if holds is Holds.NOTHING:
        return _SCALARS.get(key, scalar)(chance)
    if holds is Holds.MAP:
        return {chance.choice(NAMES): _schema(chance, depth) for _ in range(chance.randint(1, 3))}
    if holds is Holds.LIST or (holds is Holds.SCHEMA_OR_LIST and chance.random() < 0.2):
        return [_schema(chance, depth) for _ in range(chance.randint(1, 3))]
    return _schema(chance, depth)


def _schema(chance: Random, depth: int) -> Any:
    if depth == MAX_DEPTH or chance.random() < 0.3:
        return copy.deepcopy(chance.choice(PLAIN))
    rows = chance.sample(KEYWORDS, chance.choice([1, 1, 2, 3]))
    return {row.word: schema_value(row.word, chance, depth + 1) for row in rows}


def tag_value(key: str, chance: Random, depth: int = 0) -> Any:
    """A value for a key of structural tags; for an unknown key a tag."""
    if key in ("elements", "tags"):
        return [tag_value("", chance, depth + 1) for _ in range(chance.randint(0, 3))]
    if key in ("triggers", "excludes", "begin", "end", "value", "separator", "pattern"):
        texts = [chance.choice(["<a>", "</a>", "<", "a", "", "\n", "é", *PATTERNS]) for _ in range(2)]
        return texts if key in ("triggers", "excludes") else texts[0]
    if key == "json_schema":
        return schema_value("not", chance, 1)
    if key == "grammar":
        return 'root ::= "a" | "b" root'
    if key in ("at_least_one", "stop_after_first"):
        return chance.random() < 0.5
    if key in ("min", "max"):
        return chance.choice(COUNTS)
    if key == "type":
        return chance.choice(TAGS)
    kind = chance.choice(TAGS[:5] if depth == MAX_DEPTH else TAGS)
    keys = {"tag": ["begin", "content", "end"], "triggered_tags": ["triggers", "tags"], "sequence": ["elements"]}
    keys.update({"or": ["elements"], "tags_with_separator": ["tags", "separator"], "const_string": ["value"]})
    keys.update({"repeat": ["content", "min", "max"], "regex": ["pattern"], "json_schema": ["json_schema"]})
    return {"type": kind, **{key: tag_value(key, chance, depth + 1) for key in keys.get(kind, ["content"])}}


def _names(chance: Random) -> list[str]:
    return chance.sample(NAMES, chance.randint(1, 3))


_SCALARS: dict[str, Callable[[Random], Any]] = {
    "type": lambda chance: chance.choice(TYPES) if chance.random() < 0.7 else chance.sample(TYPES, 2),
    "enum": lambda chance: [scalar(chance) for _ in range(chance.randint(1, 4))],
    "pattern": lambda chance: chance.choice(PATTERNS),
    "format": lambda chance: chance.choice(FORMATS),
    "required": _names,
    "uniqueItems": lambda chance: chance.random() < 0.9,
    "dependentRequired": lambda chance: {chance.choice(NAMES): _names(chance)},
    "$schema": lambda chance: f"https://json-schema.org/draft/{chance.choice(DRAFTS)}",
    **dict.fromkeys(["$ref", "$dynamicRef", "$recursiveRef"], lambda chance: chance.choice(REFERENCES)),
    **dict.fromkeys(["$id", "id", "$anchor", "$dynamicAnchor"], lambda chance: chance.choice(NAMES)),
    **dict.fromkeys(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
        lambda chance: chance.choice(NUMBERS),
    ),
    **dict.fromkeys(
        [f"{end}{what}" for end in ("min", "max") for what in ("Length", "Items", "Properties", "Contains")],
        lambda chance: chance.choice(COUNTS),
    ),
}
