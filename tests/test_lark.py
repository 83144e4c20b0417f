"""The Lark front-end: tests/cases/lark.json on the engine and the slow recogniser, tests/cases/lark_errors.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.grammar import lark
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser

CASES_DIR = Path(__file__).parent / "cases"
CASES = json.loads((CASES_DIR / "lark.json").read_text(encoding="utf-8"))
ERRORS = json.loads((CASES_DIR / "lark_errors.json").read_text(encoding="utf-8"))


def build(text: str, **limits: int) -> Any:
    bounds = ff.Limits(**limits)
    return lark.build(text, ExprStore(bounds), bounds)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_recogniser_agrees_with_the_case(case: dict[str, Any]) -> None:
    recogniser = Recogniser(build(case["lark"]))
    for text in case["accepted"]:
        assert recogniser.accepts(text.encode()), text
    for text in case["rejected"]:
        assert not recogniser.accepts(text.encode()), text


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_engine_agrees_with_the_case(case: dict[str, Any], cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark(case["lark"], cl100k)
    for text in case["accepted"] + case["rejected"]:
        matcher = grammar.matcher()
        whole = matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()
        assert whole == (text in case["accepted"]), text


@pytest.mark.parametrize("case", ERRORS, ids=[case["name"] for case in ERRORS])
def test_errors_name_the_cause_and_the_place(case: dict[str, Any]) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        build(case["lark"])
    error = caught.value
    assert type(error).__name__ == case["error"]
    assert case["message"] in error.message
    assert (error.line, error.column) == (case["line"], case["column"]), error


def test_a_priority_of_a_terminal_is_warned_about() -> None:
    grammar = build('start: A b\nA.2: "a"\nb.3: "b"')
    (warning,) = grammar.warnings
    assert warning.startswith("line 2, column 3: the priority of A has no effect")


def test_the_start_is_an_option() -> None:
    text = 'a: "a" B\nB: "b"'
    for start, sentence in [("a", b"ab"), ("B", b"b")]:
        limits = ff.Limits()
        assert Recogniser(lark.build(text, ExprStore(limits), limits, start=start)).accepts(sentence)
    with pytest.raises(ff.GrammarError, match="no rule 'c'"):
        lark.build(text, ExprStore(), ff.Limits(), start="c")


def test_strings_of_one_rule_are_one_lexeme() -> None:
    grammar = build("start: " + " | ".join(f'"word{number}"' for number in range(1000)))
    assert len(grammar.lexemes) == 1
    assert grammar.lexemes[0].name.startswith('"word0" | "word1" | ')


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("start: " + "(" * 501 + '"a"' + ")" * 501, "nesting"),
        ("start: A\nA: " + "[" * 501 + '"a"' + "]" * 501, "nesting"),
        ("start: /" + "(" * 501 + "a" + ")" * 501 + "/", "nesting"),
        ('start: "a" ~ 2000001', "rules"),
        ('start: "a" ~ 0..99999999999999999999', "rules"),
        ("start: T0\n" + "".join(f"T{i}: T{i + 1} T{i + 1}\n" for i in range(100)) + 'T100: "x"', "expressions"),
    ],
    ids=["rule", "terminal", "regex", "repeat", "digits", "doubling"],
)
def test_limits(text: str, limit: str) -> None:
    with pytest.raises(ff.LimitError) as caught:
        build(text, **({"expressions": 10_000} if limit == "expressions" else {}))
    assert caught.value.limit == limit


def test_the_length_of_the_text_is_limited_in_bytes() -> None:
    text = 'start: "' + "é" * 100 + '"'
    assert build(text, source_bytes=len(text.encode()))
    with pytest.raises(ff.LimitError):
        build(text, source_bytes=len(text.encode()) - 1)


def test_deep_but_within_the_limit(cl100k: ff.Tokenizer) -> None:
    deep = "start: " + "(" * 499 + '"a"' + ' "b")' * 499
    assert ff.compile_lark(deep, cl100k).matcher().accept_bytes(b"a" + b"b" * 499) == 500
    chain = "start: T0\n" + "".join(f'T{i}: "a" T{i + 1}\n' for i in range(5000)) + 'T5000: "x"'
    assert build(chain).lexemes[0].name == "T0"


GRAMMARS = [path.read_text(encoding="utf-8") for path in sorted((CASES_DIR.parents[1] / "grammars").glob("*.lark"))]
PIECES = [*'\n\n|()[]?*+~&!/\\"%.:', "->", "..", "start", "A", '"a"', "/b/", "~2", "[lazy]", "%import common.WS"]
PIECES += [*"{},=@_", "::", "::_", "{2}", "{2,3}", "start{A}", "t{x}:", "\nt{x}: x\n", " %if true ", "\n%declare A\n"]
PIECES += [
    "%lark {",
    "\n%extend start: ",
    "\n%override start: ",
    '[suffix="x"]',
    '[stop="a"]',
    "%llguidance {}",
    "::incr(_)",
]


@given(st.sampled_from(GRAMMARS), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from(PIECES))))
def test_broken_grammars_end_in_an_error_with_a_place(text: str, edits: list[tuple[float, int, str]]) -> None:
    for where, removed, inserted in edits:
        at = int(where * len(text))
        text = text[:at] + inserted + text[at + removed :]
    try:
        build(text)
    except ff.GrammarError as error:
        lines = text.split("\n")
        assert error.line is not None
        assert error.column is not None
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1


GROWING: dict[str, Callable[[int], str]] = {
    "rules": lambda n: "start: r0\n" + "".join(f'r{i}: "a{i}" r{i + 1} | "b"\n' for i in range(n)) + f'r{n}: "x"',
    "terminals": lambda n: "start: T0\n" + "".join(f'T{i}: "a" T{i + 1}\n' for i in range(n)) + f'T{n}: "x"',
    "strings": lambda n: "start: " + " | ".join(f'"word{i}"' for i in range(n)),
    "regexes": lambda n: "start: " + " ".join(f"/a{i}b*/" for i in range(n)),
    "open brackets": lambda n: "start: /" + "[a" * n + "/",
    "open comments": lambda n: "start: /" + "(?#" * n + "/",
    "backslashes": lambda n: 'start: "' + "\\\\" * n,
    "bars": lambda n: "start: " + "|" * n,
    "blank lines": lambda n: 'start: "a"' + "\n" * n,
    "negations": lambda n: "start: A\nA: " + "~" * n + '"a"',
}


@pytest.mark.parametrize("name", GROWING)
def test_grammars_grow_with_their_text_and_no_faster(name: str) -> None:
    def size(count: int) -> int:
        try:
            grammar = build(GROWING[name](count))
        except ff.GrammarError:
            return 0
        return len(grammar.store) + len(grammar.productions)

    assert size(16000) <= 9 * size(2000)
