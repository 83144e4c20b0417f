"""Look-around: byte expressions against the tree matcher, and the tree matcher against the `regex` package."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower import lowering as lw
from ffgrammar.regex.lower.look_around_loops import loop_after, loop_before
from ffgrammar.regex.syntax.parser import parse
from oracle.regex import tree_search

CASES = json.loads((Path(__file__).parent / "cases" / "regex_look.json").read_text(encoding="utf-8"))
LETTERS = "ab-"
TEXTS = ["".join(text) for length in range(5) for text in itertools.product(LETTERS, repeat=length)]
LONG_TEXTS = ["".join(random.Random(seed).choices(LETTERS, k=9)) for seed in range(40)]

ATOMS = ["a", "b", "-", "[ab]", ".", "[^a]", "ab", r"\w", "a?", "b*", ".*", r"\b", r"\B", "^", "$", "()"]
OPENINGS = ["(?=", "(?!", "(?<=", "(?<!"]


def _above(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(st.sampled_from(OPENINGS), inner, st.just(")")).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.tuples(st.just("(?:"), inner, st.just("|"), inner, st.just(")")).map("".join),
        st.tuples(
            st.just("(?:"), inner, st.just(")"), st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,9}", "{2,}"])
        ).map("".join),
    )


patterns = st.tuples(
    st.sampled_from(["", "^"]), st.recursive(st.sampled_from(ATOMS), _above, max_leaves=8), st.sampled_from(["", "$"])
).map("".join)


@given(patterns)
def test_look_around_is_exact_or_refused(pattern: str) -> None:
    store = ExprStore()
    try:
        expr = lw.compile_regex(store, pattern, "ecma", search=True)
    except UnsupportedError as error:
        assert error.column is not None
        return
    tree = parse(pattern, "ecma")
    for text in [*TEXTS, *LONG_TEXTS]:
        assert store.matches(expr, text.encode()) == tree_search(tree, text), text


@given(patterns)
def test_the_oracle_means_what_the_regex_package_says(pattern: str) -> None:
    compiled = regex.compile(pattern.replace("$", r"\Z"), regex.ASCII)
    tree = parse(pattern, "ecma")
    for text in TEXTS[::3]:
        try:
            expected = compiled.search(text, timeout=1)
        except TimeoutError:
            return
        assert tree_search(tree, text) == bool(expected), text


def _accepted(pattern: str) -> bool:
    try:
        lw.compile_regex(ExprStore(), pattern, "ecma", search=True)
    except UnsupportedError:
        return False
    return True


def test_few_random_patterns_are_refused() -> None:
    rng = random.Random(7)

    def one(depth: int) -> str:
        kind = rng.random()
        if depth == 0 or kind < 0.3:
            return rng.choice(ATOMS)
        if kind < 0.6:
            return one(depth - 1) + one(depth - 1)
        if kind < 0.7:
            return f"(?:{one(depth - 1)}|{one(depth - 1)})"
        if kind < 0.8:
            return f"(?:{one(depth - 1)}){rng.choice(['*', '+', '?', '{1,3}'])}"
        return f"{rng.choice(OPENINGS)}{one(depth - 1)})"

    made = [one(rng.choice([2, 3])) for _ in range(1000)]
    assert sum(not _accepted(pattern) for pattern in made) < 20


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["pattern"])
def test_examples(case: dict[str, Any]) -> None:
    tree = parse(case["pattern"], "ecma")
    for encode in (lw.UTF8, lw.JSON_CANONICAL, lw.JSON_ANY):
        store = ExprStore()
        expr = lw.lower_search(tree, store, encode)
        for text in [*case["accepted"], *case["rejected"]]:
            expected = text in case["accepted"]
            assert tree_search(tree, text) == expected, text
            spelled = text if encode is lw.UTF8 else json.dumps(text, ensure_ascii=False)[1:-1]
            assert store.matches(expr, spelled.encode()) == expected, text


# Kinds of patterns that people write, on the texts beside them

PEOPLE = {
    r"^(?!(?:con|prn|aux|nul)$)[a-z]+$": (["co", "cona"], ["con", "aux", ""]),
    r"^(?=.{1,20}$)(?:(?!-)[a-zA-Z0-9-]{1,8}(?<!-)\.)+[a-z]{2,6}$": (["a-b.co"], ["-a.co", "a-.co", "abcdefghi.co"]),
    r"^(?!0+$)\d{1,5}(?:\.\d+)?$": (["1", "001", "0.5"], ["0", "000", "1."]),
    r"^P(?!$)(\d+Y)?(\d+M)?(T(?=\d)(\d+H)?(\d+S)?)?$": (["P1Y", "PT1S", "P1YT2H"], ["P", "PT", "P1YT", "1Y"]),
    r"^(?:(?!foo|bar).)+$": (["fo", "ba-r"], ["foo", "xbar", ""]),
    r"^[a-z]+(?:-(?!-)[a-z]+)*$": (["a-b"], ["a--b", "a-"]),
    r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$": (["1.2.3.4"], ["1.2.3.4.", "1.2.3", "1.2.3.256"]),
    r"(?:(?!ab)\w)+": (["b", "aba"], ["-", ""]),
    r"^\S+(?: \S+)*(?<! )$": (["a", "a b"], ["a ", " a", "a  b"]),
    r"^(?=(?:.*\d){3})[a-z\d]+$": (["1a2b3", "123"], ["12a", "123-"]),
    r"^(?:\d{3}(?=,)|,(?=\d))*\d{3}$": (["123", "123,456"], ["123456", "123,"]),
    r"(?i)^(?!straße)": (["s", ""], ["STRAßE", "straßen"]),
}


@pytest.mark.parametrize("pattern", PEOPLE)
@pytest.mark.parametrize("encode", [lw.UTF8, lw.JSON_CANONICAL, lw.JSON_ANY], ids=["utf8", "canonical", "any"])
def test_patterns_of_people(pattern: str, encode: lw.Encoding) -> None:
    store = ExprStore()
    expr = lw.compile_regex(store, pattern, "ecma", encode=encode, search=True)
    accepted, rejected = PEOPLE[pattern]
    for text in accepted:
        assert store.matches(expr, text.encode()), text
    for text in rejected:
        assert not store.matches(expr, text.encode()), text
    # conditions speak of texts, never of broken ones
    for broken in (b"\xff", b"a\xc3", b"\xed\xa0\x80"):
        assert not store.matches(expr, broken)


@pytest.mark.parametrize(
    ("pattern", "column", "why"),
    [
        (r"^(\w+\b\W*)+$", 6, "several ways"),
        (r"^(?:(?!foo).)*bar.*$", 5, "several ways"),
        (r"^(?:(?=a.*)b(?<=.*a)-?)*$", 5, "both ways"),
        (r"^.(?=.*b)a*(?<=a.*)$", 3, "crosses"),
        (r"^a(?=.*(?<=a.*b)c)", 3, "too far"),
    ],
)
def test_what_is_refused_has_its_column(pattern: str, column: int, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why) as caught:
        lw.compile_regex(ExprStore(), pattern, "ecma", search=True)
    assert caught.value.column == column


def test_look_around_in_a_full_match_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="look-around") as caught:
        lw.compile_regex(ExprStore(), "a(?=b)", "ecma")
    assert caught.value.column == 2


def test_loops_are_refused_when_ways_to_read_a_text_do_not_agree() -> None:
    store = ExprStore()
    a, b = store.literal(b"a"), store.literal(b"b")
    anything = store.repeat(store.byte_set(b"ab"), 0, None)
    b_first, b_last = store.concat([b, anything]), store.concat([anything, b])
    # (a(?=b)|b)*: if nothing follows, there is one way to read a text; if any text follows, the loop may end early
    bodies = [([a, 1], [b_first]), ([b], [])]
    made = loop_after(store, bodies, 0, None, 1)
    assert made is not None
    assert [text for text in (b"", b"ab", b"bab", b"a", b"aab", b"ba") if store.matches(made, text)] == [
        b"",
        b"ab",
        b"bab",
    ]
    assert loop_after(store, bodies, 0, None, anything) is None
    # ((?<=b)a|b)*, after nothing, or after any text
    bodies = [([1, a], [b_last]), ([b], [])]
    made = loop_before(store, bodies, 1, 2, 1)
    assert made is not None
    assert [text for text in (b"", b"ba", b"b", b"a", b"baa", b"bab") if store.matches(made, text)] == [b"ba", b"b"]
    assert loop_before(store, bodies, 1, 2, anything) is None


HOSTILE = [
    r"^(?:(?:a|b)(?!c)){1,100000}$",
    "(?=a" * 200 + ")" * 200,
    "(?!a" * 200 + ")" * 200,
    r"^" + r"(?=.*a)" * 300,
    r"\b" * 10_000,
    r"\ba" * 12,
    r"(?:a|\b)" * 40,
    r"^(?:" + "|".join(f"a{i}(?!b{i})" for i in range(300)) + ")*$",
    r"^(?:(?!" + "|".join(f"word{i}" for i in range(2000)) + ").)*$",
    r"^(?:(?!" + "a?" * 200 + "b).)*$",
    r"^(?!" + "(a|b)*a" + "(a|b)" * 200 + ")c",
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda pattern: f"{pattern[:24]}-{len(pattern)}")
def test_hostile_patterns_end(pattern: str) -> None:
    store = ExprStore(Limits(alternatives=2000))
    try:
        lw.compile_regex(store, pattern, "ecma", search=True)
    except (UnsupportedError, LimitError, GrammarError):
        pass
    assert len(store) < 2 * len(pattern) + 2000
