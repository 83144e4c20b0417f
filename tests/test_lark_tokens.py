"""The tokens of Lark texts against one regular expression that finds all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.grammar.lark.texts import Texts
from ffgrammar.grammar.lark.tokens import tokens
from oracle.lark_tokens import lark_tokens

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted([*ROOT.glob("grammars/*.lark"), *ROOT.glob("ffgrammar/grammar/lark/data/*.lark")])

# What tokens begin with, end with, or are confused by.
PIECES = [
    *"aZ_-0 \t\n\r\"i\\/*#%@<>[]{}()|&?+~!.,:=';\ufeff",
    *["->", "..", "::", "//", "\\\n", "\\\r\n", "%if", "0x1F", "-1.5", "é", "A-b", "a--b", "𝒂", "²"],
]


def found(text: str) -> list[tuple[str, str, int]] | int:
    """The tokens of a text, or the offset of an error."""
    try:
        return [(token.kind, token.value, token.offset) for token in tokens(Texts(text, ff.Limits()), 0)]
    except ff.GrammarError as error:
        lines = text.split("\n")
        return sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    # (the JSON object after this word is one token, which the expression does not know)
    text = path.read_text(encoding="utf-8").partition("%indenter")[0]
    expected = lark_tokens(text)
    assert not isinstance(expected, int)
    assert found(text) == expected


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example('"a\\"b"i "c')
@example("a-->b")
@example("a-")
@example("x::_ y::")
@example('"\\')
@example("b \\ ")
def test_any_text(text: str) -> None:
    assert found(text) == lark_tokens(text)
