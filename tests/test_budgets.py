"""Matchers with max_tokens: beside all sequences of tokens on small vocabularies, and walks to their end on real schemas."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from oracle.budgets import fewest, within
from test_compositions import NAMES, Parts, vocabulary

LARKS = [
    'start: A B?\nA: /a+/\nB: "b" | "ab"',
    'start: "a" start "b" | "1"',
    'start: (A|B)*\nA: "a" | "ab"\nB: /b1?/',
    "start: A\nA[lazy]: /a+b?/",
    'start: start start | "a" | "ab"',
    'start: "a" <|x|> "bb" | <|x|> <|y|> start',
    'start: A "b" | "a" <|x|>? A\nA: /a+/\n%ignore " "',
    'start: "a"~3 | "b" "1"~4',
    'start: W "1" W\nW: /[ab]+/\n%ignore " "',
]
SCHEMAS: list[Any] = [
    {"type": "array", "items": {"enum": [1, 11]}, "minItems": 1, "maxItems": 2},
    {"enum": ["a", "ab", 1]},
    {"type": "array", "items": {"type": "array", "maxItems": 1}, "maxItems": 1},
]


def grammars(rng: random.Random, limits: Limits | None = None) -> list[ff.Grammar]:
    """Some grammars on one random vocabulary."""
    tok = vocabulary(rng)
    found = [
        ff.compile_lark(rng.choice(LARKS), tok, limits=limits),
        ff.compile_json_schema(rng.choice(SCHEMAS), tok, whitespace=rng.choice(["compact", 1]), limits=limits),
    ]
    part = Parts(rng, tok).part(2)
    try:
        found.append(ff.compose(ff.sequence(part), tok, limits=limits))
    except ff.GrammarError:
        pass
    return found


def allowed(matcher: ff.Matcher) -> set[int]:
    return set(matcher.allowed_token_ids().tolist())


def compare(grammar: ff.Grammar, rng: random.Random) -> int:
    """Walk with a budget and without, at the same place. Returns how many masks were compared."""
    tok = grammar.tokenizer
    eos = frozenset(tok.eos_token_ids)
    special = frozenset(tok.special_tokens[name] for name in NAMES)
    plain = grammar.matcher()
    least = fewest(plain, special, 3)
    if least is None:
        return 0
    assert plain.min_tokens() == (least, True)
    if least:
        with pytest.raises(ff.MatcherError, match=f"needs {least} tokens"):
            grammar.matcher(max_tokens=least - 1)
    budget = least + rng.randint(0, 1)
    matcher = grammar.matcher(max_tokens=budget)
    compared = 0
    for _ in range(8):
        left = budget - plain.num_steps + plain.is_terminated()
        assert matcher.tokens_left == left
        expected = set() if plain.is_terminated() else within(plain, special, left, eos)
        assert allowed(matcher) == expected
        compared += 1
        for token in range(tok.vocab_size):
            assert matcher.fork().accept_token(token) == (token in expected)
        forced = matcher.forced_tokens()
        assert not forced or forced[0] in expected
        if plain.is_terminated() or (plain.num_steps and rng.random() < 0.25):
            steps = rng.randint(1, plain.num_steps) if plain.num_steps else 0
            for moved in (matcher, plain):
                moved.rollback(steps)
            continue
        assert expected
        token = rng.choice(sorted(expected))
        draft = [token, rng.randrange(tok.vocab_size)]
        bitmask = ff.allocate_bitmask(3, tok.vocab_size)
        taken = matcher.fill_draft_bitmasks(draft, bitmask)
        fork = matcher.fork()
        for row in range(taken + 1):
            own = ff.allocate_bitmask(1, tok.vocab_size)
            fork.fill_bitmask(own)
            assert numpy.array_equal(own[0], bitmask[row])
            assert row == taken or fork.accept_token(draft[row])
        both = ff.allocate_bitmask(2, tok.vocab_size)
        ff.fill_bitmask([matcher, plain], both)
        assert numpy.array_equal(both[0], bitmask[0])
        for moved in (matcher, plain):
            assert moved.accept_token(token)
    return compared


@pytest.mark.parametrize("seed", range(12))
def test_masks_allow_what_can_be_completed(seed: int) -> None:
    rng = random.Random(seed)
    assert sum(compare(grammar, rng) for grammar in grammars(rng)) > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_full_cache_is_invisible(seed: int) -> None:
    rng = random.Random(seed)
    for grammar in grammars(rng, Limits(cache_bytes=1 << 12, row_bytes=1 << 10, mask_bytes=0, dfa_states=50)):
        compare(grammar, rng)


def walk(grammar: ff.Grammar, count: int, rng: random.Random) -> int:
    """Take random tokens until an end-of-text token is the only one, or by chance where one may come. Returns how many."""
    matcher = grammar.matcher(max_tokens=count)
    steps = 0
    while True:
        tokens = matcher.allowed_token_ids()
        assert len(tokens), (steps, matcher.text_bytes)
        token = int(tokens[rng.randrange(len(tokens))])
        assert matcher.accept_token(token)
        if matcher.is_terminated():
            break
        steps += 1
        assert matcher.tokens_left == count - steps
    assert steps <= count
    return steps


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("budget_steps", [0, 50, 400])
def test_walks_end_where_costs_are_bounds(seed: int, budget_steps: int) -> None:
    rng = random.Random(seed)
    for grammar in grammars(rng, Limits(budget_steps=budget_steps)):
        try:
            needed = grammar.min_tokens().count
        except ff.MatcherError:
            continue
        for more in (0, 1, 3, needed):
            walk(grammar, needed + more, rng)
