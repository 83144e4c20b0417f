"""Variants of the best known hostile sources: the same cost in another form. Each has a text for masks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from hostile.choices import choices, conditions, conditions_on_one_key, rules_about_keys
from hostile.contains import bounded_contains
from hostile.cycles import cycles
from hostile.kinds import counts, demands, evaluated, kinds
from hostile.mixtures import mixtures
from hostile.patterns import patterns
from hostile.sources import LETTERS, PRIMES, WORDS, Hostile, Made, string
from hostile.strings import string_choices

__all__ = ["variants"]

OVERLAPPING = "the and for are but not you all any can had her was one our out".split()


def variants() -> Iterator[Hostile]:
    """All of them."""
    keys = (_dependent_keys, _required_keys, _patterns_of_keys)
    told_apart = (kinds, demands, counts, evaluated)
    many = (
        *keys,
        _arrays,
        bounded_contains,
        choices,
        conditions,
        conditions_on_one_key,
        rules_about_keys,
        *told_apart,
        patterns,
        string_choices,
        mixtures,
    )
    for made in (cycles, _strings, _look_around, *many, _lark):
        for fields in made():
            yield Hostile(*fields)


def _strings() -> Made:
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

    for n in (8, 10, 20, 40):
        ends = string(pattern=f"(t|8){{{n}}}$")
        loops = [{"pattern": "^([a-z][0-9])+$"}, {"pattern": "((c1d3g3).{4,8}){6}"}]
        for less in (0, 1):
            both = [*loops, ends, {"not": {"pattern": f"(8|t){{{n - less}}}$"}}]
            yield f"ends with {n}, not {n - less}", "json", string(allOf=both, minLength=10 * n), b'"a1'


def _look_around() -> Made:
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
        yield (
            f"{n} look-aheads of words that overlap",
            "json",
            string(pattern="^" + "".join(f"(?=.*{w})" for w in OVERLAPPING[:n]) + ".{8,128}$"),
            b'"theand',
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


def _dependent_keys() -> Made:
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


def _required_keys() -> Made:
    for n in (12, 20, 40, 100):
        keys = [f"k{number}" for number in range(n)]
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


def _patterns_of_keys() -> Made:
    for n in (12, 20, 40, 100):
        keys = [f"k{number}" for number in range(n)]
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


def _arrays() -> Made:
    for n in (2, 3, 4, 6, 8, 12, 16, 20):
        patterns = [{"contains": {"type": "string", "pattern": c}} for c in LETTERS[:n]]
        yield f"{n} contains of patterns", "json", {"type": "array", "allOf": patterns}, b'["ab",'
        twice = [{**one, "minContains": 2} for one in patterns]
        first = {"prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": n}
        yield f"{n} contains of patterns, twice", "json", {"type": "array", **first, "allOf": twice}, b'["ab",1,'
        multiples = [{"contains": {"multipleOf": k}} for k in range(2, n + 2)]
        yield f"{n} contains of multiples", "json", {"type": "array", "allOf": multiples}, b"[12,"
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
        primes = [{"type": "integer", "multipleOf": p} for p in [*PRIMES, 23, 29, 31, 37][:n]]
        counted = [{"type": "number", "multipleOf": number + 2} for number in range(n)]
        yield f"{n} multiples", "json", {"allOf": primes}, b"12"
        yield f"one of {n} multiples", "json", {"oneOf": primes}, b"12"
        yield f"one of {n} multiples in a row", "json", {"oneOf": counted}, b"12"
        yield f"not one of {n} multiples in a row", "json", {"type": "integer", "not": {"anyOf": counted}}, b"12"
        if n <= len(PRIMES):
            each = [{"contains": one} for one in primes]
            yield f"{n} contains of primes", "json", {"type": "array", "allOf": each}, b"[12,"
    yield "a multiple of the product of primes", "json", {"type": "integer", "multipleOf": math.prod(PRIMES)}, b"12"


def _lark() -> Made:
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
