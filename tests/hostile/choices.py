"""Hostile schemas of choices: many branches, and many conditions."""

from __future__ import annotations

from typing import Any

from hostile.sources import Made, string

__all__ = ["choices", "conditions", "conditions_on_one_key", "rules_about_keys"]


def choices() -> Made:
    """Several branches, any or exactly one of which applies."""
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


def conditions() -> Made:
    """Hundreds of conditions."""
    for n in (100, 200, 400):
        tags = [f"k{i}" for i in range(n)]
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


def conditions_on_one_key() -> Made:
    """Hundreds of conditions on one key, or of branches that it chooses."""
    for n in (100, 200, 400):
        tags = [f"k{i}" for i in range(n)]
        on = [{"properties": {"t": {"const": tag}}, "required": ["t"]} for tag in tags]
        nested: Any = {"type": "object"}
        for one, tag in zip(on, tags, strict=True):
            nested = {"if": one, "then": {"required": ["p" + tag]}, "else": nested}
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
        for name, begin, end, more in (
            ("patterns", "^", "", {}),
            ("patterns of strings", "^", "", {"properties": {"t": {"type": "string"}}, "required": ["t"]}),
            ("endings", "", "$", {}),
        ):
            yield (
                f"{n} conditions on {name}",
                "json",
                {
                    "type": "object",
                    "allOf": [
                        {
                            "if": {"properties": {"t": {"pattern": begin + tag + end}}, "required": ["t"]},
                            "then": {"required": ["p" + tag]},
                        }
                        for tag in tags
                    ],
                    **more,
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


def rules_about_keys() -> Made:
    """Many small rules about keys of their own."""
    for n in (10, 50, 200):
        on = [{"properties": {f"t{i}": {"const": 1}}, "required": [f"t{i}"]} for i in range(n)]
        then = [{"required": [f"p{i}"]} for i in range(n)]
        plain = [{"if": one, "then": two} for one, two in zip(on, then, strict=True)]
        listed = {f"{c}{i}": {} for c in "tp" for i in range(n)}
        kinds: dict[str, dict[str, Any]] = {
            "then a range": {
                "allOf": [{"if": one, "then": {"properties": {f"p{i}": {"minimum": 3}}}} for i, one in enumerate(on)]
            },
            "then and else": {
                "allOf": [{**one, "else": {"required": [f"q{i}"]}} for i, one in enumerate(plain)],
            },
            "then a type, else another": {
                "allOf": [
                    {
                        "if": one,
                        "then": {"properties": {f"p{i}": {"type": "boolean"}}, "required": [f"p{i}"]},
                        "else": {"properties": {f"p{i}": {"type": "integer"}}},
                    }
                    for i, one in enumerate(on)
                ]
            },
            "if two keys": {
                "allOf": [{"if": {"allOf": [one, on[i - 1]]}, "then": then[i]} for i, one in enumerate(on)],
            },
            "each the next": {"allOf": [{"if": one, "then": on[(i + 1) % n]} for i, one in enumerate(on)]},
            "closed": {"properties": listed, "additionalProperties": False, "allOf": plain},
            "names": {"propertyNames": {"pattern": "^[a-z0-9]+$"}, "allOf": plain},
            "at most 20 keys": {"maxProperties": 20, "allOf": plain},
            "at least 5 keys": {"minProperties": 5, "allOf": plain},
            "patterns of keys": {"patternProperties": {"^p": {"type": "integer"}}, "allOf": plain},
            "unevaluated": {"allOf": plain, "unevaluatedProperties": {"type": "integer"}},
            "in not": {"not": {"anyOf": plain}},
            "in oneOf": {"oneOf": plain},
            "one or two others": {
                "allOf": [
                    {"oneOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}", f"a{(i + 1) % n}"]}]} for i in range(n)
                ]
            },
            "not all three": {
                "allOf": [{"not": {"required": [f"a{i}", f"b{i}", f"c{i}"]}} for i in range(n)],
            },
            "not both values": {
                "allOf": [
                    {"not": {"properties": {f"{c}{i}": {"const": 1} for c in "ab"}, "required": [f"a{i}", f"b{i}"]}}
                    for i in range(n)
                ]
            },
        }
        for name, keywords in kinds.items():
            yield f"{n} rules about keys: {name}", "json", {"type": "object", **keywords}, b'{"t1":1,"p'
