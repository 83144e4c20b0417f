"""Sources that cost much where an engine is naive, by kind and size. Each has a text on which masks are made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from string import ascii_letters
from typing import Any, NamedTuple

import ffgrammar as ff

__all__ = ["Hostile", "Made", "compiled", "sources", "string"]

LETTERS = ascii_letters
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19]
WORDS = "cat dog sun map pen cup hat box jar key lip nut oak pie rug bed fox ice".split()


class Hostile(NamedTuple):
    """A source.

    Attributes:
        name: its kind and size.
        form: "json" (the source is a schema), "lark" or "regex".
        source: the source.
        text: a text, whose beginnings are sentences' beginnings as far as they are accepted.
    """

    name: str
    form: str
    source: Any
    text: bytes


# The fields of `Hostile`, from a function that makes sources of one kind.
Made = Iterator[tuple[str, str, Any, bytes]]


def string(**more: Any) -> dict[str, Any]:
    """A schema of strings, with further keywords."""
    return {"type": "string", **more}


def compiled(one: Hostile, tokenizer: ff.Tokenizer, limits: ff.Limits) -> ff.Grammar:
    """The grammar of a source."""
    if one.form == "json":
        return ff.compile_json_schema(one.source, tokenizer, limits=limits)
    compiler = ff.compile_lark if one.form == "lark" else ff.compile_regex
    return compiler(one.source, tokenizer, limits=limits)


def sources() -> Iterator[Hostile]:
    """All of them; a kind after the other, from small to large."""
    for name, form, source, text in (*_strings(), *_objects(), *_choices(), *_regexes(), *_lark()):
        yield Hostile(name, form, source, text)


def _strings() -> Made:
    for n in (4, 8, 12, 16, 20, 26, 32, 40):
        branches = [string(pattern=letter * 2) for letter in LETTERS[:n]]
        yield f"exactly one of {n} pairs", "json", {"oneOf": branches}, b'"aaxbb'
        yield f"not any of {n} pairs", "json", string(**{"not": {"anyOf": branches}}), b'"abc'
        yield f"all of {n} pairs", "json", string(allOf=branches), b'"aabbx'
        yield f"all of {n} letters, short", "json", string(allOf=branches, maxLength=2 * n), b'"aab'
    for n in (2, 6, 9, 10, 12, 14, 20):
        ahead = "".join(f"(?=.*{letter})" for letter in LETTERS[:n])
        yield f"{n} look-aheads", "json", string(pattern=f"^{ahead}.{{8,64}}$"), b'"abxy'
        yield f"{n} look-aheads, no room", "json", string(pattern=f"^{ahead}.{{1,{n}}}$"), b'"ab'
        yield f"{n} negative look-aheads", "json", string(pattern="^" + ahead.replace("?=", "?!") + ".{8,64}$"), b'"xyz'
    for n in (3, 6, 9, 12, 15, 18):
        yield f"all of {n} words", "json", string(allOf=[{"pattern": word} for word in WORDS[:n]]), b'"cadog'
        yield f"exactly one of {n} words", "json", {"oneOf": [string(pattern=word) for word in WORDS[:n]]}, b'"cadog'
    for n in range(2, 9):
        loops = [{"pattern": f"^(.{{{prime}}})*$"} for prime in PRIMES[:n]]
        yield f"lengths of {n} primes", "json", string(allOf=loops), b'"abc'
        yield f"lengths of one of {n} primes", "json", string(oneOf=loops), b'"abc'
    for name in ("idn-hostname", "idn-email", "uri", "iri", "regex", "date-time", "hostname"):
        yield f"format {name}", "json", string(format=name), b'"a'
        others = [{"format": other} for other in ("uri", "email", "hostname", "ipv6") if other != name]
        yield f"exactly one format: {name}", "json", string(oneOf=[{"format": name}, *others]), b'"a'
    for n in (100, 10_000, 1_000_000):
        yield f"a constant of {n} characters", "json", {"const": "ab" * (n // 2)}, b'"ab'
        yield f"{n} characters at least", "json", string(minLength=n), b'"ab'
        yield f"{n} characters at most", "json", string(maxLength=n, pattern="^[a-z]*$"), b'"ab'


def _objects() -> Made:
    for n in (2, 5, 20, 100, 500):
        keys = [f"k{number}" for number in range(n)]
        yield (
            f"{n} patterns of keys",
            "json",
            {"patternProperties": {f"^{key}": {"type": "integer"} for key in keys}},
            b'{"k1',
        )
        yield f"{n} dependent keys", "json", {"dependentRequired": {key: [f"m{key}"] for key in keys}}, b'{"k1":'
        yield f"{n} required keys", "json", {"required": keys}, b'{"k1":'
        needs = {key: {"properties": {"t": {"const": key}}} for key in keys}
        yield f"{n} keys that need a value", "json", {"dependentSchemas": needs}, b'{"k1":1,"t":"k'
        apart = [{"properties": {key: {"type": "integer"}}} for key in keys]
        yield f"{n} objects of one property", "json", {"allOf": apart}, b'{"k1":1'
        one = [{**branch, "additionalProperties": False} for branch in apart]
        yield f"exactly one of {n} closed objects", "json", {"oneOf": one}, b'{"k1":1'
        chain: dict[str, Any] = {}
        for key in keys:
            chain = {"type": "object", "properties": {key: chain}, "required": [key]}
        yield f"{n} objects in each other", "json", chain, b'{"k'
    for n in range(2, 9):
        schemas = {}
        for length in PRIMES[:n]:
            for at in range(length):
                required = {"required": ["n"]} if at else {}
                following = {"$ref": f"#/$defs/{length}_{(at + 1) % length}"}
                schemas[f"{length}_{at}"] = {"type": "object", "properties": {"n": following}, **required}
        start = {"allOf": [{"$ref": f"#/$defs/{length}_0"} for length in PRIMES[:n]], "$defs": schemas}
        yield f"{n} cycles at once", "json", start, b'{"n":{"n":'
    for n in (1, 2, 4, 8):
        counts = [{"contains": {"const": number}, "minContains": 2} for number in range(n)]
        yield f"{n} contains", "json", {"type": "array", "allOf": counts}, b"[0,1,"
        yield f"one of {n} contains", "json", {"type": "array", "oneOf": counts}, b"[0,1,"
    for n in (10, 1000, 100_000):
        yield f"{n} items at least", "json", {"type": "array", "minItems": n, "maxItems": n + 1}, b"[1,"
        yield f"a listed array of {n}", "json", {"const": [1] * n}, b"[1,"
        yield f"{n} listed strings", "json", {"enum": [f"v{number}" for number in range(n)]}, b'"v1'


def _choices() -> Made:
    for n in (3, 10, 50, 200, 400):
        tags = [f"k{number}" for number in range(n)]

        def on(tag: str) -> dict[str, Any]:
            return {"properties": {"t": {"const": tag}}, "required": ["t"]}

        rules = [{"if": on(tag), "then": {"required": [f"p{tag}"]}} for tag in tags]
        yield f"{n} conditions", "json", {"type": "object", "allOf": rules}, b'{"t":"k1","'
        rules = [{**rule, "else": {"properties": {f"p{tag}": False}}} for rule, tag in zip(rules, tags, strict=True)]
        yield f"{n} conditions with else", "json", {"type": "object", "allOf": rules}, b'{"t":"k1","'
        branches = [{**on(tag), "type": "object"} for tag in tags]
        yield f"one of {n} kinds", "json", {"oneOf": branches}, b'{"t":"k1"'
        yield f"none of {n} kinds", "json", {"not": {"anyOf": branches}}, b'{"t":"k'
        open_kinds = [{"type": "object", "properties": branch["properties"]} for branch in branches]
        yield f"one of {n} kinds, without keys", "json", {"oneOf": open_kinds}, b'{"t":"k1"'
        grant = {"properties": {"grantable": {"type": "boolean"}}, "additionalProperties": False}
        single = [{"type": "object", "properties": {tag: grant}, "additionalProperties": False} for tag in tags]
        yield f"one of {n} objects of one key", "json", {"oneOf": single}, b'{"k1":{"g'
        fields = [
            {
                "type": "object",
                "properties": {
                    "type": {"enum": [tag]},
                    "name": {"type": "string"},
                    f"p{number // 2}": {"type": "number"},
                },
                "additionalProperties": False,
            }
            for number, tag in enumerate(tags)
        ]
        yield f"one of {n} kinds of fields", "json", {"oneOf": fields}, b'{"type":"k1"'
    for n in (2, 4, 8, 12, 30):
        several = [{"anyOf": [{"properties": {f"{x}{i}": {"type": "integer"}}} for x in "abc"]} for i in range(n)]
        yield f"{n} times one of three", "json", {"allOf": several}, b'{"a1":'
        nots = [{"not": {"properties": {f"a{i}": {"type": "integer"}}}} for i in range(n)]
        yield f"{n} times not", "json", {"allOf": nots}, b'{"a1":'
        nested: Any = {"type": "integer"}
        for i in range(n):
            nested = {"not": {"oneOf": [nested, {"minimum": i}]}}
        yield f"{n} times not one of two", "json", nested, b"1"


def _regexes() -> Made:
    for n in (5, 10, 20, 30, 100, 1000):
        yield f"{n} optional, then all", "regex", f"(a?){{{n}}}a{{{n}}}", b"aa"
        yield f"a letter {n} before the end", "regex", f"[ab]*a[ab]{{{n}}}", b"abab"
        yield f"a choice {n} deep", "regex", "(a|b" * n + ")*" * n, b"ab"
        yield f"{n} bounds in each other", "regex", "(" * 3 + f"a{{1,{n}}}" + f"){{1,{n}}}" * 3, b"aa"
        yield f"{n} choices", "regex", "|".join(f"x{number}y*" for number in range(n)), b"x1y"
        yield f"a class {n} times", "regex", r"[\p{L}&&[^a-f]]" * n, b"x"


def _lark() -> Made:
    yield "skips that are terminals", "lark", "start: B* A B\nA: /b/\nB: /x/\n%ignore /x[ab]*/", b"bx"
    yield "a terminal before the start", "lark", 'start: B+ p C\np: start | C\nB: "b"\nC: /[ax]{2,}/', b"bb"
    yield "every split in two", "lark", 'start: start start | "a"', b"a" * 60
    yield "every split in three", "lark", 'start: start start start | start start | "a"', b"a" * 60
    yield "hidden left recursion", "lark", 'start: n start "a" | "b"\nn: | "c"', b"baaa"
    yield "cycles of rules", "lark", 'start: a\na: b | a | "x"\nb: a | c\nc: b a |', b"xxx"
    for name, terminals, text in (
        ("y", "A: /[xy]{2,5}/\nB: /y+x/\nE: /x|y/\n%ignore /y*/", b"xxxxxxxxxyyxx"),
        ("xy, or y", "A: /[xy]{2,5}/\nB: /y+x/\nE: /x|y/\n%ignore /(xy)+|y/", b"xxxxxxxxxyyxx"),
        ("x and y", 'A: /[xyz]{1,3}/\nB: /z(x|y)*/\nE: "xy"\n%ignore /[xy]{2,}/', b"zz"),
        ("x, yx", "A: /z(x|y)*/\nB: /[xyz]{1,3}/\nE: /[xy]{2,5}/\n%ignore /x(yx)*/", b"xx"),
    ):
        yield f"skips of {name} that are in terminals", "lark", f"start: (A | B start)* E\n{terminals}", text
    for n in (2, 8, 20, 50, 200):
        yield (
            f"a chain of {n} rules",
            "lark",
            "".join(f"r{i}: r{i + 1}\n" for i in range(n)) + f'r{n}: "x"\nstart: r0',
            b"x",
        )
        empty = "".join(f'r{i}: r{(i * 7 + 1) % n} r{(i * 5 + 2) % n} |"a"\n' for i in range(n)) + "start: r0 r1"
        yield f"{n} rules that may be empty", "lark", empty, b"aaa"
        both = " & ".join(f"/.*{LETTERS[i % 52]}{i}.*/" for i in range(n))
        yield f"a terminal with {n} conditions", "lark", f"start: A\nA: {both}", b"ab"
        bounded = f'start: ("a" ("b" ("c"~0..{n})~0..{n})~0..{n})~0..{n}'
        yield f"bounds up to {n} in each other", "lark", bounded, b"abcc"
        many = "start: (" + " | ".join(f"T{i}" for i in range(n)) + ")+\n"
        yield (
            f"{n} terminals that overlap",
            "lark",
            many + "".join(f"T{i}: /[a-z]{{{i + 1},}}/\n" for i in range(n)),
            b"abc",
        )


if __name__ == "__main__":
    for hostile in sources():
        print(f"{hostile.name}: {json.dumps(hostile.source)[:100]}")
