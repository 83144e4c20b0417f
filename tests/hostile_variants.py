"""Variants of the hostile sources that are known best: the same cost in another dress. Each has a text for masks."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from hostile_sources import LETTERS, PRIMES, WORDS, Hostile, string

__all__ = ["variants"]

# What a subschema says of the next one in its cycle, and whether a value must have a next one.
_Step = Callable[[Any, bool], dict[str, Any]]
_Made = Iterator[tuple[str, str, Any, bytes]]


def variants() -> Iterator[Hostile]:
    """All of them."""
    for made in (_cycles, _strings, _objects, _arrays, _choices, _lark):
        for fields in made():
            yield Hostile(*fields)


def ring(lengths: tuple[int, ...], step: _Step, join: str = "allOf") -> dict[str, Any]:
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
        one = ring((length,), ways[number % 3])
        merged["allOf"] += one["allOf"]
        merged["$defs"] |= one["$defs"]
    return merged


def _dynamic(n: int) -> dict[str, Any]:
    made = ring(tuple(PRIMES[:n]), _object)
    text = json.dumps(made).replace('"$ref": "#/$defs/', '"$dynamicRef": "#a')
    made = json.loads(text)
    for name, schema in made["$defs"].items():
        schema["$dynamicAnchor"] = "a" + name
    return made


def _cycles() -> _Made:
    for n in (5, 7):
        for name, (step, text) in STEPS.items():
            yield f"{n} cycles: {name}", "json", ring(tuple(PRIMES[:n]), step), text
        yield f"{n} cycles: mixed", "json", _mixed(n), b'{"n":{"n":'
        yield f"{n} cycles: $dynamicRef", "json", _dynamic(n), b'{"n":{"n":'
        for join in ("anyOf", "oneOf"):
            yield f"{n} cycles: {join}", "json", ring(tuple(PRIMES[:n]), _object, join), b'{"n":{"n":'
        own = {
            "not": {"anyOf": ring(tuple(PRIMES[:n]), _object)["allOf"]},
            "$defs": ring(tuple(PRIMES[:n]), _object)["$defs"],
        }
        yield f"{n} cycles: not", "json", own, b'{"n":{"n":'
        # two trees: n and m go on in different cycles
        both = ring(tuple(PRIMES[:n]), _object)
        for key, schema in both["$defs"].items():
            length, at = map(int, key.split("_"))
            schema["properties"]["m"] = {"$ref": f"#/$defs/{length}_{(at + 2) % length}"}
        yield f"{n} cycles: two steps", "json", both, b'{"n":{"m":'
        names = ring(tuple(PRIMES[:n]), _object)
        for key, schema in names["$defs"].items():
            schema["properties"]["at"] = {"const": key}
        yield f"{n} cycles: a constant each", "json", names, b'{"n":{"at":'
        tagged = ring(tuple(PRIMES[:n]), _object)
        for key, schema in tagged["$defs"].items():
            length, at = map(int, key.split("_"))
            schema["properties"][f"k{length}"] = {"type": "integer"}
        yield f"{n} cycles: a property each", "json", tagged, b'{"n":{"k2":1'
        inner = ring(tuple(PRIMES[:n]), _object)
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
        yield f"cycles of {lengths}", "json", ring(lengths, _object), b'{"n":{"n":'


def _strings() -> _Made:
    for n in (12, 20, 26):
        for name, make in {
            "ends": lambda c: f"{c}$",
            "begins": lambda c: f"^{c}",
            "twice": lambda c: f"{c}.*{c}",
            "even": lambda c: f"^[^{c}]*({c}[^{c}]*{c}[^{c}]*)*$",
            "in a word": lambda c: f"\\b{c}\\b",
            "pairs": lambda c: c * 2,
            "then x": lambda c: f"{c}x",
        }.items():
            branches = [string(pattern=make(letter)) for letter in LETTERS[:n]]
            yield f"exactly one of {n}: {name}", "json", {"oneOf": branches}, b'"aabb'
            yield f"all of {n}: {name}", "json", {"allOf": branches}, b'"aabb'
            yield f"none of {n}: {name}", "json", string(**{"not": {"anyOf": branches}}), b'"aabb'
            nots = [string(**{"not": branch}) for branch in branches]
            yield f"exactly one not of {n}: {name}", "json", {"oneOf": nots}, b'"aabb'
        yield (
            f"properties, exactly one of {n}",
            "json",
            {
                "oneOf": [
                    {"type": "object", "properties": {"a": {"type": "string", "pattern": c * 2}}, "required": ["a"]}
                    for c in LETTERS[:n]
                ]
            },
            b'{"a":"aa',
        )
        yield (
            f"keys, exactly one of {n}",
            "json",
            {"oneOf": [{"type": "object", "propertyNames": {"pattern": c * 2}} for c in LETTERS[:n]]},
            b'{"aa',
        )
        yield (
            f"words, exactly one of {n}",
            "json",
            {"oneOf": [string(pattern=word) for word in (WORDS * 2)[:n]]},
            b'"cadog',
        )
    for n in (8, 9, 10, 11, 12, 16):
        letters = LETTERS[:n]
        yield (
            f"{n} look-aheads, upper and lower",
            "json",
            string(pattern="^" + "".join(f"(?=.*[{c}{c.upper()}])" for c in letters) + ".{8,64}$"),
            b'"abxy',
        )
        yield (
            f"{n} look-aheads, twice",
            "json",
            string(pattern="^" + "".join(f"(?=.*{c}.*{c})" for c in letters) + ".*$"),
            b'"abxy',
        )
        yield (
            f"{n} look-aheads of words",
            "json",
            string(pattern="^" + "".join(f"(?=.*{w})" for w in WORDS[:n]) + ".{8,200}$"),
            b'"catdo',
        )
        yield f"{n} look-behinds", "json", string(pattern=".*$" + "".join(f"(?<={c}.*)" for c in letters)), b'"abxy'
        yield f"{n} look-aheads, regex", "regex", "".join(f"(?=.*{c})" for c in letters) + ".{8,64}", b"abxy"
        yield (
            f"exactly one of {n} passwords",
            "json",
            {"oneOf": [string(pattern=f"^(?=.*{c})(?=.*[0-9]).{{8,20}}$") for c in letters]},
            b'"abxy',
        )
        yield (
            f"all of {n} passwords",
            "json",
            {"allOf": [string(pattern=f"^(?=.*{c})(?=.*[0-9]).{{8,20}}$") for c in letters]},
            b'"abxy',
        )
        yield (
            f"{n} lengths",
            "json",
            string(allOf=[{"pattern": f"^(.{{{p}}}|.{{{p + 1}}})*$"} for p in range(2, n + 2)]),
            b'"abxy',
        )
        yield (
            f"{n} counters",
            "json",
            string(allOf=[{"pattern": f"^[^{c}]*({c}[^{c}]*){{{i + 3}}}$"} for i, c in enumerate(letters)]),
            b'"abxy',
        )
        yield (
            f"{n} times a letter before the end",
            "json",
            string(allOf=[{"pattern": f"{c}.{{{i}}}$"} for i, c in enumerate(letters)]),
            b'"abxy',
        )
        yield (
            f"one of {n} letters before the end",
            "json",
            {"oneOf": [string(pattern=f"{c}.{{{i}}}$") for i, c in enumerate(letters)]},
            b'"abxy',
        )


def _objects() -> _Made:
    for n in (12, 20, 40, 100):
        keys = [f"k{number}" for number in range(n)]
        yield (
            f"{n} dependent keys, in a ring",
            "json",
            {"type": "object", "dependentRequired": {key: [keys[(i + 1) % n]] for i, key in enumerate(keys)}},
            b'{"k1":1',
        )
        yield (
            f"{n} dependent keys, one wanted",
            "json",
            {"type": "object", "dependentRequired": {key: ["z"] for key in keys}},
            b'{"k1":1',
        )
        yield (
            f"{n} dependent keys, apart",
            "json",
            {"type": "object", "dependentRequired": {key: ["m" + key] for key in keys}},
            b'{"k1":1',
        )
        yield (
            f"{n} dependent keys, listed",
            "json",
            {
                "type": "object",
                "properties": {key: {} for key in keys},
                "dependentRequired": {key: [keys[(i * 7 + 1) % n]] for i, key in enumerate(keys)},
            },
            b'{"k1":1',
        )
        yield (
            f"{n} dependent schemas",
            "json",
            {"type": "object", "dependentSchemas": {key: {"required": ["z"]} for key in keys}},
            b'{"k1":1',
        )
        yield (
            f"{n} dependencies",
            "json",
            {
                "type": "object",
                "$schema": "http://json-schema.org/draft-07/schema#",
                "dependencies": {key: ["m" + key] for key in keys},
            },
            b'{"k1":1',
        )
        yield (
            f"{n} exclusive keys",
            "json",
            {"type": "object", "oneOf": [{"required": [key]} for key in keys]},
            b'{"k1":1',
        )
        yield (
            f"{n} keys, any of",
            "json",
            {"type": "object", "anyOf": [{"required": [key]} for key in keys]},
            b'{"k1":1',
        )
        yield f"{n} keys, not all", "json", {"type": "object", "not": {"required": keys}}, b'{"k1":1'
        yield (
            f"{n} keys, none",
            "json",
            {"type": "object", "allOf": [{"not": {"required": [key]}} for key in keys]},
            b'{"k1":1',
        )
        yield (
            f"{n} pairs of keys, not both",
            "json",
            {"type": "object", "allOf": [{"not": {"required": [key, "m" + key]}} for key in keys]},
            b'{"k1":1',
        )
        yield (
            f"{n} patterns of keys that overlap",
            "json",
            {
                "type": "object",
                "patternProperties": {
                    f"{c}{d}": {"type": "integer"} for c, d in zip(LETTERS * 2, LETTERS[3:] + LETTERS, strict=False)
                },
            },
            b'{"ad',
        )
        yield (
            f"{n} patterns of keys, closed",
            "json",
            {
                "type": "object",
                "patternProperties": {f"^{key}_": {"type": "integer"} for key in keys},
                "additionalProperties": False,
            },
            b'{"k1_',
        )
        yield (
            f"{n} patterns of keys, a schema each",
            "json",
            {"type": "object", "patternProperties": {f"^{key}_": {"minimum": i} for i, key in enumerate(keys)}},
            b'{"k1_',
        )
        yield (
            f"{n} patterns inside keys, a schema each",
            "json",
            {
                "type": "object",
                "patternProperties": {f"{LETTERS[i % 52]}{i}x": {"minimum": i} for i, key in enumerate(keys)},
            },
            b'{"k1_',
        )
        yield (
            f"{n} names not",
            "json",
            {"type": "object", "propertyNames": {"allOf": [{"not": {"pattern": key}} for key in keys]}},
            b'{"k1_',
        )


def _arrays() -> _Made:
    for n in (2, 3, 4, 6, 8, 12):
        patterns = [{"contains": {"type": "string", "pattern": c}} for c in LETTERS[:n]]
        yield f"{n} contains of patterns", "json", {"type": "array", "allOf": patterns}, b'["ab",'
        yield (
            f"{n} contains of kinds",
            "json",
            {
                "type": "array",
                "allOf": [{"contains": {"properties": {"t": {"const": i}}, "required": ["t"]}} for i in range(n)],
            },
            b'[{"t":1',
        )
        yield (
            f"{n} contains with bounds",
            "json",
            {
                "type": "array",
                "allOf": [{"contains": {"const": i}, "minContains": i, "maxContains": i + 2} for i in range(n)],
            },
            b"[1,1",
        )
        yield (
            f"{n} contains, not",
            "json",
            {"type": "array", "allOf": [{"not": {"contains": {"const": i}}} for i in range(n)]},
            b"[9,",
        )
        yield (
            f"contains in {n} levels",
            "json",
            json.loads('{"type":"array","contains":' * n + '{"const":1}' + "}" * n),
            b"[[[",
        )
        yield f"exactly one of {n} contains of patterns", "json", {"type": "array", "oneOf": patterns}, b'["ab",'
        yield f"{n} contains and unique", "json", {"type": "array", "uniqueItems": True, "allOf": patterns}, b'["ab",'
        primes = [{"type": "integer", "multipleOf": p} for p in PRIMES[: min(n, 8)]]
        yield f"{n} multiples", "json", {"allOf": primes}, b"12"
        yield f"one of {n} multiples", "json", {"oneOf": primes}, b"12"
        yield (
            f"{n} contains of multiples",
            "json",
            {"type": "array", "allOf": [{"contains": one} for one in primes]},
            b"[12,",
        )
    yield "a multiple of the product of primes", "json", {"type": "integer", "multipleOf": math.prod(PRIMES)}, b"12"


def _choices() -> _Made:
    for n in (8, 12, 24):
        for k in (2, 3, 4):
            objects = [{"anyOf": [{"required": [f"{x}{i}"]} for x in "abcd"[:k]]} for i in range(n)]
            yield f"{n} times one of {k} keys", "json", {"type": "object", "allOf": objects}, b'{"a1":'
            exact = [{"oneOf": branch["anyOf"]} for branch in objects]
            yield f"{n} times exactly one of {k} keys", "json", {"type": "object", "allOf": exact}, b'{"a1":'
            values = [
                {
                    "anyOf": [
                        {"properties": {f"p{i}": {"type": t}}} for t in ("integer", "string", "null", "boolean")[:k]
                    ]
                }
                for i in range(n)
            ]
            yield f"{n} times one of {k} types", "json", {"type": "object", "allOf": values}, b'{"p1":1'
            needed = [
                {
                    "anyOf": [
                        {"properties": {f"p{i}": {"type": t}}, "required": [f"p{i}"]}
                        for t in ("integer", "string", "null", "boolean")[:k]
                    ]
                }
                for i in range(n)
            ]
            yield f"{n} times one of {k} needed types", "json", {"type": "object", "allOf": needed}, b'{"p1":1'
            texts = [{"anyOf": [{"pattern": f"{x}{i}"} for x in "abcd"[:k]]} for i in range(n)]
            yield f"{n} times one of {k} patterns", "json", string(allOf=texts), b'"a1'
        same = [
            {"properties": {"a": {"type": "integer"}, f"p{i}": {"type": "string"}}, "required": [f"p{i}"]}
            for i in range(n)
        ]
        yield (
            f"exactly one of {n} open objects",
            "json",
            {"oneOf": [{"type": "object", **one} for one in same]},
            b'{"a":1,"p',
        )
        yield f"not one of {n} open objects", "json", {"type": "object", "not": {"oneOf": same}}, b'{"a":1,"p'
        yield f"not any of {n} open objects", "json", {"type": "object", "not": {"anyOf": same}}, b'{"a":1,"p'
        free = [
            {"type": "object", "properties": {"a": {"type": "integer"}, f"p{i}": {"type": "string"}}} for i in range(n)
        ]
        yield f"exactly one of {n} free objects", "json", {"oneOf": free}, b'{"a":1,"p'
        yield f"all but one of {n} free objects", "json", {"oneOf": [{"not": one} for one in free]}, b'{"a":1,"p'
        closed = [{**one, "additionalProperties": False} for one in free]
        yield f"exactly one of {n} closed free objects", "json", {"oneOf": closed}, b'{"a":1,"p'
        arrays = [{"type": "array", "prefixItems": [{"type": "integer"}] * i + [{"type": "string"}]} for i in range(n)]
        yield f"exactly one of {n} arrays", "json", {"oneOf": arrays}, b"[1,1"
        yield f"not exactly one of {n} arrays", "json", {"not": {"oneOf": arrays}}, b"[1,1"
        numbers = [{"type": "number", "minimum": i, "maximum": i * 3 + 2} for i in range(n)]
        yield f"exactly one of {n} ranges", "json", {"oneOf": numbers}, b"1"
    for n in (100, 200, 400):
        tags = [f"k{i}" for i in range(n)]
        on = [{"properties": {"t": {"const": tag}}, "required": ["t"]} for tag in tags]
        yield (
            f"{n} conditions on one of two tags",
            "json",
            {
                "type": "object",
                "allOf": [
                    {
                        "if": {"properties": {"t": {"enum": [tag, tags[i - 1]]}}, "required": ["t"]},
                        "then": {"required": ["p" + tag]},
                    }
                    for i, tag in enumerate(tags)
                ],
            },
            b'{"t":"k1","',
        )
        yield (
            f"{n} conditions on tags of their own",
            "json",
            {
                "type": "object",
                "allOf": [
                    {
                        "if": {"properties": {"t" + tag: {"const": 1}}, "required": ["t" + tag]},
                        "then": {"required": ["p" + tag]},
                    }
                    for tag in tags
                ],
            },
            b'{"tk1":1',
        )
        nested: Any = {"type": "object"}
        for one, tag in zip(on, tags, strict=True):
            nested = {"if": one, "then": {"required": ["p" + tag]}, "else": nested}
            if tag == "k80":
                break
        yield f"{n} conditions in each other", "json", nested, b'{"t":"k1","'
        yield (
            f"{n} conditions that forbid",
            "json",
            {
                "type": "object",
                "allOf": [
                    {"if": one, "then": {"not": {"required": ["p" + tag]}}} for one, tag in zip(on, tags, strict=True)
                ],
            },
            b'{"t":"k1","',
        )
        yield (
            f"{n} conditions on patterns",
            "json",
            {
                "type": "object",
                "allOf": [
                    {
                        "if": {"properties": {"t": {"pattern": "^" + tag}}, "required": ["t"]},
                        "then": {"required": ["p" + tag]},
                    }
                    for tag in tags
                ],
            },
            b'{"t":"k1","',
        )
        yield (
            f"one of {n} kinds and a kind of kinds",
            "json",
            {
                "oneOf": [
                    {**one, "properties": {**one["properties"], "u": {"const": i % 7}}} for i, one in enumerate(on)
                ]
            },
            b'{"t":"k1","',
        )


def _lark() -> _Made:
    yield (
        "skips that are terminals, more",
        "lark",
        "start: B* A B | C start\nA: /b/\nB: /x/\nC: /c/\n%ignore /x[abc]*/\n%ignore / /",
        b"bx",
    )
    yield (
        "skips that are terminals, two",
        "lark",
        "start: B* A B* C\nA: /b/\nB: /x/\nC: /y/\n%ignore /x[ab]*/\n%ignore /y[ab]*/",
        b"bx",
    )
    yield "a skip that is all", "lark", "start: A+ B\nA: /a+/\nB: /b/\n%ignore /[ab]+/", b"aab"
    yield (
        "a terminal before the start, two",
        "lark",
        'start: B+ p C D\np: start | C | D\nB: "b"\nC: /[ax]{2,}/\nD: /[xb]{3,}/',
        b"bb",
    )
    yield (
        "a terminal before the start, skip",
        "lark",
        'start: B+ p C\np: start | C\nB: "b"\nC: /[ax]{2,}/\n%ignore /[xa]/',
        b"bb",
    )
    yield "a terminal after the start", "lark", 'start: C p B+\np: start | C\nB: "b"\nC: /[bx]{2,}/', b"bb"
    yield "a palindrome", "lark", "start: A start A | B start B | A | B\nA: /a+/\nB: /a*b/", b"abab"
    yield "middle", "lark", 'start: A B A | B start B\nA: "a"\nB: /a*b/', b"abab"
    for n in (10, 20):
        names = " | ".join(f"T{i} start T{(i + 1) % n}" for i in range(n))
        terminals = "\n".join(f"T{i}: /[{LETTERS[i]}{LETTERS[i + 1]}]+/" for i in range(n))
        yield f"{n} terminals around", "lark", f"start: {names} | T0\n{terminals}", b"ab"
        yield f"{n} terminals with skips", "lark", f"start: {names} | T0\n{terminals}\n%ignore /[a-d]x+/", b"ab"
