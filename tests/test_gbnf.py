"""GBNF and EBNF: tests/cases/gbnf.json on the engine and two slow recognisers; tests/cases/gbnf_errors.json; limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.grammar import gbnf
from ffgrammar.grammar.gbnf.dialects import DIALECTS
from ffgrammar.grammar.gbnf.reader import read
from ffgrammar.regex.expr.store import ExprStore
from oracle.anywhere import AnywhereChart
from oracle.gbnf import Rules
from sentences import BYTES, is_sentence

CASES_DIR = Path(__file__).parent / "cases"
COMPILE: dict[str, Callable[..., ff.Grammar]] = {"gbnf": ff.compile_gbnf, "ebnf": ff.compile_ebnf}


def load(name: str) -> list[Any]:
    """The cases of a file, once for each dialect; as parameters of a test."""
    cases = json.loads((CASES_DIR / name).read_text(encoding="utf-8"))
    return [
        pytest.param(case, dialect, id=f"{dialect}: {case['name']}") for case in cases for dialect in case["dialects"]
    ]


CASES = load("gbnf.json")
ERRORS = load("gbnf_errors.json")


def build(text: str, dialect: str = "gbnf", **limits: int) -> Any:
    bounds = ff.Limits(**limits)
    return gbnf.build(text, ExprStore(bounds), bounds, dialect=dialect)


@pytest.mark.parametrize(("case", "dialect"), CASES)
def test_the_engine_agrees_with_the_case(case: dict[str, Any], dialect: str, cl100k: ff.Tokenizer) -> None:
    for tokenizer in (BYTES, cl100k):
        grammar = COMPILE[dialect](case["grammar"], tokenizer, start=case.get("start", "root"))
        assert grammar.kind == dialect
        for text in case["accepted"]:
            assert is_sentence(grammar, text), text
        for text in case["rejected"]:
            assert not is_sentence(grammar, text), text


@pytest.mark.parametrize(("case", "dialect"), CASES)
def test_the_definition_agrees_with_the_case(case: dict[str, Any], dialect: str) -> None:
    source = read(case["grammar"], DIALECTS[dialect], ff.Limits())
    if any(op.code == "dispatch" for rule in source.rules.values() for op in rule.body):
        pytest.skip("the definition has no dispatches")
    rules = Rules(source.rules, case.get("start", "root"))
    for text in case["accepted"]:
        assert rules.accepts(text.encode()) and rules.begins(text.encode()), text
    for text in case["rejected"]:
        assert not rules.accepts(text.encode()), text


@pytest.mark.parametrize(("case", "dialect"), CASES)
def test_the_lexemes_may_be_cut_anywhere(case: dict[str, Any], dialect: str) -> None:
    """The grammar itself, read by the definition of `lexing="any"`."""
    limits = ff.Limits()
    grammar = gbnf.build(case["grammar"], ExprStore(limits), limits, dialect=dialect, start=case.get("start", "root"))
    chart = AnywhereChart(grammar)
    for text in case["accepted"]:
        assert chart.accepts(tuple(text.encode())), text
    for text in case["rejected"]:
        assert not chart.accepts(tuple(text.encode())), text


@pytest.mark.parametrize(("case", "dialect"), ERRORS)
def test_errors_name_the_cause_and_the_place(case: dict[str, Any], dialect: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        COMPILE[dialect](case["grammar"], cl100k)
    error = caught.value
    assert type(error).__name__ == case["error"]
    assert case["message"] in str(error)
    assert (error.line, error.column) == (case["line"], case["column"]), error


def test_an_error_shows_its_line() -> None:
    with pytest.raises(ff.GrammarError) as caught:
        build('root ::= item+\nitem ::= "- " ' + '"x" ' * 40 + "iten" + ' "y"' * 60)
    _, line, mark = str(caught.value).split("\n")
    assert line[mark.index("^") :].startswith('iten "y"') and len(line) < 160
    assert caught.value.message.startswith("iten is not defined; did you mean item?")


def test_arguments_are_checked(cl100k: ff.Tokenizer) -> None:
    for compile_text in COMPILE.values():
        with pytest.raises(TypeError, match="text"):
            compile_text(b'root ::= "a"', cl100k)
        with pytest.raises(TypeError, match="start"):
            compile_text('root ::= "a"', cl100k, start=1)
        with pytest.raises(ff.GrammarError, match="no rule 'b' to start with; the rules are "):
            compile_text('root ::= "a"', cl100k, start="b")


@pytest.mark.parametrize(
    ("text", "lexemes"),
    [
        ('root ::= [a-z]+ ("," ws [a-z]+)*\nws ::= [ ]*', 1),  # no recursion, so one expression
        (r"root ::= [a-z]+ ws" + "\n" + r"ws ::= ([ \t] ws)?", 1),  # recursion at the end is a repetition
        ('root ::= root "," item | item\nitem ::= [a-z]', 1),  # and so is recursion at the beginning
        ('root ::= "(" root ")" | [a-z]+', 3),
        ('root ::= "{" ws ("x" ws root)? "}" ws\nws ::= " "*', 3),  # white space belongs to the mark before it
        ('root ::= ([a-z] | "(" root ")")*', 4),  # letters side by side are one lexeme
    ],
)
def test_what_is_regular_is_one_lexeme(text: str, lexemes: int) -> None:
    assert len(build(text).lexemes) == lexemes


def test_clashing_lexemes_have_groups_of_their_own() -> None:
    assert not any(lexeme.group for lexeme in build('root ::= [a-z]+ "(" root ")" | "."').lexemes)
    assert any(lexeme.group for lexeme in build('root ::= item item\nitem ::= [a-z]+ | "(" root ")"').lexemes)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("root ::= " + "(" * 501 + '"a"' + ")" * 501, "nesting"),
        ('root ::= ("(" root ")"){2000001}', "rules"),
        ('root ::= "a"{99999999999999999999}', "rules"),
        ('root ::= x{,9999}\nx ::= "(" x{,9999} ")"', "rules"),
        (
            "root ::= t0\n" + "".join(f"t{i} ::= t{i + 1} t{i + 1}\n" for i in range(100)) + 't100 ::= "x"',
            "expressions",
        ),
    ],
    ids=["brackets", "repeat", "digits", "many", "doubling"],
)
def test_limits(text: str, limit: str) -> None:
    small = {"expressions": 10_000} if limit == "expressions" else {"rules": 5000} if "9999}" in text[:20] else {}
    with pytest.raises(ff.LimitError) as caught:
        build(text, **small)
    assert caught.value.limit == limit


def test_deep_but_within_the_limit() -> None:
    deep = "root ::= " + "(" * 499 + '"a"' + ' "b")' * 499
    assert is_sentence(ff.compile_gbnf(deep, BYTES), "a" + "b" * 499)
    chain = "root ::= t0\n" + "".join(f't{i} ::= "a" t{i + 1}\n' for i in range(5000)) + 't5000 ::= "x"'
    assert is_sentence(ff.compile_gbnf(chain, BYTES), "a" * 5000 + "x")
    circle = "root ::= t0\n" + "".join(f't{i} ::= "a" t{i + 1}\n' for i in range(2000)) + 't2000 ::= "x" root "y" | "z"'
    assert is_sentence(ff.compile_gbnf(circle, BYTES), "a" * 2000 + "x" + "a" * 2000 + "zy")
    doubled = "root ::= t0\n" + "".join(f"t{i} ::= t{i + 1} t{i + 1}\n" for i in range(60)) + 't60 ::= "(" t60 ")" | ""'
    assert is_sentence(ff.compile_gbnf(doubled, BYTES), "(())()")


GRAMMARS = [case.values[0]["grammar"] for case in CASES]
PIECES = [*'\n\n|()[]{}?*+!<>\\"%.:-^#,=', "::=", "root", '"a"', "[a-z]", "{2,3}", "Token(5)", "<[5]>", "(=", "a ::="]


@given(
    st.sampled_from(GRAMMARS),
    st.sampled_from(["gbnf", "ebnf"]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from(PIECES))),
)
def test_broken_grammars_end_in_an_error_with_a_place(
    text: str, dialect: str, edits: list[tuple[float, int, str]]
) -> None:
    for where, removed, inserted in edits:
        at = int(where * len(text))
        text = text[:at] + inserted + text[at + removed :]
    try:
        build(text, dialect)
    except ff.GrammarError as error:
        lines = text.split("\n")
        assert error.line is not None and error.column is not None
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1


GROWING: dict[str, Callable[[int], str]] = {
    "rules": lambda n: (
        "root ::= r0\n" + "".join(f'r{i} ::= "a{i}" r{i + 1} | "b"\n' for i in range(n)) + f'r{n} ::= "x"'
    ),
    "strings": lambda n: "root ::= " + " | ".join(f'"word{i}"' for i in range(n)),
    "classes": lambda n: "root ::= " + " ".join(f"[a-z{i}]+" for i in range(n)),
    "open classes": lambda n: "root ::= " + "[a" * n,
    "backslashes": lambda n: 'root ::= "' + "\\\\" * n,
    "bars": lambda n: "root ::= " + "|" * n,
    "blank lines": lambda n: 'root ::= "a"' + "\n" * n,
    "comments": lambda n: "#\n" * n + 'root ::= "a"',
    "repeats": lambda n: 'root ::= "a"' + "*" * n,
    "recursive rules": lambda n: (
        "root ::= "
        + " | ".join(f"r{i}" for i in range(n))
        + "\n"
        + "".join(f'r{i} ::= "a{i}" r{i} "b" | "c"\n' for i in range(n))
    ),
}


@pytest.mark.parametrize("name", GROWING)
def test_grammars_grow_with_their_text_and_no_faster(name: str) -> None:
    def size(count: int) -> int:
        try:
            grammar = build(GROWING[name](count))
        except ff.GrammarError:
            return 0
        return len(grammar.store) + len(grammar.productions)

    assert size(400) <= 2.5 * size(200) + 100
