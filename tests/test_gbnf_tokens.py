"""Tokens in GBNF and EBNF: special tokens, any token but some, tags that are tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import ffgrammar as ff

TEXTS = [bytes([byte]) for byte in range(256)] + [b"ab", b"abc", b"1;", b"x1"]
END, THINK, DONE, OTHER = range(len(TEXTS), len(TEXTS) + 4)
TOK = ff.Tokenizer.from_tokens(
    [*TEXTS, *[b""] * 4],
    eos_token_id=END,
    special_tokens={"<end>": END, "<think>": THINK, "</think>": DONE, "<other>": OTHER},
)
THINKING = "root ::= <think> thinking </think> .*\nthinking ::= !</think>*"
BY_ID = f"root ::= <[{THINK}]> thinking <[{DONE}]> .*\nthinking ::= (!<[{DONE}]>)*"
MACROS = f"root ::= Token({THINK}) ExcludeToken({DONE})* Token({DONE}) [^]*"
TAGS = f'root ::= TokenTagDispatch(({THINK}, a), ({DONE}, b), excludes=({OTHER},))\na ::= [0-9] ";"\nb ::= ""'


def accepts(grammar: ff.Grammar, text: Sequence[int | str]) -> bool:
    """Whether a grammar accepts ids of tokens and strings, of which each is spelled byte by byte."""
    tokens = [token for one in text for token in ([*one.encode()] if isinstance(one, str) else [one])]
    matcher = grammar.matcher()
    return matcher.accept_tokens(tokens) == len(tokens) and matcher.is_accepting()


@pytest.mark.parametrize(
    ("kind", "text"), [("gbnf", THINKING), ("gbnf", BY_ID), ("ebnf", MACROS)], ids=["names", "ids", "macros"]
)
def test_thinking(kind: str, text: str, tmp_path: Path) -> None:
    grammar = (ff.compile_gbnf if kind == "gbnf" else ff.compile_ebnf)(text, TOK)
    grammar.save(tmp_path / "grammar.ffg")
    for one in (grammar, ff.load(tmp_path / "grammar.ffg", TOK)):
        assert accepts(one, [THINK, DONE])
        assert accepts(one, [THINK, "some thought", DONE, "answer é"])
        assert accepts(one, [THINK, "a", OTHER, THINK, "b", OTHER, DONE, ""])
        assert accepts(one, [THINK, "</think>", DONE])
        assert not accepts(one, ["x", THINK, DONE])
        assert not accepts(one, [THINK, "x"])
        assert not accepts(one, [THINK, DONE, DONE])
        assert not accepts(one, ["<think>x</think>"])
    matcher = grammar.matcher()
    assert matcher.allowed_token_ids().tolist() == [THINK]
    assert matcher.accept_token(THINK)
    assert matcher.allowed_token_ids().tolist() == [*range(len(TEXTS)), THINK, DONE, OTHER]
    assert matcher.accept_tokens([0xC3, DONE]) == 2
    allowed = set(matcher.allowed_token_ids().tolist())
    assert allowed == {END, *range(128), *range(0xC2, 0xF5), *range(256, len(TEXTS))}


def test_at_least_one_token_but_some() -> None:
    grammar = ff.compile_gbnf('root ::= "(" !<other>+ ")"', TOK)
    for inner in (["x"], [THINK], [")"], ["a", THINK, THINK, "b"], [DONE, "x"]):
        assert accepts(grammar, ["(", *inner, ")"]), inner
    for inner in ([], [OTHER], ["x", OTHER], [END]):
        assert not accepts(grammar, ["(", *inner, ")"]), inner


def test_tokens_but_some_beside_other_alternatives() -> None:
    """Two exclusions side by side exclude what both do; a rule with an exclusion may be repeated where it is used."""
    for text in (
        "root ::= (!<other> | !<think>)* <think> [0-9]",
        "root ::= (x | <other> y)* <think> [0-9]\nx ::= !<other>\ny ::= [a-z] y? z\nz ::= <other> z?",
    ):
        grammar = ff.compile_gbnf(text, TOK)
        assert accepts(grammar, ["abc", THINK, "1"])
        assert accepts(grammar, [DONE, THINK, THINK, "7"])
        assert not accepts(grammar, ["abc", END, THINK, "1"])
        assert not accepts(grammar, ["abc", THINK])
    assert accepts(ff.compile_gbnf("root ::= (!<other> | !<think>)*", TOK), [OTHER, "x", THINK])
    assert not accepts(ff.compile_gbnf('root ::= (x | <think>)* "!"\nx ::= !<other>', TOK), [OTHER, "!"])
    assert accepts(ff.compile_gbnf('root ::= ("(" root ")" | !<other>)*', TOK), ["(a)b)", THINK])


def test_a_tokenizer_without_other_special_tokens() -> None:
    tok = ff.Tokenizer.from_tokens([*TEXTS, b"", b""], eos_token_id=END, special_tokens={"<end>": END, "<x>": THINK})
    grammar = ff.compile_gbnf("root ::= !<x>* <x> !<x>+", tok)
    assert accepts(grammar, ["any", THINK, "text"])
    assert not accepts(grammar, ["any", THINK])
    assert not accepts(grammar, [THINK, THINK])


def test_tags_that_are_tokens() -> None:
    grammar = ff.compile_ebnf(TAGS, TOK)
    for text in ([], ["free"], [THINK, "1;"], ["x", THINK, "1;", "y", DONE, "z", DONE], [DONE, DONE]):
        assert accepts(grammar, text), text
    for text in ([OTHER], [THINK], [THINK, "x"], ["x", THINK, "1"], [END, "x"]):
        assert not accepts(grammar, text), text
    once = ff.compile_ebnf(TAGS.replace("excludes", "loop_after_dispatch=false, excludes"), TOK)
    assert accepts(once, ["x", THINK, "1;"]) and not accepts(once, [THINK, "1;", "x"])
    with pytest.raises(ff.UnsupportedError, match="token 5 is not a special token"):
        ff.compile_ebnf("root ::= TokenTagDispatch((5, root))", TOK)
    with pytest.raises(ff.UnsupportedError, match="token 5 is not a special token"):
        ff.compile_ebnf("root ::= TokenTagDispatch(excludes=(5,))", TOK)


def test_an_end_token_in_a_rule_does_not_end_the_text() -> None:
    grammar = ff.compile_gbnf('root ::= "a" (<end> "b")?', TOK)
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b"a") and matcher.is_accepting()
    assert matcher.accept_token(END) and not matcher.is_accepting()
    assert matcher.accept_bytes(b"b") and matcher.is_accepting()
