"""The regex and the choice front-ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.grammar import choice, regex
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser


def build_regex(pattern: str, **options: Any) -> Recogniser:
    return Recogniser(regex.build(pattern, ExprStore(), ff.Limits(), **options))


def build_choice(choices: Any, **limits: int) -> Recogniser:
    return Recogniser(choice.build(choices, ExprStore(), ff.Limits(**limits)))


@pytest.mark.parametrize(
    ("pattern", "options", "accepted", "rejected"),
    [
        ("a+b?", {}, ["a", "aab"], ["", "b", "abb"]),
        ("^a|b$", {}, ["a", "b"], ["ab", ""]),
        ("(a|b)*", {}, ["", "abba"], ["c"]),
        ("", {}, [""], ["a"]),
        ("x", {"ignore_case": True}, ["x", "X"], ["y"]),
        (".", {"dot_all": True}, ["\n", "é"], ["", "ab"]),
        ("[\\w-.]", {"dialect": "ecma"}, ["-", "a"], ["é"]),
        ("a*?b", {}, ["b", "aab"], ["aabb"]),
    ],
)
def test_regex(pattern: str, options: dict[str, Any], accepted: list[str], rejected: list[str]) -> None:
    recogniser = build_regex(pattern, **options)
    for text in accepted:
        assert recogniser.accepts(text.encode()), text
    for text in rejected:
        assert not recogniser.accepts(text.encode()), text


@pytest.mark.parametrize(
    ("pattern", "error", "column"),
    [("a(b", "GrammarError", 2), ("ab(?=c)", "UnsupportedError", 3), ("[^\\s\\S]", "GrammarError", None)],
)
def test_regex_errors(pattern: str, error: str, column: int | None) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        build_regex(pattern)
    assert (type(caught.value).__name__, caught.value.column) == (error, column)


def test_regex_on_the_engine(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_regex(r"id-[0-9]{4}(/[a-z]+)?", cl100k)
    matcher = grammar.matcher()
    assert grammar.kind == "regex"
    assert matcher.forced_bytes() == b"id-"
    assert matcher.accept_bytes(b"id-1234") == 7
    assert matcher.is_accepting()
    assert matcher.accept_bytes(b"5") == 0


@given(st.lists(st.text(alphabet="ab\né", max_size=4) | st.binary(max_size=3), min_size=1, max_size=12), st.data())
def test_choice_is_exactly_the_choices(choices: list[str | bytes], data: st.DataObject) -> None:
    recogniser = build_choice(choices)
    texts = {one.encode() if isinstance(one, str) else one for one in choices}
    for text in texts:
        assert recogniser.accepts(text)
    for _ in range(5):
        other = data.draw(st.text(alphabet="ab\né", max_size=5)).encode()
        assert recogniser.accepts(other) == (other in texts)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("yes\nno\n", ["yes", "no"]),
        ("yes\r\nno", ["yes", "no"]),
        ("\ufeff one\n\ntwo ", [" one", "two "]),
        ('["yes", "line\\nbreak", ""]', ["yes", "line\nbreak", ""]),
        (' \n["a"]\n', ["a"]),
        ("a\u2028b", ["a\u2028b"]),
    ],
)
def test_choices_as_a_text(text: str, choices: list[str]) -> None:
    assert choice.read(text, ff.Limits()) == choices
    recogniser = build_choice(text)
    assert all(recogniser.accepts(one.encode()) for one in choices)


@pytest.mark.parametrize(
    ("choices", "place"),
    [
        ([], {}),
        ("", {}),
        ("\n\n", {}),
        ("[]", {}),
        ('["a", 1]', {"pointer": "/1"}),
        (["a", None], {"pointer": "/1"}),
        (["\ud800"], {"pointer": "/0"}),
        ('["\\ud800"]', {"pointer": "/0"}),
        ('["a",\n "b"', {"line": 2, "column": 5}),
        ("[yes]\n[no]", {"line": 1, "column": 2}),
        ("[" * 100_000, {"pointer": "/0"}),
        (b"abc", {}),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_choice_errors(choices: Any, place: dict[str, Any]) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        build_choice(choices)
    error = caught.value
    found = {"line": error.line, "column": error.column, "pointer": error.pointer}
    assert found == {"line": None, "column": None, "pointer": None} | place


def test_choice_limits() -> None:
    for choices in (["aaa", "bbb"], "aaa\nbbb"):
        with pytest.raises(ff.LimitError):
            build_choice(choices, source_bytes=5)


def test_many_choices(cl100k: ff.Tokenizer) -> None:
    words = [f"word{number}" for number in range(20_000)]
    matcher = ff.compile_choice(json.dumps(words), cl100k).matcher()
    assert matcher.forced_bytes() == b"word"
    assert matcher.accept_bytes(b"word19999") == 9
    assert matcher.is_accepting()
    assert matcher.forced_bytes() == b""
