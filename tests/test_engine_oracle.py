"""The recogniser that judges the engine is itself compared with languages enumerated by hand and by brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser
from oracle.grammars import LEXEMES, Description, build, descriptions

LONGEST = 4


def _grammar(description: Description) -> GrammarIR:
    store = ExprStore()
    return build(description, store, GrammarBuilder(store, Limits()))


def _enumerate(description: Description) -> set[str]:
    """All sentences of at most LONGEST bytes: the least solution of the rules, which are equations between sets."""
    lexemes, _, rules, _ = description
    languages: list[set[str]] = [set() for _ in rules]
    while True:
        grown = []
        for bodies in rules:
            language: set[str] = set()
            for body in bodies:
                parts = [{LEXEMES[lexemes[i]][0]} if kind == "t" else languages[i] for kind, i in body]
                language |= {text for text in map("".join, product(*parts)) if len(text) <= LONGEST}
            grown.append(language)
        if grown == languages:
            return languages[0]
        languages = grown


@given(descriptions(simple=True))
def test_recogniser_accepts_what_the_rules_derive(description: Description) -> None:
    recogniser = Recogniser(_grammar(description))
    expected = _enumerate(description)
    letters = [LEXEMES[i][0] for i in description[0]]
    texts = ["".join(text) for length in range(LONGEST + 1) for text in product(letters, repeat=length)]
    accepted = {text for text in texts if recogniser.accepts(text.encode())}
    assert accepted == expected


@given(descriptions(simple=True))
def test_without_conflicts_every_next_byte_leads_to_a_sentence(description: Description) -> None:
    recogniser = Recogniser(_grammar(description))
    following, is_sentence = recogniser.next_bytes(b"")
    assert bool(following or is_sentence) == recogniser.is_completable(b"")
    for byte in following:
        # (None: the search found no end)
        assert recogniser.is_completable(bytes([byte])) is not False


@pytest.fixture
def builder() -> GrammarBuilder:
    return GrammarBuilder(ExprStore(), Limits())


def test_longest_match_gives_all_lexemes_of_the_longest_text(builder: GrammarBuilder) -> None:
    s = builder.store
    word = builder.terminal(s.repeat(s.byte_set(b"abcdefi"), 1, None))
    keyword = builder.terminal(s.literal(b"if"))
    one, two = builder.terminal(s.literal(b"1")), builder.terminal(s.literal(b"2"))
    start = builder.choice([builder.seq([word, one]), builder.seq([keyword, two])])
    recogniser = Recogniser(builder.finish(start))
    assert [recogniser.accepts(text) for text in (b"if1", b"if2", b"ife1", b"ife2", b"i2")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert recogniser.next_bytes(b"if") == (set(b"abcdefi12"), False)


def test_lexing_looks_only_for_what_the_parser_allows(builder: GrammarBuilder) -> None:
    s = builder.store
    word, number = builder.terminal(s.repeat(s.byte_set(b"ab"), 1, None)), builder.terminal(s.literal(b"a"))
    recogniser = Recogniser(builder.finish(builder.seq([number, number, word])))
    assert recogniser.accepts(b"aaba")
    assert not recogniser.accepts(b"ba")


def test_a_lexeme_does_not_give_back(builder: GrammarBuilder) -> None:
    s = builder.store
    recogniser = Recogniser(
        builder.finish(
            builder.seq([builder.terminal(s.repeat(s.literal(b"x"), 1, None)), builder.terminal(s.literal(b"x"))])
        )
    )
    assert recogniser.next_bytes(b"xx") == ({0x78}, False)
    assert recogniser.is_completable(b"xx") is False


def test_lazy_lexemes_end_at_once(builder: GrammarBuilder) -> None:
    s = builder.store
    body = s.concat([s.repeat(s.byte_set(b"ab"), 0, None), s.literal(b"b")])
    recogniser = Recogniser(
        builder.finish(builder.seq([builder.terminal(body, lazy=True), builder.terminal(s.literal(b"b"))]))
    )
    assert recogniser.accepts(b"aabb")
    assert not recogniser.accepts(b"aabab")
    assert recogniser.next_bytes(b"ab") == ({0x62}, False)


@pytest.mark.parametrize("single", [False, True])
def test_skips(builder: GrammarBuilder, single: bool) -> None:
    s = builder.store
    item = builder.terminal(s.literal(b"a"))
    builder.skip(s.literal(b" "))
    recogniser = Recogniser(builder.finish(builder.star(item), single_skip=single))
    texts = [b"", b" ", b"a", b" a a ", b"a  a", b"  "]
    assert [recogniser.accepts(text) for text in texts] == [True, True, True, True, not single, not single]


def _skip_and_lexeme(builder: GrammarBuilder, single: bool) -> Any:
    s = builder.store
    space = s.literal(b" ")
    a, b, marker = builder.terminal(s.literal(b"a")), builder.terminal(s.literal(b"b")), builder.terminal(space)
    builder.skip(space)
    return builder.finish(builder.choice([builder.seq([a, b]), builder.seq([a, marker, a])]), single_skip=single)


def test_what_is_both_skip_and_lexeme_is_kept_as_both(builder: GrammarBuilder) -> None:
    recogniser = Recogniser(_skip_and_lexeme(builder, False))
    texts = [b"a b", b"a a", b"aa", b"a  a", b"a  b"]
    assert [recogniser.accepts(text) for text in texts] == [True, True, False, True, True]


def test_what_is_both_skip_and_lexeme_may_stand_more_than_once(builder: GrammarBuilder) -> None:
    with pytest.raises(AssertionError, match="a terminal is also a skip"):
        _skip_and_lexeme(builder, True)
