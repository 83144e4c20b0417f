"""Rows of the parser do not grow with the text, however a list is written, and are right after a rollback."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import ffgrammar as ff

LISTS = {
    "left recursive": 'start: list\nlist: list "," item | item\nitem: /[0-9]+/ | "(" list ")"',
    "right recursive": 'start: list\nlist: item "," list | item\nitem: /[0-9]+/ | "(" list ")"',
    "right recursive, no separator": 'start: list\nlist: item list | item\nitem: "," | /[0-9]/ | "(" list ")"',
    "right recursive, nullable": 'start: list\nlist: | item list\nitem: "," | /[0-9]/ | "(" list ")"',
    "star": 'start: item ("," item)*\nitem: /[0-9]+/ | "(" start ")"',
    "plus": 'start: ("," | item)+\nitem: /[0-9]/ | "(" start ")"',
    "indirect": 'start: a\na: item b\nb: | "," a\nitem: /[0-9]+/ | "(" a ")"',
    "ambiguous": 'start: list\nlist: list "," list | item\nitem: /[0-9]+/ | "(" list ")"',
    "ambiguous, operators": 'start: e\ne: e "," e | e "+" e | "-" e | e "!" | "(" e ")" | /[0-9]+/',
    "ambiguous, juxtaposed": 'start: s\ns: s s | s s s | "," | /[0-9]/ | "(" s ")"',
    "ambiguous, in three rules": 'start: e\ne: sum | call | c\nsum: e "," e\ncall: e "(" e ")"\nc: /[0-9]/ | "(" e ")"',
    "ambiguous, may be empty": 'start: s\ns: s s | c |\nc: /[0-9]/ ","?',
    "with spaces": 'start: list\nlist: item "," list | item\nitem: /[0-9]+/\n%ignore / +/',
}


def _rows(grammar: Any) -> int:
    return int(grammar.stats()["rows"])


@pytest.mark.parametrize("lark", LISTS.values(), ids=LISTS.keys())
def test_long_lists_have_no_more_rows_than_short_ones(cl100k: ff.Tokenizer, lark: str) -> None:
    rows = []
    for length in (10, 1000):
        grammar = ff.compile_lark(lark, cl100k)
        matcher = grammar.matcher()
        text = b",".join([b"1"] * length)
        assert matcher.accept_bytes(text) == len(text)
        assert matcher.is_accepting()
        rows.append(_rows(grammar))
    assert rows[0] == rows[1]


def test_nesting_has_a_row_a_level_and_comes_back(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark('start: "(" start* ")"', cl100k)
    matcher = grammar.matcher()
    rows = []
    for _ in range(2):
        matcher.reset()
        text = b"(" * 300 + b")" * 300
        assert matcher.accept_bytes(text) == len(text)
        assert matcher.is_accepting()
        rows.append(_rows(grammar))
    assert rows[0] == rows[1] <= 2 * 300 + 10


def test_masks_after_rollback(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark('start: "(" A "1" | "[" A "2"\nA: /x+/', cl100k)
    one, two = cl100k.encode("1")[0], cl100k.encode("2")[0]
    round_bracket, square_bracket, x = (cl100k.encode(text)[0] for text in "([x")
    matcher = grammar.matcher()
    assert matcher.accept_tokens([round_bracket, x]) == 2
    allowed = set(matcher.allowed_token_ids().tolist())
    assert one in allowed
    assert two not in allowed
    matcher.rollback(2)
    assert matcher.accept_tokens([square_bracket, x]) == 2
    allowed = set(matcher.allowed_token_ids().tolist())
    assert two in allowed
    assert one not in allowed


def test_a_row_that_is_too_large_leaves_nothing_behind(cl100k: ff.Tokenizer) -> None:
    rules = "".join(f'r{i}: "z{i}" r{i} | "w"\n' for i in range(400))
    large = "s: " + " | ".join(f'r{i} "y"' for i in range(400))
    grammar = ff.compile_lark(f'start: "a" "x" s | "b" "x"\n{large}\n{rules}', cl100k, limits=ff.Limits(row_items=300))
    matcher = grammar.matcher()
    for _ in range(3):
        with pytest.raises(ff.LimitError, match="row_items"):
            matcher.accept_bytes(b"axw")
        assert matcher.text_bytes == b""
    assert matcher.accept_bytes(b"bx") == 2
    assert matcher.is_accepting()
    assert matcher.distance() == 0


@pytest.mark.parametrize("step", [1, -1])
def test_a_long_chain_of_rules(cl100k: ff.Tokenizer, step: int) -> None:
    names = [f"r{i}" for i in range(16000)][::step]
    chain = "".join(f'{name}: "a" {below}\n' for name, below in pairwise(names))
    matcher = ff.compile_lark(f'start: {names[0]}\n{chain}{names[-1]}: "b"\n', cl100k).matcher()
    assert matcher.accept_bytes(b"a" * 15999 + b"b") == 16000
    assert matcher.is_accepting()


def test_white_space_that_may_end_a_statement_or_be_skipped_makes_no_rows_for_searches(cl100k: ff.Tokenizer) -> None:
    # Were a line end the text that stands for END in proofs, each place inside white space would be searched: 126 rows.
    lark = r"""
start: (expression END)*
expression: NAME | NUMBER | "(" expression ("," expression)* ")" | "[" expression ("+" expression)* "]"
          | "if" "(" expression ")" expression
NAME: /[a-z]+/
NUMBER: /[0-9]+/
END: ";" | /[ \n]*\n[ \n]*/
%ignore /[ \n]+/
"""
    grammar = ff.compile_lark(lark, cl100k)
    matcher = grammar.matcher()
    mask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for token in cl100k.encode("a;\nif (b) (c, [d + 12])\n  e\n  (f, g\n)\n  [\n1]\n h"):
        matcher.fill_bitmask(mask)
        assert matcher.accept_token(token)
    assert _rows(grammar) < 100
