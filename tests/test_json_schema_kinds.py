"""`oneOf` of many kinds of objects: right, and cheap where a key tells them apart."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from oracle.schemas import is_valid, orders, spelled
from sentences import BYTES, is_sentence

VALUES: list[Any] = ["a", "b", "c", 1, 2, None, True]
KEYS = ["t", "x", "y", "z"]
DOCUMENTS: list[Any] = [5, "a", {}, {"w": 1}]
DOCUMENTS += [list(items) for size in range(3) for items in itertools.product(VALUES, repeat=size)]
DOCUMENTS += [
    {key: value for key, value in zip(KEYS, some, strict=True) if value != "none"}
    for some in itertools.product(["none", *VALUES], ("none", 1, "a"), ("none", 1), ("none", "a"))
]


def _branch(random: Random, number: int) -> Any:
    """A kind of objects: with a tag that may be missing, or with keys of its own, or with neither."""
    properties: dict[str, Any] = {}
    if random.random() < 0.8:
        tag = VALUES[number % len(VALUES)]
        properties["t"] = {"const": tag} if random.random() < 0.7 else {"enum": [tag, f"v{number}"]}
    if random.random() < 0.4:
        named = {"description": f"a number {random.randrange(3)}", "type": "integer"}
        properties[random.choice(KEYS)] = random.choice([{"type": "integer"}, named, {"type": "string"}, {}, False])
    if random.random() < 0.3:
        properties[f"k{number // random.randrange(1, 3)}"] = {"type": "integer"}
    branch: dict[str, Any] = {"type": "object", "properties": properties}
    if random.random() < 0.4:
        branch["additionalProperties"] = random.choice([False, False, {"type": "integer"}, True])
    if random.random() < 0.3:
        branch["required"] = random.sample(KEYS, random.randrange(1, 3))
    kind = random.random()
    if kind < 0.05:
        branch["minProperties"] = 1
    elif kind < 0.1:
        branch = {"allOf": [branch, {"patternProperties": {"^[xy]$": {"type": "integer"}}}]}
    elif kind < 0.15:
        branch = {"anyOf": [branch, {"type": "integer"}]}
    elif kind < 0.3:
        del branch["type"]
    return branch


def _array(random: Random, number: int) -> Any:
    """A kind of arrays, told apart by the first item or not at all."""
    branch: dict[str, Any] = {"type": "array", "prefixItems": [{"const": VALUES[number % len(VALUES)]}]}
    if random.random() < 0.3:
        branch["items"] = random.choice([False, {"type": "integer"}, {"type": "string"}])
    if random.random() < 0.2:
        branch["minItems"] = random.randrange(3)
    if random.random() < 0.1:
        branch["prefixItems"][0] = random.choice([True, {"type": "integer"}])
    if random.random() < 0.1:
        branch["contains"] = {"const": 1}
    if random.random() < 0.05:
        del branch["type"]
    return branch


def _schema(random: Random) -> dict[str, Any]:
    count = random.randrange(8, 12)
    make = _array if random.random() < 0.25 else _branch
    branches = [make(random, number) for number in range(count)]
    if random.random() < 0.3:
        branches = [*branches, *branches[: random.randrange(1, 3)]]
    schema: dict[str, Any] = {"oneOf": branches}
    if random.random() < 0.2:
        schema["unevaluatedProperties"] = False
    if random.random() < 0.2:
        schema = {"type": "object", "not": schema}
    if random.random() < 0.2:
        schema = {"if": schema, "then": {"required": ["x"]}, "else": {"properties": {"x": False}}}
    return schema


@pytest.mark.parametrize("seed", range(25))
def test_random_kinds(seed: int) -> None:
    random = Random(seed)
    schema = _schema(random)
    try:
        grammar = ff.compile_json_schema(schema, BYTES, property_order="any", whitespace="compact")
    except ff.GrammarError as error:
        assert "no value obeys" in str(error)
        assert not any(is_valid(schema, document) for document in DOCUMENTS)
        return
    except ff.LimitError:
        return
    for document in random.sample(DOCUMENTS, 60):
        accepted = any(is_sentence(grammar, spelled(one, True)) for one in orders(document))
        assert accepted == is_valid(schema, document), (schema, document)


def _tagged(n: int) -> list[dict[str, Any]]:
    return [{"type": "object", "properties": {"t": {"const": f"k{i}"}}} for i in range(n)]


def _owning(n: int) -> list[dict[str, Any]]:
    grant = {"properties": {"g": {"type": "boolean"}}, "additionalProperties": False}
    return [{"type": "object", "properties": {f"k{i}": grant}, "additionalProperties": False} for i in range(n)]


def _fields(n: int, sharing: int = 2) -> list[dict[str, Any]]:
    return [
        {
            "type": "object",
            "properties": {
                "type": {"enum": [f"k{i}"]},
                "name": {"type": "string"},
                f"p{i // sharing}": {"type": "number"},
            },
            "additionalProperties": False,
        }
        for i in range(n)
    ]


def _items(n: int) -> list[dict[str, Any]]:
    return [{"type": "array", "prefixItems": [{"const": f"k{i}"}]} for i in range(n)]


def _described(n: int) -> list[dict[str, Any]]:
    return [
        {
            "title": f"kind {i}",
            "type": "object",
            "properties": {"id": {"type": "string", "description": f"of {i}"}, "title": {"const": f"k{i}"}},
        }
        for i in range(n)
    ]


def _untyped(n: int) -> list[dict[str, Any]]:
    return [{"properties": {"t": {"const": f"k{i}"}}, "required": ["t"]} for i in range(n)]


@pytest.mark.parametrize(
    ("branches", "texts"),
    [
        (_tagged(400), {b'{"t":"k3"}': True, b'{"t":"k400"}': False, b"{}": False, b'{"t":"k3","u":1}': True}),
        (_owning(400), {b'{"k7":{"g":true}}': True, b"{}": False, b'{"k7":{},"k8":{}}': False}),
        (
            _fields(150),
            {b'{"name":"a"}': False, b'{"type":"k4","p2":1}': True, b'{"type":"k4","p3":1}': False},
        ),
        (
            _fields(400, sharing=1),
            {b'{"name":"a"}': False, b'{"p4":1}': True, b'{"type":"k4","p4":1}': True, b'{"type":"k4","p3":1}': False},
        ),
        ([*_tagged(300), {"type": "object", "required": ["u"]}], {b'{"u":1}': False, b'{"t":"a","u":1}': True}),
        ([*_tagged(300), {"type": "integer"}], {b"1": True, b"{}": False}),
        ([*_owning(300), {"type": "object", "maxProperties": 0}], {b"{}": False, b'{"k3":{}}': True}),
        (_items(300), {b'["k3"]': True, b"[]": False, b'["k3",1]': True, b'["k300"]': False, b"1": False}),
        (_untyped(300), {b'{"t":"k3"}': True, b"{}": False, b"1": False}),
        (_described(300), {b'{"title":"k3"}': True, b"{}": False, b'{"id":"a"}': False}),
    ],
    ids=[
        "tags",
        "own keys",
        "fields",
        "own fields",
        "tags and another",
        "tags and an integer",
        "own keys and none",
        "items",
        "untyped",
        "described",
    ],
)
def test_hundreds_of_kinds(cl100k: ff.Tokenizer, branches: list[Any], texts: dict[bytes, bool]) -> None:
    """Under the bounds for strangers, which allow no product of every two."""
    grammar = ff.compile_json_schema({"oneOf": branches}, cl100k, limits=ff.Limits.public())
    for text, valid in texts.items():
        assert is_sentence(grammar, text) == valid, text
