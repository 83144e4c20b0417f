"""Random small grammars: verdicts, masks and forced bytes of the engine against the recogniser, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarBuilder
from ffgrammar.regex.expr import ExprStore
from oracle.cfg import Recogniser, State
from oracle.forced import forced_bytes
from oracle.grammars import ALPHABET, TOKENS, Description, build, descriptions
from oracle.masks import ByteTree, recogniser_mask

EOS = len(TOKENS)
FORCED_LIMIT = 40
TREE = ByteTree(enumerate(TOKENS))


@pytest.fixture(scope="module")
def toy() -> ff.Tokenizer:
    return ff.Tokenizer.from_tokens([*TOKENS, b"<eos>"], eos_token_id=EOS)


def compile_both(description: Description, toy: ff.Tokenizer, **limits: int) -> tuple[Any, Recogniser]:
    """The grammar compiled by the engine, and its recogniser on a store of its own; not of grammars without sentences."""
    settings = Limits(forced_bytes=FORCED_LIMIT, **limits)
    ours, theirs = ExprStore(), ExprStore()
    recogniser = Recogniser(build(description, theirs, GrammarBuilder(theirs, settings)))
    assume(recogniser.first.items)
    return ff.Grammar(build(description, ours, GrammarBuilder(ours, settings)), toy, settings), recogniser


def mask_of(matcher: Any) -> set[int]:
    bitmask = ff.allocate_bitmask(1, EOS + 1)
    matcher.fill_bitmask(bitmask)
    return set(np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist())


def assert_same(matcher: Any, recogniser: Recogniser, state: State) -> set[int]:
    expected = recogniser_mask(recogniser, state, TREE, [EOS])
    assert mask_of(matcher) == expected
    assert sorted(matcher.allowed_token_ids().tolist()) == sorted(expected)
    assert matcher.is_accepting() == recogniser.is_sentence(state)
    forced = forced_bytes(recogniser, state, FORCED_LIMIT + 1)
    if len(forced) > FORCED_LIMIT:
        with pytest.raises(ff.LimitError):
            matcher.forced_bytes()
    else:
        assert matcher.forced_bytes() == forced
    return expected


@given(descriptions(), st.lists(st.integers(0, 1 << 16), max_size=10))
def test_along_random_tokens(toy: ff.Tokenizer, description: Description, choices: list[int]) -> None:
    grammar, recogniser = compile_both(description, toy)
    matcher, state = grammar.matcher(), recogniser.start
    for choice in choices:
        allowed = assert_same(matcher, recogniser, state)
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
    assert_same(matcher, recogniser, state)


@given(descriptions(), st.lists(st.sampled_from(list(ALPHABET)), max_size=12).map(bytes))
def test_along_random_bytes(toy: ff.Tokenizer, description: Description, text: bytes) -> None:
    grammar, recogniser = compile_both(description, toy)
    state, length = recogniser.start, 0
    for byte in text:
        after = recogniser.step(state, byte)
        if after is None:
            break
        state, length = after, length + 1
    matcher = grammar.matcher()
    assert matcher.accept_bytes(text) == length
    one_by_one = grammar.matcher()
    for byte in text[:length]:
        assert one_by_one.accept_bytes(bytes([byte])) == 1
    assert_same(one_by_one, recogniser, state)
