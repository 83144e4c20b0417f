"""Random grammars that bound what is skipped, or skip other things inside: the engine beside the recogniser."""

from __future__ import annotations

import random

import pytest
from test_lark_any import ALPHABET, random_lark, vocabulary

import ffgrammar as ff
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser, State

LIMITS = ff.Limits(row_items=2000, emptiness_steps=1000, dfa_states=300)


def random_source(kind: str, seed: int) -> str:
    source = random_lark(random.Random(seed))
    if kind == "inside":
        return f"{source}\n%extend start: %lark {{\n{random_lark(random.Random(seed + 1_000_000))}\n}} T0?\n"
    option = '{"ignore_once": true}' if kind == "once" else '{"allow_initial_skip": false}'
    return f"%llguidance {option}\n{source}"


@pytest.mark.parametrize("kind", ["once", "initial", "inside"])
def test_both_accept_the_same_texts(kind: str) -> None:
    compared = accepted = 0
    for seed in range(12):
        source = random_source(kind, seed)
        rng = random.Random(seed)
        tok = vocabulary(rng)
        if "%json" in source:
            continue
        try:
            grammar = ff.compile_lark(source, tok, limits=LIMITS)
            made = build(source, ExprStore(), ff.Limits(), special_tokens=tok.special_tokens)
        except ff.FFGrammarError:
            continue
        recogniser = Recogniser(made)
        for _ in range(10):
            text, state = random_text(recogniser, rng)
            matcher = grammar.matcher()
            try:
                verdict = matcher.accept_bytes(text) == len(text) and matcher.is_accepting()
            except ff.LimitError:
                break  # (some of these grammars are ambiguous beyond measure)
            assert verdict == (state is not None and recogniser.is_sentence(state)), (source, text)
            compared += 1
            accepted += verdict
    assert compared > 40 and accepted > 5


def random_text(recogniser: Recogniser, rng: random.Random) -> tuple[bytes, State | None]:
    """A text with which the recogniser mostly goes on, and its state after it."""
    state: State | None = recogniser.start
    text = b""
    for _ in range(rng.randint(0, 8)):
        if state is None:
            break
        following = [byte for byte in recogniser.bytes_after(state) if byte in ALPHABET]
        byte = rng.choice(following if following and rng.random() < 0.9 else ALPHABET)
        text += bytes([byte])
        state = recogniser.step(state, byte)
    return text, state
