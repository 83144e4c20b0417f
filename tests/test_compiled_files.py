"""Compiled files that are cut, damaged or forged end in a CompiledFileError; whole ones give the same masks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.api.compiled_file import HEADER, MAGIC, VERSION, dump
from ffgrammar.core.errors import CompiledFileError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema import build
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "pattern": "^x+$"},
        "b": {"not": {"const": 3}},
        "c": {"$ref": "#"},
        "d": {"multipleOf": 0.07, "minimum": 1.4, "maximum": 7e6},
    },
    "required": ["a"],
    "additionalProperties": False,
}
# keys in any order: the file has templates, too
FILE = dump(build(SCHEMA, ExprStore(), property_order="any"), BYTES.fingerprint)
BODY = json.loads(zlib.decompress(FILE[HEADER.size :]))
# and one with checks
CHECKED = dump(build({"uniqueItems": True, "items": {"items": {"uniqueItems": True}}}, ExprStore()), BYTES.fingerprint)
CHECKED_BODY = json.loads(zlib.decompress(CHECKED[HEADER.size :]))
# and one whose readings are joined
JOINED = dump(build({"type": "array", "allOf": [{"contains": {"minimum": n}} for n in range(4)]}, ExprStore()), "")
JOINED_BODY = json.loads(zlib.decompress(JOINED[HEADER.size :]))
# and one whose lexemes have guards
GUARDED = dump(
    build(
        {"type": "array", "allOf": [{"contains": {"pattern": letter}, "maxContains": 3} for letter in "abcde"]},
        ExprStore(),
    ),
    "",
)
GUARDED_BODY = json.loads(zlib.decompress(GUARDED[HEADER.size :]))
# and one with the outline of a composition
CAPTURED = ff.compose(
    ff.sequence(
        ff.capture("a", ff.text()), ff.repeat(ff.capture("b", ff.choice_of("x", ff.compile_regex("y+", BYTES))), 0, 2)
    ),
    BYTES,
)._dump()
CAPTURED_BODY = json.loads(zlib.decompress(CAPTURED[HEADER.size :]))


def forged(text: bytes, version: int = VERSION, fingerprint: bytes | None = None) -> bytes:
    """A file around some text, with a checksum that fits."""
    rest = (fingerprint or FILE[HEADER.size - 32 : HEADER.size]) + zlib.compress(text)
    return HEADER.pack(MAGIC, version, hashlib.sha256(rest).digest(), rest[:32]) + rest[32:]


def with_body(**changes: Any) -> bytes:
    return forged(json.dumps({**BODY, **changes}).encode())


def with_outline(outline: Any) -> bytes:
    return forged(json.dumps({**CAPTURED_BODY, "outline": outline}).encode())


def with_template(place: int, value: Any) -> bytes:
    """A file in which one part of the first template with an `again` is changed."""
    templates = json.loads(json.dumps(BODY["templates"]))
    next(one for one in templates if one[2] is not None)[place] = value
    return with_body(templates=templates)


def with_node(*nodes: Any) -> bytes:
    """A file with more nodes. The last of them is the expression of every lexeme."""
    all_nodes = [*BODY["nodes"], *nodes]
    lexeme = [len(all_nodes) - 1, "x", False, False, None, False]
    return with_body(nodes=all_nodes, lexemes=[lexeme] * len(BODY["lexemes"]))


def test_cut_or_damaged_anywhere() -> None:
    for end in range(len(FILE)):
        with pytest.raises(CompiledFileError):
            ff.load(FILE[:end], BYTES)
    bits = random.Random(1)
    for place in range(len(FILE)):
        damaged = bytearray(FILE)
        damaged[place] ^= 1 << bits.randrange(8)
        with pytest.raises(CompiledFileError):
            ff.load(bytes(damaged), BYTES)
    for more in (b"\0", b"\xff" * 100, FILE):
        with pytest.raises(CompiledFileError):
            ff.load(FILE + more, BYTES)


FORGED: dict[str, Callable[[], bytes]] = {
    "not JSON": lambda: forged(b"\xff{"),
    "not an object": lambda: forged(b"[]"),
    "deep": lambda: forged(b"[" * 200_000),
    "long number": lambda: forged(b'{"nodes":' + b"9" * 10_000 + b"}"),
    "other version": lambda: forged(json.dumps(BODY).encode(), version=VERSION + 1),
    "other vocabulary": lambda: forged(json.dumps(BODY).encode(), fingerprint=b"\1" * 32),
    "part missing": lambda: forged(b'{"nodes": []}'),
    "start is a lexeme": lambda: with_body(start=0),
    "start is a boolean": lambda: with_body(start=True),
    "start is negative": lambda: with_body(start=-1),
    "start is NaN": lambda: with_body(start=float("nan")),
    "start out of range": lambda: with_body(start=2 * len(BODY["names"]) + 1),
    "no productions": lambda: with_body(productions=[]),
    "only a circle": lambda: with_body(productions=[[0, [1]]]),
    "symbol out of range": lambda: with_body(productions=[[0, [2 * len(BODY["lexemes"])]]]),
    "symbol is a boolean": lambda: with_body(productions=[[0, [True]]]),
    "symbol is a text": lambda: with_body(productions=[[0, ["a"]]]),
    "head is a boolean": lambda: with_body(productions=[[False, [0]]]),
    "production of a parametric head": lambda: with_body(productions=[[BODY["parametric"][0][0], [0]]]),
    "parametric out of range": lambda: with_body(parametric=[[len(BODY["names"]), 3, False]]),
    "too many bits": lambda: with_body(parametric=[[number, 1 << 40, False] for number, *_ in BODY["parametric"]]),
    "joined is a number": lambda: with_body(parametric=[[number, bits, 1] for number, bits, _ in BODY["parametric"]]),
    "template of a plain head": lambda: with_template(0, BODY["start"] >> 1),
    "template goes on with a plain one": lambda: with_template(2, BODY["start"] >> 1),
    "template that does not read": lambda: with_template(1, []),
    "template symbol out of range": lambda: with_template(1, [2 * len(BODY["lexemes"])]),
    "template bit out of range": lambda: with_template(3, 3),
    "template needs bits out of range": lambda: with_template(4, 8),
    "template count is negative": lambda: with_template(5, [[-1, None], [0, None]]),
    "template has one count": lambda: with_template(5, [[0, None]]),
    "template adds two": lambda: with_template(6, [2, 0]),
    "further bits": lambda: with_template(7, 1 << 90),
    "settled bits": lambda: with_template(8, [1, 0]),
    "a distance between words": lambda: with_template(8, [1, 16]),
    "a distance beyond the bits": lambda: with_template(8, [1, 1 << 20]),
    "guard out of range": lambda: with_template(9, [[0, len(BODY["lexemes"]), True]]),
    "guard of a bit out of range": lambda: with_template(9, [[1 << 40, 0, True]]),
    "guard that says 1": lambda: with_template(9, [[0, 0, 1]]),
    "beside a lexeme out of range": lambda: with_template(10, len(BODY["lexemes"])),
    "names are no texts": lambda: with_body(names=[1] * len(BODY["names"])),
    "lexeme flag is a number": lambda: with_body(lexemes=[[0, "x", 0, 0]]),
    "check out of range": lambda: with_body(lexemes=[[*one[:4], 0, one[5]] for one in BODY["lexemes"]]),
    "unknown check": lambda: with_body(checks=["odd"]),
    "check is no text": lambda: with_body(checks=[["unique"]]),
    "checks, but not delimited": lambda: forged(json.dumps({**CHECKED_BODY, "delimited": False}).encode()),
    "node of itself": lambda: with_node(["complement", len(BODY["nodes"])]),
    "negative node": lambda: with_node(["complement", -1]),
    "bad hexadecimal": lambda: with_node(["set", "zz"]),
    "unknown kind": lambda: with_node([{}, 1]),
    "bad repeat": lambda: with_node(["repeat", 0, 7, 5]),
    "huge repeat": lambda: with_node(["repeat", 0, 0, 1 << 40]),
    "multiples of 0": lambda: with_node(["multiples", 0, 0, 0, None, None]),
    "multiples of 2 ** 63": lambda: with_node(["multiples", 1 << 63, 0, 0, None, None]),
    "carry as large as the divisor": lambda: with_node(["multiples", 7, 7, 0, None, None]),
    "negative carry": lambda: with_node(["part", 7, -1, 2]),
    "carry is a boolean": lambda: with_node(["part", 7, True, 2]),
    "divisor is a text": lambda: with_node(["part", "7", 1, 2]),
    "divisor is no number": lambda: with_node(["multiples", None, 0, 0, None, None]),
    "digits out of order": lambda: with_node(["multiples", 7, 0, 5, 4, None]),
    "too many digits": lambda: with_node(["multiples", 7, 0, 0, 1 << 32, None]),
    "too many places": lambda: with_node(["part", 7, 0, 1 << 40]),
    "part without places": lambda: with_node(["part", 7, 0, None]),
    "multiples with parts missing": lambda: with_node(["multiples", 7]),
    "doubled 60 times": lambda: with_node(
        ["literal", "61"], *[["concat", len(BODY["nodes"]) + i, len(BODY["nodes"]) + i] for i in range(60)]
    ),
    "matches nothing": lambda: with_node(["union"]),
    "too many productions": lambda: with_body(productions=[[0, [0]]] * 1001),
    "part of itself": lambda: with_outline([["sequence", [0], None, False]]),
    "part of two parts": lambda: with_outline([["text", [], "61", False], ["capture", [0, 0], "a", False]]),
    "empty part": lambda: with_outline([["text", [], "", False]]),
    "unknown part": lambda: with_outline([["word", [], "61", False]]),
    "part of a symbol out of range": lambda: with_outline([["grammar", [], 10**6, False]]),
    "part of an unknown token": lambda: with_outline([["tokens", [], [3], False]]),
    "name is a number": lambda: with_outline([["text", [], "61", False], ["capture", [0], 3, False]]),
    "rounds out of order": lambda: with_outline([["text", [], "61", False], ["repeat", [0], [2, 1], False]]),
    "parts of a grammar with skips": lambda: with_body(outline=[["text", [], "61", False]]),
    "too large": lambda: forged(b" " * 2_000_000 + json.dumps(BODY).encode()),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged(name: str) -> None:
    with pytest.raises(CompiledFileError):
        ff.load(FORGED[name](), BYTES, limits=Limits(rules=1000, source_bytes=1_000_000))


@pytest.mark.parametrize(
    "source",
    [BODY, CHECKED_BODY, JOINED_BODY, GUARDED_BODY, CAPTURED_BODY],
    ids=["plain", "checked", "joined", "guarded", "captured"],
)
def test_random_forgeries_load_or_are_refused(covered: Callable[[str], None], source: Any) -> None:
    choose = random.Random(2)
    odd = [None, True, -1, 0, 1, 2, 3, 5, 10**6, 2**32, 10**30, 1.0, "", "x", [], [0], {}, "any", "empty", "union"]
    loaded = 0
    for _ in range(500):
        body = json.loads(json.dumps(source))
        at: Any = body
        while True:
            key = choose.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if not isinstance(at[key], list) or not at[key] or choose.random() < 0.1:
                break
            at = at[key]
        at[key] = choose.choice(odd)
        try:
            matcher = ff.load(forged(json.dumps(body).encode()), BYTES).matcher()
        except CompiledFileError:
            continue
        loaded += 1
        for _ in range(20):
            allowed = matcher.allowed_token_ids()
            if not len(allowed):
                break
            assert matcher.accept_token(int(choose.choice(list(allowed))))
        # (an outline that does not fit the grammar has captures that mean nothing)
        if body["outline"]:
            with contextlib.suppress(ff.FFGrammarError):
                matcher.captures()
    covered(f"500 forged files, {loaded} of them grammars")


def test_a_small_file_of_very_many_parts_is_refused_before_it_is_read() -> None:
    text = b"[" + b"[]," * 300_000 + b"[]]"
    with pytest.raises(CompiledFileError, match="more parts"):
        ff.load(forged(text), BYTES, limits=Limits(source_bytes=1_000_000))
    with pytest.raises(CompiledFileError, match="not an object"):
        ff.load(forged(text), BYTES)


def test_a_number_is_no_path() -> None:
    for source in (0, 1, None):
        with pytest.raises(TypeError):
            ff.load(source, BYTES)  # type: ignore[arg-type]


def test_masks_are_the_same() -> None:
    fresh = ff.compile_json_schema(SCHEMA, BYTES, property_order="any").matcher()
    again = ff.load(FILE, BYTES).matcher()
    for byte in b'{"b": [3, "y"], "a": "xx", "d": 12.32, "c": {"a": "x"}}':
        assert list(fresh.allowed_token_ids()) == list(again.allowed_token_ids())
        assert fresh.accept_token(byte) and again.accept_token(byte)
    assert fresh.is_accepting() and again.is_accepting()
