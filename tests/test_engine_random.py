"""Random small grammars: verdicts, masks and forced bytes of the engine against the recogniser, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import assume, example, given, reject
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser, State
from oracle.grammars import ALPHABET, TOKENS, Description, build, descriptions
from oracle.masks import ByteTree, recogniser_mask

EOS = len(TOKENS)
FORCED_LIMIT = 40
SEARCH_LIMIT = 3000
TREE = ByteTree(enumerate(TOKENS))


def compile_both(description: Description, toy: ff.Tokenizer) -> tuple[Any, Recogniser]:
    """The grammar compiled by the engine, and its recogniser, on another store. Rejects grammars without sentences."""
    settings = Limits(forced_bytes=FORCED_LIMIT, emptiness_steps=SEARCH_LIMIT)
    ours, theirs = ExprStore(), ExprStore()
    recogniser = Recogniser(build(description, theirs, GrammarBuilder(theirs, settings)))
    try:
        grammar = ff.Grammar(build(description, ours, GrammarBuilder(ours, settings)), toy, settings)
    except ff.GrammarError:
        completable = recogniser.completable(recogniser.start, alphabet=[*ALPHABET, 0x7A], max_states=100)
        assert completable is not True
        assume(False)
    return grammar, recogniser


def mask_of(matcher: Any) -> set[int]:
    bitmask = ff.allocate_bitmask(1, EOS + 1)
    matcher.fill_bitmask(bitmask)
    return set(np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist())


@contextmanager
def decidable() -> Iterator[None]:
    """Leaves out an example if the engine's search for a completion gives up: in some grammars it has no end, and in
    very ambiguous ones its rows grow."""
    try:
        yield
    except ff.LimitError as error:
        assert error.limit in ("emptiness_steps", "mask_work", "row_items")
        reject()


class Judge:
    """Compares a matcher with the recogniser.

    The recogniser's step is local: lexer and parser go on. That does not show that a sentence exists, so its search for
    one is asked, too. If this search does not end, either answer is right.
    """

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser

    def completable(self, state: State | None) -> bool | None:
        """Bytes outside ALPHABET are all alike to these lexemes: one of them is enough."""
        if state is None:
            return False
        return self.recogniser.completable(state, alphabet=[*ALPHABET, 0x7A], max_states=100)

    def check(self, matcher: Any, state: State) -> set[int]:
        """Mask, verdict and forced bytes at one place; returns the mask."""
        reached = recogniser_mask(self.recogniser, state, TREE, [EOS])
        try:
            mask = mask_of(matcher)
        except ff.LimitError as error:
            assert error.limit in ("emptiness_steps", "mask_work")
            assert any(self.completable(after) is None for after in reached.values())
            raise
        assert mask <= set(reached)
        for token in set(reached) - mask:
            assert self.completable(reached[token]) is not True, TOKENS[token]
        for token in sorted(mask)[:: max(1, len(mask) // 4)]:
            assert self.completable(reached[token]) is not False, TOKENS[token]
        assert matcher.allowed_token_ids().tolist() == sorted(mask)
        assert matcher.is_accepting() == self.recogniser.is_sentence(state)
        self.check_forced(matcher, state)
        return mask

    def check_forced(self, matcher: Any, state: State) -> None:
        try:
            forced = matcher.forced_bytes()
        except ff.LimitError as error:
            if error.limit == "forced_bytes":
                assert not self.recogniser.is_sentence(state)
            return
        now: State | None = state
        for byte in forced:
            assert now is not None
            assert not self.recogniser.is_sentence(now)
            for other in self.recogniser.bytes_after(now) - {byte}:
                assert self.completable(self.recogniser.step(now, other)) is not True
            now = self.recogniser.step(now, byte)
        assert now is not None
        assert self.completable(now) is not False
        if not self.recogniser.is_sentence(now):
            ways = [self.recogniser.step(now, byte) for byte in self.recogniser.bytes_after(now)]
            assert len(ways) > 1
            assert sum(self.completable(way) is not False for way in ways) > 1


@given(descriptions(), st.lists(st.integers(0, 1 << 16), max_size=10))
def test_along_random_tokens(toy: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    with decidable():
        follow_tokens(*compile_both(description, toy), choices)


def follow_tokens(grammar: ff.Grammar, recogniser: Recogniser, choices: list[int]) -> None:
    judge = Judge(recogniser)
    matcher, state = grammar.matcher(), recogniser.start
    for choice in choices:
        allowed = judge.check(matcher, state)
        for token in {choice % EOS, choice // 7 % EOS} - allowed:
            assert not matcher.accept_token(token)
        # Short tokens more often than long ones, or texts would end at once.
        usable = sorted(allowed - {EOS}, key=lambda token: (len(TOKENS[token]), token))
        if not usable:
            return
        token = usable[choice % (len(usable) if choice & 1 else min(len(usable), 4))]
        assert matcher.accept_token(token)
        after = recogniser.run(TOKENS[token], state)
        assert after is not None
        state = after
    judge.check(matcher, state)


@given(descriptions(), st.lists(st.sampled_from(list(ALPHABET)), max_size=12).map(bytes))
# a production with a lexeme that matches nothing: its other lexemes must not be looked for
@example(([7, 0, 20, 19], [], [[[], [("t", 0), ("t", 3)], [("t", 1), ("t", 0)]]], False), b"aaa")
def test_along_random_bytes(toy: ff.Tokenizer, description: Description, text: bytes) -> None:
    with decidable():
        follow_bytes(*compile_both(description, toy), text)


def follow_bytes(grammar: ff.Grammar, recogniser: Recogniser, text: bytes) -> None:
    judge = Judge(recogniser)
    length = grammar.matcher().accept_bytes(text)
    reached = recogniser.run(text[:length])
    assert reached is not None
    assert judge.completable(reached) is not False
    if length < len(text):
        assert judge.completable(recogniser.run(text[: length + 1])) is not True
    one_by_one = grammar.matcher()
    for place in range(length):
        assert one_by_one.accept_bytes(text[place : place + 1]) == 1
    judge.check(one_by_one, reached)
