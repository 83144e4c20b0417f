"""Hostile schemas of many branches or conditions that one key, item, count or range tells apart."""

from __future__ import annotations

from typing import Any

from hostile.sources import Made

__all__ = ["counts", "demands", "evaluated", "kinds"]


def kinds() -> Made:
    """Exactly one of hundreds of branches."""
    for n in (200, 800):
        tags = [f"k{i}" for i in range(n)]
        variants: dict[str, tuple[list[Any], bytes]] = {
            "numbers": ([{"type": "object", "properties": {"t": {"const": i}}} for i in range(n)], b'{"t":1'),
            "no type": ([{"properties": {"t": {"const": tag}}, "required": ["t"]} for tag in tags], b'{"t":"k1"'),
            "no type, no key": ([{"properties": {"t": {"const": tag}}} for tag in tags], b'{"t":"k1"'),
            "listing patterns": (
                [{"type": "object", "properties": {"t": {"type": "string", "pattern": f"^{tag}$"}}} for tag in tags],
                b'{"t":"k1"',
            ),
            "two tags": (
                [
                    {"type": "object", "properties": {"t": {"const": tags[i // 20]}, "u": {"const": tags[i % 20]}}}
                    for i in range(n // 4)
                ],
                b'{"t":"k1"',
            ),
            "own keys, five each": (
                [
                    {
                        "type": "object",
                        "properties": {f"{tag}_{j}": {"type": "integer"} for j in range(5)},
                        "additionalProperties": False,
                    }
                    for tag in tags[: n // 4]
                ],
                b'{"k1_0":1',
            ),
            "first items": ([{"type": "array", "prefixItems": [{"const": tag}]} for tag in tags], b'["k1"'),
            "a field each": (
                [
                    {"type": "object", "properties": {"t": {"const": tag}, f"p{i}": {"type": "integer"}}}
                    for i, tag in enumerate(tags[: n // 4])
                ],
                b'{"t":"k1"',
            ),
            "a needed key each": (
                [
                    {"type": "object", "properties": {"t": {"const": tag}}, "required": [f"p{i}"]}
                    for i, tag in enumerate(tags[: n // 4])
                ],
                b'{"t":"k1"',
            ),
            "a range each": (
                [
                    {"type": "object", "properties": {"t": {"const": tag}, "p": {"minimum": i}}}
                    for i, tag in enumerate(tags[: n // 4])
                ],
                b'{"t":"k1"',
            ),
            "references": ([{"$ref": f"#/$defs/{tag}"} for tag in tags], b'{"t":"k1"'),
        }
        for name, (branches, text) in variants.items():
            schema: dict[str, Any] = {"oneOf": branches}
            if name == "references":
                schema["$defs"] = {tag: {"type": "object", "properties": {"t": {"const": tag}}} for tag in tags}
            yield f"exactly one of {n} kinds: {name}", "json", schema, text


def demands() -> Made:
    """Conditions on one key with numbers, and conditions that demand the same."""
    for n in (40, 200, 800):
        keys = [f"k{i}" for i in range(n)]
        on = [{"properties": {"t": {"const": i}}, "required": ["t"]} for i in range(n)]
        rules: list[Any] = [{"if": one, "then": {"required": [f"p{i}"]}} for i, one in enumerate(on)]
        yield f"{n} conditions on numbers", "json", {"type": "object", "allOf": rules}, b'{"t":1,"'
        rules = [{"if": {"required": [key]}, "then": {"required": ["z"]}} for key in keys]
        yield f"{n} conditions that demand the same", "json", {"type": "object", "allOf": rules}, b'{"k1":1'
        rules = [{"if": {"required": ["z"]}, "else": {"properties": {key: False}}} for key in keys]
        yield f"{n} conditions that spare the same", "json", {"type": "object", "allOf": rules}, b'{"k1":1'


def counts() -> Made:
    """Counts of equal items, and ranges that are left out."""
    for n in (8, 20, 60):
        exact = [{"contains": {"const": 1}, "minContains": i, "maxContains": i} for i in range(1, n + 1)]
        yield f"exactly one of {n} counts", "json", {"type": "array", "oneOf": exact}, b"[1,"
        ranges = [{"not": {"minimum": 10 * i, "maximum": 10 * i + 3.5}} for i in range(n)]
        yield f"none of {n} ranges", "json", {"type": "number", "allOf": ranges}, b"12"
        values = {"not": {"anyOf": [{"const": i} for i in range(n)]}}
        yield f"other keys, none of {n} numbers", "json", {"type": "object", "additionalProperties": values}, b'{"a":1'
        none = {"not": {"anyOf": [{"contains": {"const": i}} for i in range(n)]}}
        yield f"contains none of {n} numbers", "json", {"type": "array", **none}, b"[1,"


def evaluated() -> Made:
    """Branches and conditions about two keys, or whose keys are evaluated, and choices about one key."""
    for n in (40, 200, 400):

        def kind(i: int) -> dict[str, Any]:
            return {"properties": {"t": {"const": f"k{i}"}, f"p{i}": {"type": "integer"}}}

        numbers = range(n)
        closed = [{"type": "object", "additionalProperties": False, **kind(i)} for i in numbers]
        yield f"exactly one of {n} closed kinds, two keys", "json", {"oneOf": closed}, b'{"t":"k1"'
        tagged = [{"type": "object", "required": ["t"], **kind(i)} for i in numbers]
        schema: dict[str, Any] = {"anyOf": tagged, "unevaluatedProperties": False}
        yield f"one of {n} kinds, others unevaluated", "json", schema, b'{"t":"k1"'
        pairs = [{"properties": {"a": {"const": i % 20}, "b": {"const": i}}, "required": ["a", "b"]} for i in numbers]
        rules: list[Any] = [{"if": one, "then": {"required": [f"p{i}"]}} for i, one in enumerate(pairs)]
        yield f"{n} conditions on two keys", "json", {"type": "object", "allOf": rules}, b'{"a":1,'
        rules = [{"if": {"properties": {"t": {"const": f"k{i}"}}}, "then": kind(i)} for i in numbers]
        schema = {"type": "object", "allOf": rules, "unevaluatedProperties": False}
        yield f"{n} conditions, others unevaluated", "json", schema, b'{"t":"k1"'
        needs = {f"k{i}": [f"k{i + 1}"] for i in numbers}
        yield f"{n} dependent keys, counted", "json", {"dependentRequired": needs, "maxProperties": n + 50}, b'{"k1":1'
        texts = [{"anyOf": [{"properties": {"k": {"pattern": f"<{i}{c}>"}}} for c in "abc"]} for i in range(n // 10)]
        schema = {"type": "object", "required": ["k"], "allOf": texts}
        yield f"{n // 10} choices about one key", "json", schema, b'{"k":"<1a>'
