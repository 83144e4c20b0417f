"""Front-ends are alike: one `build` each, the same checks of their source; and the recipe for a new one works."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

import pytest

import ffgrammar as ff
import ffgrammar.grammar
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.limits import Limits
from ffgrammar.grammar import choice, gbnf, json_schema, lark, regex, structural_tag
from ffgrammar.regex.expr.store import ExprStore

FRONT_ENDS = {
    "choice": choice,
    "gbnf": gbnf,
    "json-schema": json_schema,
    "lark": lark,
    "regex": regex,
    "structural-tag": structural_tag,
}
COMPILE = {
    "choice": ff.compile_choice,
    "ebnf": ff.compile_ebnf,
    "gbnf": ff.compile_gbnf,
    "lark": ff.compile_lark,
    "regex": ff.compile_regex,
}
SOURCES = {"lark": 'start: "€"', "gbnf": 'root ::= "€"', "ebnf": 'root ::= "€"'}


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_one_build_each(name: str) -> None:
    parameters = list(inspect.signature(FRONT_ENDS[name].build).parameters.values())
    assert [one.name for one in parameters[1:3]] == ["store", "limits"]
    assert all(one.kind is one.KEYWORD_ONLY and one.default is not one.empty for one in parameters[3:])


@pytest.mark.parametrize("name", COMPILE)
def test_sources_are_measured_in_bytes(name: str, cl100k: ff.Tokenizer) -> None:
    text = SOURCES.get(name, "€€€€")
    size = len(text.encode())
    assert COMPILE[name](text, cl100k, limits=Limits(source_bytes=size)).matcher().accept_bytes("€".encode()) == 3
    with pytest.raises(ff.LimitError, match="source_bytes"):
        COMPILE[name](text, cl100k, limits=Limits(source_bytes=size - 1))


def test_the_recipe(cl100k: ff.Tokenizer) -> None:
    text = ffgrammar.grammar.__doc__
    assert text is not None
    start, end = text.index("    from ffgrammar.core.errors"), text.index("The lexer takes the longest match")
    names: dict[str, Any] = {}
    exec(textwrap.dedent(text[start:end]), names)
    limits = Limits()
    grammar = Grammar(names["build"]("one two", ExprStore(limits), limits), cl100k, limits)
    assert grammar.kind == "words"
    for accepted in ("one[1]", "two [ 12 ]one[3] "):
        matcher = grammar.matcher()
        assert matcher.accept_bytes(accepted.encode()) == len(accepted) and matcher.is_accepting()
    for rejected in ("three[1]", "one[]", "one[1", "one[1 2]"):
        matcher = grammar.matcher()
        assert matcher.accept_bytes(rejected.encode()) < len(rejected) or not matcher.is_accepting()
    for refused in (" ", "a a[1]b"):
        with pytest.raises(ff.GrammarError, match="words are needed"):
            names["build"](refused, ExprStore(limits), limits)
