"""Captures of random small grammars against the enumeration of all parses, with steps taken back and forks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.regex.expr.store import ExprStore
from oracle import captures as oracle
from oracle.cfg import Recogniser
from oracle.grammars import TOKENS, Description, build, descriptions
from oracle.languages import allowed

SPECIAL_IDS = range(len(TOKENS), len(TOKENS) + 4)
END = len(TOKENS) + 3
CHOICES = st.lists(st.integers(0, 1 << 16), max_size=14)
MOST_BYTES = 9


@pytest.fixture(scope="module")
def tok() -> ff.Tokenizer:
    names = ("<|one|>", "<|two|>", "<|three|>", "<|end|>")
    special = dict(zip(names, SPECIAL_IDS, strict=True))
    return ff.Tokenizer.from_tokens([*TOKENS, *[b""] * 4], eos_token_id=END, special_tokens=special)


class Judge:
    """The two programs on one grammar."""

    def __init__(self, description: Description, tok: ff.Tokenizer, settings: Limits) -> None:
        ours, theirs = ExprStore(), ExprStore()
        self.rules = len(description[2])
        self.recogniser = Recogniser(build(description, theirs, GrammarBuilder(theirs, settings)))
        grammar = replace(build(description, ours, GrammarBuilder(ours, settings)), rules=self.rules)
        self.grammar = ff.Grammar(grammar, tok, settings)

    def check(self, matcher: ff.Matcher) -> None:
        units = []
        ended = matcher.is_terminated()
        tokens = matcher.tokens()
        for token in tokens[:-1] if ended else tokens:
            assert token is not None
            units += [("byte", byte) for byte in TOKENS[token]] if token < len(TOKENS) else [("token", token)]
        wanted = oracle.captures(self.recogniser, self.rules, units, ended)
        found = matcher.captures()
        assert [(one.name, one.start, one.end) for one in found] == wanted
        assert all(one.text == matcher.text_bytes[one.start : one.end] for one in found)


def follow(judge: Judge, choices: list[int]) -> None:
    """Takes short tokens, goes back, and forks; every matcher is asked at any time."""
    matchers = [judge.grammar.matcher()]
    for choice in choices:
        matcher = matchers[choice // 5 % len(matchers)]
        if choice % 5 == 0 and matcher.num_steps:
            matcher.rollback(choice // 50 % matcher.num_steps + 1)
        elif choice % 5 == 1 and len(matchers) < 3:
            matchers.append(matcher.fork())
        elif not matcher.is_terminated() and len(matcher.text_bytes) < MOST_BYTES:
            usable = sorted(allowed(matcher), key=lambda token: (len([*TOKENS, *["?"] * 4][token]), token))
            if usable:
                assert matcher.accept_token(usable[choice // 50 % min(len(usable), 6)])
        if choice % 3:
            judge.check(matcher)
    for matcher in matchers:
        judge.check(matcher)


@given(descriptions(), CHOICES)
def test_captures(tok: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    run(description, tok, choices, Limits(emptiness_steps=3000))


@given(descriptions(simple=True), CHOICES)
def test_captures_of_ambiguous_grammars(tok: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    run(description, tok, choices, Limits(emptiness_steps=3000))


@given(descriptions(special=True), CHOICES)
def test_captures_with_special_tokens(tok: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    run(description, tok, choices, Limits(emptiness_steps=3000))


@given(descriptions(), CHOICES)
def test_captures_while_caches_are_dropped(tok: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    run(description, tok, choices, Limits(emptiness_steps=3000, dfa_states=30, row_bytes=100))


def run(description: Description, tok: ff.Tokenizer, choices: list[int], settings: Limits) -> None:
    try:
        judge = Judge(description, tok, settings)
    except (ff.GrammarError, ff.LimitError):
        assume(False)
    try:
        follow(judge, choices)
    except (ff.LimitError, oracle.TooMany):
        reject()
