"""Hostile schemas of many patterns: of keys, of strings that conditions are about, and of objects that arrays count."""

from __future__ import annotations

from typing import Any

from hostile.sources import LETTERS, WORDS, Made, string

__all__ = ["patterns"]


def patterns() -> Made:
    """Patterns that may stand anywhere, endings, and roles with flags."""
    for n in (3, 5, 9, 15):
        words = WORDS[:n]
        ranges = {word: {"minimum": least} for least, word in enumerate(words)}
        names = {"propertyNames": {"maxLength": 40}}
        yield f"{n} words in keys", "json", {"type": "object", **names, "patternProperties": ranges}, b'{"a cat":1,"'
        same = {"patternProperties": {word: {"type": "integer"} for word in words}, "additionalProperties": False}
        yield f"{n} words in keys, the same for all", "json", {"type": "object", **same}, b'{"a cat":1,"'
        endings = {f"_{word}$": value for word, value in ranges.items()}
        long = {"propertyNames": {"pattern": "^[a-z][a-z0-9_]{0,63}$"}, "patternProperties": endings}
        yield f"{n} endings of long keys", "json", {"type": "object", **long}, b'{"a_cat":1,"b_'
        on = [{"properties": {"t": {"pattern": word}}, "required": ["t"]} for word in words]
        for name, then in {
            "demand": [{"required": [f"p{word}"]} for word in words],
            "forbid": [{"properties": {"v": {"minimum": least}}} for least in range(n)],
        }.items():
            rules = [{"if": one, "then": two} for one, two in zip(on, then, strict=True)]
            schema: dict[str, Any] = {"type": "object", "properties": {"t": string()}, "allOf": rules}
            yield f"{n} words in a string {name}", "json", schema, b'{"t":"a cadog","v":'
        between = [
            {"properties": {"t": {"minimum": 10 * i, "maximum": 10 * i + 15}}, "required": ["t"]} for i in range(n)
        ]
        rules = [{"if": one, "then": {"required": [f"p{i}"]}} for i, one in enumerate(between)]
        number = {"type": "object", "properties": {"t": {"type": "integer"}}}
        yield f"{n} ranges that overlap demand", "json", {**number, "allOf": rules}, b'{"t":15,"'
    for n in (6, 12, 24):
        roles = [{"type": "object", "properties": {"r": {"const": i}}, "required": ["r"]} for i in range(n)]
        flag = {"type": "object", "properties": {"m": {"const": True}}, "required": ["m"]}
        counted = [{"contains": one, "minContains": 0, "maxContains": 3} for one in roles]
        people = {"type": "array", "allOf": [*counted, {"contains": flag, "maxContains": 1}]}
        yield f"{n} roles and a flag", "json", people, b'[{"r":1,"m":true},{"r":'
        once = [{"contains": {"pattern": c}, "minContains": 0, "maxContains": 1} for c in LETTERS[:n]]
        yield f"{n} letters, each once", "json", {"type": "array", "items": string(), "allOf": once}, b'["ab","cd","e'
        some = [{"contains": string(pattern=c)} for c in LETTERS[:n]]
        yield f"{n} letters, each somewhere", "json", {"type": "array", "allOf": some}, b'["ab","cd","e'
        for name, most in (("somewhere", {}), ("twice", {"maxContains": 2})):
            letters = [
                {"type": "array", "allOf": [{"contains": string(pattern=c), **most} for c in part]}
                for part in (LETTERS[: n // 2], LETTERS[n // 2 : n])
            ]
            title = f"{n} letters in two choices of arrays, {name}"
            yield title, "json", {"oneOf": letters}, b'["the","quick brown","a'
        for name, some in (("letters", LETTERS[:n]), ("words", WORDS[:n])):
            once = [{"contains": string(pattern=one), "maxContains": 1} for one in some]
            used = b'["' + '","'.join(some[:-1]).encode() + b'","x'
            yield f"{n} {name}, most used up", "json", {"type": "array", "allOf": once}, used
        branches = [
            {"type": "array", "allOf": [{"contains": string(pattern=one), "maxContains": 2} for one in part]}
            for part in (WORDS[: n // 2], [word[::-1] for word in WORDS[: n // 2]])
        ]
        yield f"{n} words in two choices of arrays", "json", {"oneOf": branches}, b'["cat","t'
