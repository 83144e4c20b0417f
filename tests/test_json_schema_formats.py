"""`format`: examples from each RFC, every code point of IDNA, random texts against the standard library and `idna`."""

from __future__ import annotations

import ipaddress
import json
import random
import re
import unicodedata
import uuid
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.json_schema import build
from ffgrammar.grammar.json_schema.strings.formats import FORMATS
from ffgrammar.grammar.json_schema.strings.idn_table import members
from ffgrammar.grammar.json_schema.strings.strings import Strings
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.syntax.charset import contains
from ffgrammar.regex.syntax.parser import parse
from sentences import BYTES, is_sentence

CASES = json.loads((Path(__file__).parent / "cases" / "formats.json").read_text(encoding="utf-8"))


def accepts(schema: Any, value: Any, **options: Any) -> bool:
    """Whether a value is in the language of a schema."""
    return is_sentence(compile_json_schema(schema, BYTES, **options), json.dumps(value, ensure_ascii=False))


@cache
def _strings() -> Strings:
    return Strings(ExprStore())


def obeys(name: str, text: str, draft: int = 2020) -> bool:
    """Whether a text is in a format."""
    strings = _strings()
    spelled = json.dumps(text, ensure_ascii=False)[1:-1].encode()
    return strings.store.matches(strings.format(name, draft), spelled)


def test_there_are_examples_of_every_format() -> None:
    assert {case["format"] for case in CASES} == FORMATS


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["format"])
def test_examples(case: dict[str, Any]) -> None:
    name = case["format"]
    assert [text for text in case["accepted"] if not obeys(name, text)] == []
    assert [text for text in case["rejected"] if obeys(name, text)] == []
    schema = {"type": "string", "format": name}
    assert accepts(schema, case["accepted"][0]) and not accepts(schema, case["rejected"][0])
    # values that are not strings have every format
    assert accepts({"format": name}, 12) and accepts({"format": name}, [""])
    if name == "regex":
        return
    opposite = {"type": "string", "not": {"format": name}}
    assert accepts(opposite, case["rejected"][0]) and not accepts(opposite, case["accepted"][0])


def test_what_is_not_enforced_is_warned_about() -> None:
    assert accepts({"format": "colour"}, "x")
    [line] = build({"format": "regex"}, ExprStore()).warnings
    assert line.startswith("at /format") and "20 nested groups" in line
    with pytest.raises(UnsupportedError, match="inside `not`"):
        build({"not": {"format": "regex"}}, ExprStore())
    assert "unknown" in build({"items": {"format": "colour"}}, ExprStore()).warnings[0]
    [line] = build({"format": "idn-hostname"}, ExprStore()).warnings
    assert line.startswith("at /format") and "Punycode" in line
    assert accepts({"format": "date"}, "x", formats="annotation")


def test_pointers_that_move_in_arrays_are_of_draft_2020() -> None:
    assert obeys("relative-json-pointer", "0+1") and not obeys("relative-json-pointer", "0+1", 2019)
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "format": "relative-json-pointer"}
    assert accepts(schema, "1/a") and not accepts(schema, "0-1")


def test_groups_of_regexes_nest() -> None:
    assert obeys("regex", "(" * 20 + "a" + ")*" * 20)
    assert not obeys("regex", "(" * 21 + "a" + ")" * 21)


# Our own parser judges the patterns, except for those that it does not support, and for annex B.
@given(st.lists(st.sampled_from(r"a|b|(|(?:|)|*|+?|{2}|{2,1}|[|]|^|-|z-a|\d|\|\]|(?=|$|.|a-z".split("|")), max_size=7))
def test_regexes_are_patterns(parts: list[str]) -> None:
    text = "".join([*parts])
    try:
        parse(text, "ecma")
        valid = True
    except UnsupportedError:
        return
    except GrammarError:
        valid = False
    if obeys("regex", text):
        assert valid, text
    elif valid:
        # annex B reads these as plain characters where the main grammar does not
        assert re.search(r"[\]{}]|-", text), text


# Against the standard library


@given(st.from_regex(r"\A[0-9]{4}-[01][0-9]-[0-3][0-9]\Z"))
def test_dates(text: str) -> None:
    try:
        datetime.strptime(text, "%Y-%m-%d")
        valid = True
    except ValueError:
        # years begin at 1 there
        valid = text.startswith("0000") and obeys("date", "2000" + text[4:])
    assert obeys("date", text) == valid


@given(st.from_regex(r"\A[0-2]?[0-9]{1,2}(\.[0-2]?[0-9]{1,2}){2,4}\Z"))
def test_ipv4(text: str) -> None:
    try:
        ipaddress.IPv4Address(text)
        valid = True
    except ValueError:
        valid = False
    assert obeys("ipv4", text) == valid


@given(st.lists(st.sampled_from(["::", ":", "1", "ab", "ffff", "12345", "g", "1.2.3.4", "1:2", "3:4:5"]), max_size=9))
def test_ipv6(parts: list[str]) -> None:
    for text in ("".join(parts), ":".join(parts)):
        try:
            ipaddress.IPv6Address(text)
            valid = True
        except ValueError:
            valid = False
        assert obeys("ipv6", text) == valid, text


@given(st.uuids())
def test_uuid(value: uuid.UUID) -> None:
    assert obeys("uuid", str(value)) and obeys("uuid", str(value).upper()) and not obeys("uuid", value.hex)


clock = st.from_regex(r"\A[0-2][0-9]:[0-5][0-9]:(60|[0-6][0-9])(\.[0-9]{1,2})?(Z|[+-][0-2][0-9]:[0-6][0-9])\Z")


@given(clock | st.from_regex(r"\A[0-2][0-9]:[0-5][0-9]:60[+-][01][0-9]:[0-5][0-9]\Z"))
def test_times(text: str) -> None:
    found = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))", text, re.ASCII)
    assert found
    hour, minute, second = int(found[1]), int(found[2]), int(found[3])
    off = (int(found[6]) * 60 + int(found[7])) * (-1 if found[5] == "-" else 1) if found[5] else 0
    valid = hour < 24 and minute < 60 and (not found[5] or (int(found[6]) < 24 and int(found[7]) < 60))
    if second == 60:
        valid = valid and (hour * 60 + minute - off) % 1440 == 1439
    assert obeys("time", text) == (valid and second <= 60), text
    assert obeys("date-time", f"2024-02-29T{text}") == (valid and second <= 60)


# Internationalized host names


def test_every_character_is_what_rfc_5892_says() -> None:
    idnadata = pytest.importorskip("idna").idnadata
    from idna.intranges import intranges_contain

    classes = idnadata.codepoint_classes
    assert build({"format": "idn-hostname"}, ExprStore()).warnings
    if idnadata.__version__ != "18.0.0":
        pytest.skip("the idna package has tables of another Unicode version")
    for code_point in range(0x110000):
        expected = any(intranges_contain(code_point, classes[name]) for name in ("PVALID", "CONTEXTJ", "CONTEXTO"))
        assert contains(members(), code_point) == expected, hex(code_point)


def test_properties_are_those_of_unicode() -> None:
    same = {"mark": "M", "an": "bc=AN", "en": "bc=EN", "nsm": "bc=NSM", "virama": "ccc=9"}
    text = "".join(chr(code_point) for first, last in members() for code_point in range(first, last + 1))
    for name, prop in same.items():
        expected = set(regex.findall(rf"\p{{{prop}}}", text))
        found = {chr(point) for first, last in members(name) for point in range(first, last + 1)}
        # the package may have another version of Unicode: only characters that the interpreter knows are compared
        assert {char for char in expected ^ found if unicodedata.category(char) != "Cn"} == set(), name


LETTERS = (
    "abl1-.\u00b7\u0375\u05f3\u30fb\u0660\u06f1\u200c\u200d\u0301\u0308\u0327\u0323\u094d\u093e\u0915\u03b1\u05d0\u0628"
    "\u0627\u064b\u30a2\u4e00\u00e9\u00df\u3002\u302e\u0640\u1100\uac00\u09be\u09c7\u07d0\u0f71\u0f72\u1fbf\u00c9A\u0663"
)


def _is_idn_hostname(text: str) -> bool:
    idna = pytest.importorskip("idna")
    try:
        idna.encode(text)
    except UnicodeError:
        return False
    return not text.endswith((".", "\u3002"))


@given(st.text(alphabet=LETTERS, max_size=7) | st.text(alphabet="aA1-.xXnN", max_size=9))
def test_idn_hostnames_are_those_of_the_idna_package(text: str) -> None:
    if any(label[2:4] == "--" and label[:2].lower() == "xn" for label in re.split("[.\u3002]", text)):
        # such a label is not decoded
        return
    assert obeys("idn-hostname", text) == _is_idn_hostname(text)


def test_what_is_not_looked_at_is_never_rejected() -> None:
    idna = pytest.importorskip("idna")
    rng = random.Random(5)
    chars = [chr(rng.randint(first, last)) for first, last in members() for _ in range(2)]
    count = 0
    for _ in range(2000):
        text = "".join(rng.choices(chars, k=rng.randint(1, 12)))
        try:
            spelled = idna.encode(text).decode()
        except UnicodeError:
            continue
        count += 1
        for name in ("hostname", "idn-hostname"):
            assert obeys(name, spelled) and obeys(name, spelled.upper()), spelled
        assert obeys("idn-hostname", text)
    assert count > 300


# Cost


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_formats_are_small(name: str) -> None:
    store = ExprStore()
    Strings(store).format(name, 2020)
    assert len(store) < 5_000
