"""Hostile schemas of several cycles: subschemas that apply to one value, and come back to their beginnings after
different numbers of levels."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hostile.sources import PRIMES, Made

__all__ = ["cycles"]

# What a subschema says of the next one in its cycle, and whether a value must have a next one.
_Step = Callable[[Any, bool], dict[str, Any]]


def _ring(lengths: tuple[int, ...], step: _Step, join: str = "allOf") -> dict[str, Any]:
    """Cycles of these lengths side by side. Only the first subschema of a cycle does not need a next one."""
    schemas = {}
    for length in lengths:
        for at in range(length):
            following = {"$ref": f"#/$defs/{length}_{(at + 1) % length}"}
            schemas[f"{length}_{at}"] = step(following, at > 0)
    return {join: [{"$ref": f"#/$defs/{length}_0"} for length in lengths], "$defs": schemas}


def _object(next: Any, needed: bool, **more: Any) -> dict[str, Any]:
    required = {"required": ["n"]} if needed else {}
    return {"type": "object", "properties": {"n": next, **more}, **required}


STEPS: dict[str, tuple[_Step, bytes]] = {
    "one property": (_object, b'{"n":{"n":'),
    "two properties": (lambda next, needed: _object(next, needed, m=next), b'{"n":{"m":'),
    "another property": (lambda next, needed: _object(next, needed, m={"type": "integer"}), b'{"n":{"m":1'),
    "items": (
        lambda next, needed: {"type": "array", "items": next, **({"minItems": 1} if needed else {})},
        b"[[[",
    ),
    "items that may be missing": (lambda next, _: {"type": "array", "items": next}, b"[[["),
    "one item": (
        lambda next, needed: {"type": "array", "items": next, "minItems": int(needed), "maxItems": 1},
        b"[[[",
    ),
    "prefixItems": (
        lambda next, needed: {"type": "array", "prefixItems": [next], "items": False, "minItems": int(needed)},
        b"[[[",
    ),
    "prefixItems, then any": (
        lambda next, needed: {"type": "array", "prefixItems": [next], "minItems": int(needed)},
        b"[[[",
    ),
    "a second item": (
        lambda next, needed: {"type": "array", "prefixItems": [{"type": "integer"}, next], "minItems": 2 * needed},
        b"[1,[1,[",
    ),
    "additionalProperties": (
        lambda next, needed: {
            "type": "object",
            "additionalProperties": next,
            **({"minProperties": 1} if needed else {}),
        },
        b'{"a":{"b":',
    ),
    "additionalProperties that may be missing": (
        lambda next, _: {"type": "object", "additionalProperties": next},
        b'{"a":{"b":',
    ),
    "patternProperties": (
        lambda next, needed: {
            "type": "object",
            "patternProperties": {"^n": next},
            **({"required": ["n"]} if needed else {}),
        },
        b'{"n":{"n":',
    ),
    "or null": (lambda next, needed: _object({"anyOf": [next, {"type": "null"}]}, needed), b'{"n":{"n":'),
    "one of it and null": (lambda next, needed: _object({"oneOf": [next, {"type": "null"}]}, needed), b'{"n":{"n":'),
    "anyOf around": (
        lambda next, needed: {"anyOf": [_object(next, needed), {"type": "string"}]},
        b'{"n":{"n":',
    ),
    "allOf around": (lambda next, needed: {"allOf": [{"allOf": [_object(next, needed)]}]}, b'{"n":{"n":'),
    "allOf inside": (lambda next, needed: _object({"allOf": [{"allOf": [next]}]}, needed), b'{"n":{"n":'),
    "allOf of parts": (
        lambda next, needed: {
            "type": "object",
            "allOf": [{"properties": {"n": next}}, {"required": ["n"] if needed else []}],
        },
        b'{"n":{"n":',
    ),
    "annotations": (
        lambda next, needed: {"title": "t", "description": repr(next), **_object(next, needed)},
        b'{"n":{"n":',
    ),
    "closed": (lambda next, needed: {**_object(next, needed), "additionalProperties": False}, b'{"n":{"n":'),
    "unevaluatedProperties": (
        lambda next, needed: {**_object(next, needed), "unevaluatedProperties": False},
        b'{"n":{"n":',
    ),
    "a condition inside": (
        lambda next, needed: (
            {"type": "object", "if": {"required": ["m"]}, "then": {"properties": {"n": next}}}
            | ({"required": ["n"]} if needed else {})
        ),
        b'{"n":{"n":',
    ),
    "a condition and the rest": (
        lambda next, needed: {**_object(next, needed), "if": {"required": ["m"]}, "then": {"required": ["k"]}},
        b'{"n":{"n":',
    ),
    "dependentSchemas": (
        lambda next, needed: (
            {"type": "object", "dependentSchemas": {"n": {"properties": {"n": next}}}}
            | ({"required": ["n"]} if needed else {})
        ),
        b'{"n":{"n":',
    ),
    "minProperties": (
        lambda next, needed: (
            {"type": "object", "properties": {"n": next}, "additionalProperties": False}
            | ({"minProperties": 1} if needed else {})
        ),
        b'{"n":{"n":',
    ),
    "contains": (
        lambda next, needed: {"type": "array", "contains": next} if needed else {"type": "array"},
        b"[[[",
    ),
    "definitions of their own": (
        lambda next, needed: {"$defs": {"x": next}, **_object(next, needed)},
        b'{"n":{"n":',
    ),
}


def _mixed(n: int) -> dict[str, Any]:
    """Each cycle goes on in its own way: by name, by pattern, by what is left."""
    ways: list[_Step] = [
        _object,
        lambda next, needed: {"type": "object", "additionalProperties": next},
        lambda next, needed: (
            {"type": "object", "patternProperties": {"^n$": next}} | ({"required": ["n"]} if needed else {})
        ),
    ]
    merged: dict[str, Any] = {"allOf": [], "$defs": {}}
    for number, length in enumerate(PRIMES[:n]):
        one = _ring((length,), ways[number % 3])
        merged["allOf"] += one["allOf"]
        merged["$defs"] |= one["$defs"]
    return merged


def _dynamic(n: int) -> dict[str, Any]:
    made = _ring(tuple(PRIMES[:n]), _object)
    text = json.dumps(made).replace('"$ref": "#/$defs/', '"$dynamicRef": "#a')
    made = json.loads(text)
    for name, schema in made["$defs"].items():
        schema["$dynamicAnchor"] = "a" + name
    return made


def cycles() -> Made:
    """Cycles of several lengths, joined in many ways."""
    for n in (5, 7):
        for name, (step, text) in STEPS.items():
            yield f"{n} cycles: {name}", "json", _ring(tuple(PRIMES[:n]), step), text
        yield f"{n} cycles: mixed", "json", _mixed(n), b'{"n":{"n":'
        yield f"{n} cycles: $dynamicRef", "json", _dynamic(n), b'{"n":{"n":'
        for join in ("anyOf", "oneOf"):
            yield f"{n} cycles: {join}", "json", _ring(tuple(PRIMES[:n]), _object, join), b'{"n":{"n":'
        own = {
            "not": {"anyOf": _ring(tuple(PRIMES[:n]), _object)["allOf"]},
            "$defs": _ring(tuple(PRIMES[:n]), _object)["$defs"],
        }
        yield f"{n} cycles: not", "json", own, b'{"n":{"n":'
        # two trees: n and m go on in different cycles
        both = _ring(tuple(PRIMES[:n]), _object)
        for key, schema in both["$defs"].items():
            length, at = map(int, key.split("_"))
            schema["properties"]["m"] = {"$ref": f"#/$defs/{length}_{(at + 2) % length}"}
        yield f"{n} cycles: two steps", "json", both, b'{"n":{"m":'
        names = _ring(tuple(PRIMES[:n]), _object)
        for key, schema in names["$defs"].items():
            schema["properties"]["at"] = {"const": key}
        yield f"{n} cycles: a constant each", "json", names, b'{"n":{"at":'
        tagged = _ring(tuple(PRIMES[:n]), _object)
        for key, schema in tagged["$defs"].items():
            length, at = map(int, key.split("_"))
            schema["properties"][f"k{length}"] = {"type": "integer"}
        yield f"{n} cycles: a property each", "json", tagged, b'{"n":{"k2":1'
        inner = _ring(tuple(PRIMES[:n]), _object)
        yield (
            f"{n} cycles: inside a property",
            "json",
            {"properties": {"x": {"allOf": inner["allOf"]}}, "$defs": inner["$defs"]},
            b'{"x":{"n":',
        )
        yield (
            f"{n} cycles: inside an array",
            "json",
            {"items": {"allOf": inner["allOf"]}, "$defs": inner["$defs"]},
            b'[{"n":{"n":',
        )
        halves = inner["allOf"]
        nested = {
            "allOf": [{"allOf": [{"allOf": halves[:2]}, *halves[2:3]]}, {"allOf": halves[3:]}],
            "$defs": inner["$defs"],
        }
        yield f"{n} cycles: three levels of allOf", "json", nested, b'{"n":{"n":'
    for lengths in ((12, 18, 30), (64, 81, 125), (2, 3, 5, 7, 11), (30, 31, 37, 41), (1, 1, 2), (100, 101, 103)):
        yield f"cycles of {lengths}", "json", _ring(lengths, _object), b'{"n":{"n":'
