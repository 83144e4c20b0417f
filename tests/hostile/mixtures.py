"""Random schemas that mix patterns, formats, lengths, ranges, multiples and `contains` in choices of many branches.

Few of them are schemas that a person would write. They combine costs that the other hostile sources have one at a time.
"""

from __future__ import annotations

import random
from typing import Any

from hostile.sources import LETTERS, WORDS, Made, string

__all__ = ["mixtures"]

FORMATS = "idn-hostname idn-email hostname email uri iri ipv6 uuid regex date-time json-pointer".split()
SIZES = (5, 8, 12, 20, 40)


def mixtures() -> Made:
    """Forty of them, each with the beginning of a text that some of its branches allow."""
    for seed in range(40):
        yield f"mixture {seed}", "json", _mixture(random.Random(seed)), b'"ab'


def _mixture(rng: random.Random) -> dict[str, Any]:
    """One of them."""
    count = rng.choice(SIZES)
    kind = rng.randrange(5)
    if kind == 0:
        return _choice(rng, count)
    if kind == 1:
        return {"allOf": [_choice(rng, count // 3 + 2), _choice(rng, count // 3 + 2)]}
    if kind == 2:
        return {"type": "object", "properties": {"a": _choice(rng, count)}, "required": ["a"]}
    if kind == 3:
        return {"type": "object", "propertyNames": _choice(rng, count // 2 + 1), "minProperties": rng.randrange(3)}
    keys = {_pattern(rng): _leaf(rng) for _ in range(count)}
    return {"type": "object", "patternProperties": keys, "additionalProperties": rng.choice([False, _leaf(rng)])}


def _choice(rng: random.Random, count: int) -> dict[str, Any]:
    """Branches of one kind, or of any."""
    kind = rng.choice(["any", "any", "patterns", "multiples", "contains"])
    make = {"any": _leaf, "patterns": _matching, "multiples": _multiple, "contains": _contains}[kind]
    return {rng.choice(["oneOf", "oneOf", "allOf", "anyOf"]): [make(rng) for _ in range(count)]}


def _pattern(rng: random.Random) -> str:
    letter, other = sorted(rng.sample(LETTERS, 2))
    return rng.choice(
        [
            letter,
            letter * 2,
            rng.choice(WORDS),
            f"[{letter}-{other}]",
            f"^(.{{{rng.choice([2, 3, 5, 7, 11])}}})*$",
            f"{letter}.{{{rng.randrange(1, 6)}}}{other}",
            f"^[^{letter}]*$",
        ]
    )


def _matching(rng: random.Random) -> dict[str, Any]:
    return string(pattern=_pattern(rng))


def _multiple(rng: random.Random) -> dict[str, Any]:
    return {"type": "integer", "multipleOf": rng.choice([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37])}


def _contains(rng: random.Random) -> dict[str, Any]:
    most = {"maxContains": rng.randrange(1, 4)} if rng.random() < 0.5 else {}
    return {"type": "array", "contains": _leaf(rng), **most}


def _leaf(rng: random.Random) -> dict[str, Any]:
    kind = rng.randrange(6)
    if kind == 0:
        return _multiple(rng)
    if kind == 1:
        return {
            "type": "integer",
            "minimum": rng.randrange(100),
            "maximum": rng.randrange(100, 10 ** rng.randrange(3, 12)),
        }
    if kind == 2:
        return _matching(rng)
    if kind == 3:
        return string(minLength=rng.randrange(20), maxLength=rng.randrange(20, 60))
    if kind == 4:
        return string(format=rng.choice(FORMATS))
    return string(**{"not": {"pattern": _pattern(rng)}})
