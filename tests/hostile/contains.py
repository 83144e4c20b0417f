"""Hostile arrays: many `contains` with upper bounds."""

from __future__ import annotations

from typing import Any

from hostile.sources import LETTERS, WORDS, Made

__all__ = ["bounded_contains"]


def bounded_contains() -> Made:
    """`contains` with `maxItems` and `maxContains`, of schemas that exclude each other or not."""
    for n in (4, 8, 12, 20):
        kinds: dict[str, tuple[list[dict[str, Any]], bytes]] = {
            "letters": ([{"type": "string", "pattern": c} for c in LETTERS[:n]], b'["ab","ab","c'),
            "letters or no strings": ([{"pattern": c} for c in LETTERS[:n]], b'["ab",{"a":1},"c'),
            "words": ([{"type": "string", "pattern": word} for word in WORDS[:n]], b'["the","the","a'),
            "numbers": ([{"const": number} for number in range(n)], b"[1,1,2,"),
            "objects": (
                [{"type": "object", "properties": {"t": {"const": i}}, "required": ["t"]} for i in range(n)],
                b'[{"t":1},{"t":',
            ),
            "lowest numbers": ([{"minimum": 3 * number} for number in range(n)], b"[1,10,"),
        }
        for name, (some, text) in kinds.items():
            for most in (1, 3):
                bounded = [{"contains": one, "maxContains": most} for one in some]
                yield f"{n} contains of {name}, {most} at most", "json", {"type": "array", "allOf": bounded}, text
            plain = [{"contains": one} for one in some]
            yield (
                f"{n} contains of {name}, few items",
                "json",
                {"type": "array", "maxItems": n + 1, "allOf": plain},
                text,
            )
            yield f"{n} contains of {name}, both", "json", {"type": "array", "maxItems": n + 1, "allOf": bounded}, text
    many = {"type": "array", "allOf": [{"contains": {"const": number}} for number in range(3000)]}
    yield "3000 contains", "json", many, b"[1,2,"
    yield "contains 5000 times", "json", {"type": "array", "contains": {"const": 1}, "minContains": 5000}, b"[1,2,"
