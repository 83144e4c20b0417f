"""Grammars in which a search for a completion would meet new rows for ever, and in which neighbours decide."""

from __future__ import annotations

import pytest

import ffgrammar as ff

# In each of them the rows grow with the text, and longest match leaves only few sentences or none.
SKIPS_ARE_TERMINALS = "start: B* A B\nA: /b/\nB: /x/\n%ignore /x[ab]*/"


def bytes_that_may_come(matcher: ff.Matcher, tok: ff.Tokenizer) -> set[bytes]:
    return {tok.token_bytes(token)[:1] for token in matcher.allowed_token_ids().tolist()}


def test_a_terminal_that_is_skipped_before_it_can_be_read(cl100k: ff.Tokenizer) -> None:
    """Every x also begins a skip, which takes all a and b after it. So A can only be the first letter."""
    matcher = ff.compile_lark(SKIPS_ARE_TERMINALS, cl100k, limits=ff.Limits.public()).matcher()
    assert bytes_that_may_come(matcher, cl100k) == {b"b"}
    assert matcher.accept_bytes(b"b") == 1
    assert bytes_that_may_come(matcher, cl100k) == {b"x"}
    assert matcher.accept_bytes(b"xabba") == 5 and not matcher.is_accepting()
    assert matcher.accept_bytes(b"x") == 1 and matcher.is_accepting()
    matcher.reset()
    assert matcher.accept_bytes(b"x") == 0


@pytest.mark.parametrize(
    "source",
    [
        'start: B+ p C\np: start | C\nB: "b"\nC: /[ax]{2,}/',
        'start: "(" start ")" | pair\npair: NAME NAME | NAME pair NAME\nNAME: /[a-z]+/',
        "start: A start A | A S A\nA: /[a-c]+/\nS: /[ab]/\n%ignore /[ab]x?/",
    ],
)
def test_a_grammar_without_sentences(cl100k: ff.Tokenizer, source: str) -> None:
    with pytest.raises(ff.GrammarError, match="matches nothing"):
        ff.compile_lark(source, cl100k, limits=ff.Limits.public())


def test_answers_stay_when_caches_are_dropped(cl100k: ff.Tokenizer) -> None:
    small = ff.Limits(cache_bytes=1 << 21, dfa_states=100)
    narrow = ff.compile_lark(SKIPS_ARE_TERMINALS, cl100k, limits=small).matcher()
    wide = ff.compile_lark(SKIPS_ARE_TERMINALS, cl100k).matcher()
    for byte in b"bxaxxab":
        assert narrow.allowed_token_ids().tolist() == wide.allowed_token_ids().tolist()
        assert narrow.accept_bytes(bytes([byte])) == wide.accept_bytes(bytes([byte])) == 1


def test_special_tokens_stand_beside_everything() -> None:
    tok = ff.Tokenizer.from_tokens(
        [bytes([byte]) for byte in range(256)], eos_token_id=257, special_tokens={"<cut>": 256, "<eos>": 257}
    )
    source = "start: B* <cut> A B\nA: /b/\nB: /x/\n%ignore /x[ab]*/"
    matcher = ff.compile_lark(source, tok, limits=ff.Limits.public()).matcher()
    assert set(matcher.allowed_token_ids().tolist()) == {ord("x"), 256}
    assert matcher.accept_tokens([ord("x"), ord("b"), 256]) == 3
    assert set(matcher.allowed_token_ids().tolist()) == {ord("b")}
