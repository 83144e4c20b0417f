"""Patterns -> syntax trees, against the `regex` package, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.syntax import charset as cs
from ffgrammar.regex.syntax.parser import parse
from oracle.regex import tree_fullmatch, tree_search

CASES = Path(__file__).parent / "cases"
ERRORS = json.loads((CASES / "regex_errors.json").read_text(encoding="utf-8"))
MATCHES = json.loads((CASES / "regex.json").read_text(encoding="utf-8"))
KINDS = {"malformed": GrammarError, "unsupported": UnsupportedError}

BORDERS = [0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]


def _name(case: dict[str, Any]) -> str:
    return f"{case['dialect']}: {case['pattern']}"


@pytest.mark.parametrize("case", ERRORS, ids=_name)
def test_errors_have_their_column(case: dict[str, Any]) -> None:
    with pytest.raises(GrammarError) as caught:
        parse(case["pattern"], case["dialect"])
    assert type(caught.value) is KINDS[case["error"]]
    assert caught.value.column == case["column"]
    assert case.get("message", "") in str(caught.value)


@pytest.mark.parametrize("case", MATCHES, ids=_name)
def test_examples(case: dict[str, Any]) -> None:
    tree = parse(case["pattern"], case["dialect"])
    match = tree_search if case.get("search") else tree_fullmatch
    assert [text for text in case["accepted"] if not match(tree, text)] == []
    assert [text for text in case["rejected"] if match(tree, text)] == []


# Character sets

ranges = st.lists(
    st.tuples(st.integers(0, 0x10FFFF), st.integers(0, 0x10FFFF)).map(lambda pair: (min(pair), max(pair))), max_size=6
)
near = st.sampled_from(BORDERS).flatmap(lambda border: st.integers(max(border - 2, 0), min(border + 2, 0x10FFFF)))
near_ranges = st.lists(st.tuples(near, near).map(lambda pair: (min(pair), max(pair))), max_size=6)


def _is_normal(members: cs.Charset) -> bool:
    if any(lo > hi or (lo <= 0xDFFF and hi >= 0xD800) for lo, hi in members):
        return False
    return all(
        before[1] + 1 < after[0] or (before[1], after[0]) == (0xD7FF, 0xE000) for before, after in pairwise(members)
    )


@given(ranges | near_ranges, ranges | near_ranges)
def test_set_algebra(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = cs.from_ranges(left), cs.from_ranges(right)
    edges = {point + step for pair in [*left, *right] for point in pair for step in (-1, 0, 1)}
    edges = {point for point in edges if 0 <= point <= 0x10FFFF}
    made = [cs.union(a, b), cs.intersect(a, b), cs.difference(a, b), cs.negate(a)]
    assert all(_is_normal(members) for members in [a, b, *made])
    for point in {*edges, *BORDERS}:
        in_a = any(lo <= point <= hi for lo, hi in left)
        in_b = any(lo <= point <= hi for lo, hi in right)
        expected = [in_a or in_b, in_a and in_b, in_a and not in_b, not in_a]
        if 0xD800 <= point <= 0xDFFF:
            expected = [False] * 4
        assert [cs.contains(members, point) for members in made] == expected, hex(point)
    assert cs.negate(cs.negate(a)) == a
    assert cs.size(a) + cs.size(cs.negate(a)) == 0x110000 - 0x800


ALL_CHARACTERS = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF)


@pytest.mark.parametrize(
    "name",
    ["L", "Lu", "Nd", "Greek", "Script=Han", "scx=Grek", "Alphabetic", "White_Space", "Emoji", "ASCII", "^Lu", "Any"],
)
def test_properties_are_those_of_the_regex_package(name: str) -> None:
    expected = cs.of_chars(regex.findall(rf"\p{{{name}}}", ALL_CHARACTERS))
    assert parse(rf"\p{{{name}}}") == ("set", expected)
    assert parse(rf"[^\P{{{name}}}]", "ecma") == ("set", expected)
    assert parse(rf"\P{{{name}}}") == ("set", cs.negate(expected))


@pytest.mark.parametrize("letter", "dws")
def test_rust_perl_classes_are_those_of_the_regex_package(letter: str) -> None:
    expected = cs.of_chars(regex.findall(rf"\{letter}", ALL_CHARACTERS))
    assert parse(rf"\{letter}") == ("set", expected)
    assert parse(rf"[\{letter.upper()}]") == ("set", cs.negate(expected))


def test_ecma_perl_classes() -> None:
    assert parse(r"\d", "ecma") == ("set", ((0x30, 0x39),))
    assert parse(r"\w", "ecma") == ("set", cs.of_chars(regex.findall(r"(?a)\w", ALL_CHARACTERS)))
    # ECMA-262: WhiteSpace (tab, vertical tab, form feed, U+FEFF, Zs) and LineTerminator
    space = {"\t", "\v", "\f", "\ufeff", "\n", "\r", "\u2028", "\u2029", *regex.findall(r"\p{Zs}", ALL_CHARACTERS)}
    assert parse(r"\s", "ecma") == ("set", cs.of_chars(space))


def test_case_closure_is_that_of_the_regex_package() -> None:
    cased = regex.findall(r"[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]", ALL_CHARACTERS)
    text = "".join(cased)
    # The package also pairs the dotted and the dotless i with i and I, which simple case folding does not.
    for char in cased[:: max(1, len(cased) // 400)]:
        expected = [other for other in regex.findall(f"(?i){regex.escape(char)}", text) if other not in "\u0130\u0131"]
        if char not in "\u0130\u0131":
            assert cs.case_closure(cs.of_chars(char)) == cs.of_chars(expected), ascii(char)
    for char in "\u0130\u0131":
        assert cs.case_closure(cs.of_chars(char)) == cs.of_chars(char)


class_items = st.sampled_from(
    [
        "a",
        "b",
        "K",
        "é",
        ".",
        "0-9",
        "a-f",
        "α-ω",
        "-",
        r"\-",
        r"\]",
        r"\d",
        r"\W",
        r"\s",
        r"\p{Lu}",
        r"\x41",
        r"\u00e9",
    ]
)


@given(st.lists(class_items, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_classes_are_those_of_the_regex_package(items: list[str], negated: bool, fold: bool) -> None:
    # a hyphen is itself only in first place
    body = "".join(sorted(items, key=lambda item: item != "-")) if items.count("-") < 2 else r"\-"
    pattern = f"[{'^' if negated else ''}{body}]"
    tree = parse(pattern, ignore_case=fold)
    if fold and (r"\p{Lu}" in items or r"\W" in items):
        # the package folds a property differently when it is negated; Rust folds it like any other set
        return
    compiled = regex.compile(f"(?i){pattern}" if fold else pattern)
    members = tree[1] if tree[0] == "set" else cs.of_chars(tree[1])
    edges = {point + step for pair in members for point in pair for step in (-1, 0, 1)}
    for point in {*edges, *BORDERS, *range(0x100), 0x17F, 0x212A}:
        if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF:
            assert cs.contains(members, point) == bool(compiled.fullmatch(chr(point))), hex(point)


@given(st.lists(st.sampled_from(["a-m", "k-z", "0-9", r"\d", "x", "[:alpha:]", "[c-p]", "[^a-e]", "[b-y&&[^h]]"])))
def test_set_operators_of_rust(items: list[str]) -> None:
    def members(pattern: str) -> cs.Charset:
        tree = parse(pattern)
        return tree[1] if tree[0] == "set" else cs.of_chars(tree[1])

    left, right = "".join(items) or "q", "f-t"
    for operator, expected in [
        ("&&", cs.intersect(members(f"[{left}]"), members(f"[{right}]"))),
        ("--", cs.difference(members(f"[{left}]"), members(f"[{right}]"))),
        ("~~", cs.difference(members(f"[{left}{right}]"), members(f"[[{left}]&&{right}]"))),
    ]:
        assert members(f"[{left}{operator}{right}]") == expected
        assert members(f"[^{left}{operator}{right}]") == cs.negate(expected)


# Whole patterns. END stands for "the end of the text", which is `$` here and `\Z` in Python.

END = "\x01"
ATOMS = ["a", "b", "ab", "é", ".", "-", "^", END, "()", "[ab]", "[^a]", "[a-c_]"]
atoms = st.sampled_from([*ATOMS, r"\d", r"\w", r"\W", r"\s", r"\.", r"\x61"])
QUANTIFIERS = ["?", "*", "+", "{2}", "{1,}", "{0,2}", "*?", "{1,2}?"]


def _groups(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(st.sampled_from(["(", "(?:", "(?i:", "(?s:"]), inner, st.just(")")).map("".join),
        st.tuples(st.sampled_from(["(?:", "("]), inner, st.just(")"), st.sampled_from(QUANTIFIERS)).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
    )


patterns = st.recursive(atoms, _groups, max_leaves=8)
subjects = st.text(alphabet="abAB1_é. \n-", max_size=5)


@given(patterns, st.lists(subjects, max_size=8), st.booleans())
def test_patterns_mean_what_the_regex_package_says(pattern: str, texts: list[str], fold: bool) -> None:
    tree = parse(pattern.replace(END, "$"), ignore_case=fold)
    compiled = regex.compile(pattern.replace(END, r"\Z"), regex.IGNORECASE if fold else 0)
    for text in texts:
        assert tree_fullmatch(tree, text) == bool(compiled.fullmatch(text)), text
        assert tree_search(tree, text) == bool(compiled.search(text)), text


@given(patterns, st.lists(subjects, max_size=8))
def test_ecma_differs_in_its_classes_only(pattern: str, texts: list[str]) -> None:
    tree = parse(pattern.replace(END, "$"), "ecma")
    compiled = regex.compile(pattern.replace(END, r"\Z"), regex.ASCII)
    for text in texts:
        assert tree_fullmatch(tree, text) == bool(compiled.fullmatch(text)), text


@given(st.text(alphabet=r"ab01-^$.|?*+()[]{},:=!<>\pPuxLdk&~#i ", max_size=30), st.sampled_from(["rust", "ecma"]))
def test_any_text_parses_or_is_refused(pattern: str, dialect: str) -> None:
    try:
        parse(pattern, dialect)
    except GrammarError as error:
        assert error.column is not None
        assert 1 <= error.column <= len(pattern) + 1


# Size and depth

HUGE = [
    r"(a|b)*a(a|b){200}",
    r".{0,100000}",
    r"((a{0,1000}){0,1000}){0,1000}",
    "a" * 1_000_000,
    r"\." * 300_000,
    "[a-z]" * 100_000,
    "|".join(f"word{i}" for i in range(20_000)),
    "(" * 500 + "a" + ")" * 500,
    "(a|" * 500 + "b" + ")*" * 500,
]


@pytest.mark.parametrize("pattern", HUGE, ids=lambda pattern: f"{pattern[:24]}-{len(pattern)}")
@pytest.mark.parametrize("dialect", ["rust", "ecma"])
def test_large_patterns(pattern: str, dialect: str) -> None:
    assert parse(pattern, dialect)


def test_repeats_stay_repeats() -> None:
    assert parse("a{0,100000}") == ("rep", ("text", "a"), 0, 100000)
    assert parse("((a{0,9}){0,9})*?") == ("rep", ("rep", ("rep", ("text", "a"), 0, 9), 0, 9), 0, None)


@pytest.mark.parametrize(
    ("pattern", "dialect"),
    [("(" * 100_000, "ecma"), ("(?:" * 100_000, "rust"), ("[" * 100_000, "rust"), ("a" + "*" * 100_000, "rust")],
)
def test_nesting_is_limited(pattern: str, dialect: str) -> None:
    with pytest.raises(LimitError, match="nesting=500") as caught:
        parse(pattern, dialect)
    assert caught.value.limit == "nesting"


def test_length_is_limited() -> None:
    with pytest.raises(LimitError, match="source_bytes"):
        parse("a" * 11, limits=Limits(source_bytes=10))


def test_unknown_dialects_are_refused() -> None:
    with pytest.raises(ValueError, match="dialect"):
        parse("a", "perl")


def test_patterns_of_json_schema_need_no_unicode_data() -> None:
    code = (
        "import sys\n"
        "from ffgrammar.regex.syntax.parser import parse\n"
        r"parse(r'^[\w\s\d.é-]+$|\S[^\W_](?i:k)', 'ecma')"
        "\nassert 'regex' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_pattern_of_the_dev_set_parses_or_is_refused_by_name(shared_dir: Path) -> None:
    import gzip

    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("pattern"), str):
                found.add(value["pattern"])
            if isinstance(value.get("patternProperties"), dict):
                found.update(value["patternProperties"])
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    with gzip.open(shared_dir / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            walk(json.loads(line)["schema"])
    refused: dict[str, str] = {}
    for pattern in found:
        try:
            parse(pattern, "ecma")
        except GrammarError as error:
            refused[pattern] = str(error)
    assert len(found) > 500
    not_regular = ("back-reference", "surrogate")
    unexplained = [pattern for pattern, message in refused.items() if not any(what in message for what in not_regular)]
    assert [(pattern, refused[pattern]) for pattern in unexplained if _compiles(pattern)] == []


def _compiles(pattern: str) -> bool:
    try:
        regex.compile(pattern)
    except regex.error:
        return False
    return True


@pytest.mark.parametrize(
    "name", ["Lu", "Cn", "Co", "noncharactercodepoint", "sc=zyyy", "block=cjkexta", "^greek", "nv=1/2"]
)
def test_samples_show_a_property_of_all_characters(name: str) -> None:
    every = "".join([chr(code) for code in range(0x110000)])
    found = [(match.start(), match.end() - 1) for match in regex.finditer(rf"\p{{{name}}}+", every)]
    assert cs.unicode_property(name) == cs.from_ranges(found)


def test_spellings_of_a_property_are_scanned_once() -> None:
    name = "block=greek-extended"
    spellings = ["".join(c.upper() if i >> k & 1 else c for k, c in enumerate(name)) for i in range(64)]
    before = cs._property.cache_info().misses
    found = {cs.unicode_property(one) for one in (*spellings, "Block=Greek_Extended", "block = greek extended")}
    assert len(found) == 1 and None not in found
    assert cs._property.cache_info().misses - before <= 1
    half = cs.unicode_property("nv=1/2")
    minus = [cs.unicode_property(f"nv={sign}1/2") for sign in ("-", "- ", " -", "-_", "_- _")]
    assert set(minus) == {((0xF33, 0xF33),)} and half is not None and minus[0] != half
    assert cs.unicode_property("nv=--1/2") is cs.unicode_property("nv=- -1/2") is None
    assert cs.unicode_property("^Lu") == cs.negate(cs.unicode_property("l u") or ())
