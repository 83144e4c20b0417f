"""The table in docs/gbnf.md: each grammar in it works, or is refused with the error that the table says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ffgrammar as ff

PAGE = Path(__file__).resolve().parent.parent / "docs" / "gbnf.md"
COMPILE = {"GBNF": ff.compile_gbnf, "EBNF": ff.compile_ebnf}
# (a bar inside of a cell is written with a backslash)
CELLS = re.compile(r"(?<!\\)\|")


def rows() -> list[tuple[str, str, str, str]]:
    """The dialect, the construct, the grammar and what it comes to, for each row and dialect."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    begin = lines.index("| construct | example | GBNF | EBNF |") + 2
    found = []
    for line in lines[begin : lines.index("", begin)]:
        _, construct, example, *verdicts, _ = (cell.strip().replace("\\|", "|") for cell in CELLS.split(line))
        grammar = example.strip("`").replace(" ⏎ ", "\n").replace("⏎", "\n")
        found += [(name, construct, grammar, verdict) for name, verdict in zip(COMPILE, verdicts, strict=True)]
    return found


ROWS = rows()


@pytest.mark.parametrize(("dialect", "construct", "grammar", "verdict"), ROWS, ids=[f"{r[0]}: {r[1]}" for r in ROWS])
def test_a_row(dialect: str, construct: str, grammar: str, verdict: str, cl100k: ff.Tokenizer) -> None:
    if verdict == "works":
        assert COMPILE[dialect](grammar, cl100k).matcher().allowed_token_ids().size
        return
    assert verdict
    with pytest.raises(ff.GrammarError) as caught:
        COMPILE[dialect](grammar, cl100k)
    assert caught.value.message.startswith(verdict), caught.value.message
    assert caught.value.line is not None and caught.value.column is not None


def test_the_table_is_whole() -> None:
    assert len(ROWS) > 100
    assert {verdict == "works" for *_, verdict in ROWS} == {True, False}
