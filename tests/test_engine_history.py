"""Whatever a matcher went through, it answers like a fresh one that went straight to the same place.

It accepts, rolls back, forks, resets and is asked in random order, on caches that are dropped midway. The fresh matcher
is of a grammar of its own that nothing else has used.
"""

from __future__ import annotations

import dataclasses
import json
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.regex.expr.store import ExprStore
from oracle.grammars import ALPHABET, TOKENS, Description, build, descriptions
from oracle.schemas import RECORDS

EOS = len(TOKENS)
KINDS = (
    "token",
    "token",
    "token",
    "tokens",
    "validate",
    "bytes",
    "rollback",
    "rollback",
    "fork",
    "switch",
    "reset",
    "ask",
)
Operation = tuple[str, int]
LIMITS = st.sampled_from(
    [Limits(), Limits(cache_bytes=1_000), Limits(cache_bytes=8_000), Limits(dfa_states=8), Limits(expressions=40)]
)
OPERATIONS = st.lists(st.tuples(st.sampled_from([*KINDS, "eos"]), st.integers(0, 1 << 16)), max_size=30)


class Run:
    """Several matchers of one grammar, each beside the list of what it accepted."""

    def __init__(self, grammar: Any, fresh: Callable[[], Any], tokens: Callable[[Any, int], int]) -> None:
        self.fresh = fresh
        self.pick = tokens
        self.matchers: list[tuple[Any, list[int | bytes]]] = [(grammar.matcher(), [])]
        self.current = 0

    def replayed(self, history: list[int | bytes]) -> Any:
        matcher = self.fresh()
        for step in history:
            if isinstance(step, int):
                assert matcher.accept_token(step)
            else:
                assert matcher.accept_bytes(step) == len(step)
        return matcher

    def check(self) -> None:
        matcher, history = self.matchers[self.current]
        expected = self.replayed(history)
        assert matcher.allowed_token_ids().tolist() == expected.allowed_token_ids().tolist()
        assert matcher.is_accepting() == expected.is_accepting()
        assert matcher.is_terminated() == expected.is_terminated()
        if not matcher.is_terminated():
            assert _forced(matcher) == _forced(expected)

    def do(self, kind: str, number: int) -> None:
        matcher, history = self.matchers[self.current]
        if kind == "ask":
            self.check()
        elif kind in ("token", "eos"):
            token = self.pick(matcher, number) if kind == "token" else matcher.engine.tokenizer.eos_token_ids[0]
            accepted = self.replayed(history).accept_token(token)
            assert matcher.accept_token(token) == accepted
            if accepted:
                history.append(token)
        elif kind in ("tokens", "validate"):
            ahead = self.replayed(history)
            tokens = []
            for step in range(4):
                tokens.append(self.pick(ahead, number + 11 * step))
                ahead.accept_token(tokens[-1])
            expected = self.replayed(history).accept_tokens(tokens)
            if kind == "validate":
                assert matcher.validate_tokens(tokens) == expected
                self.check()
            else:
                assert matcher.accept_tokens(tokens) == expected
                history += tokens[:expected]
        elif kind == "bytes":
            text = bytes(ALPHABET[(number >> 3 * place) % len(ALPHABET)] for place in range(4))
            expected = self.replayed(history).accept_bytes(text)
            assert matcher.accept_bytes(text) == expected
            if expected:
                history.append(text[:expected])
        elif kind == "rollback":
            count = number % (len(history) + 1)
            matcher.rollback(count)
            del history[len(history) - count :]
        elif kind == "fork":
            self.matchers.append((matcher.fork(), list(history)))
            self.current = number % len(self.matchers)
        elif kind == "switch":
            self.current = number % len(self.matchers)
        else:
            matcher.reset()
            history.clear()

    def check_all(self) -> None:
        for number in range(len(self.matchers)):
            self.current = number
            self.check()


def _forced(matcher: Any) -> bytes | None:
    try:
        return matcher.forced_bytes()  # type: ignore[no-any-return]
    except ff.LimitError:
        return None


def _pick(matcher: Any, number: int) -> int:
    """An allowed token, short ones more often; now and then any token."""
    allowed = [token for token in matcher.allowed_token_ids().tolist() if token != EOS]
    if not allowed or number % 8 == 0:
        return number % EOS
    allowed.sort(key=lambda token: (len(TOKENS[token]), token))
    return int(allowed[number % (len(allowed) if number & 1 else min(len(allowed), 4))])


@given(descriptions(), OPERATIONS, LIMITS)
def test_random_grammars(
    toy: ff.Tokenizer, description: Description, operations: list[Operation], limits: Limits
) -> None:
    def compiled(limits: Limits) -> ff.Grammar:
        store = ExprStore(limits)
        return ff.Grammar(build(description, store, GrammarBuilder(store, limits)), toy, limits)

    try:
        untouched = compiled(Limits(forced_bytes=40, emptiness_steps=3000))
        grammar = compiled(dataclasses.replace(limits, forced_bytes=40, emptiness_steps=3000))
    except ff.GrammarError:
        assume(False)
    except ff.LimitError:
        # so little that not even the first state fits: an error is right, a wrong answer would not be
        return
    run = Run(grammar, untouched.matcher, _pick)
    try:
        for kind, number in operations:
            run.do(kind, number)
        run.check_all()
    except ff.LimitError as error:
        # the limits leave no room for a single step; or a search for a completion has no end, as in some grammars here
        assert limits != Limits() or error.limit == "emptiness_steps"


SCHEMAS: dict[str, Any] = {**RECORDS, "anything": True}


@pytest.mark.parametrize("cache_bytes", [Limits().cache_bytes, 8_000], ids=["caches kept", "caches dropped"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas(cl100k: ff.Tokenizer, name: str, cache_bytes: int) -> None:
    chance = random.Random(name)
    eos = set(cl100k.eos_token_ids)

    def pick(matcher: Any, number: int) -> int:
        allowed = [token for token in matcher.allowed_token_ids().tolist() if token not in eos]
        return int(allowed[number % len(allowed)]) if allowed and number % 16 else number % 100_000

    untouched = ff.compile_json_schema(SCHEMAS[name], cl100k)
    grammar = ff.compile_json_schema(SCHEMAS[name], cl100k, limits=Limits(cache_bytes=cache_bytes))
    run = Run(grammar, untouched.matcher, pick)
    for _ in range(120):
        kind = chance.choice([kind for kind in KINDS if kind != "bytes"])
        run.do(kind, chance.randrange(1 << 16))
    run.check_all()
    if cache_bytes != Limits().cache_bytes:
        assert grammar.stats()["cache_drops"] > 0


def test_matchers_in_threads(cl100k: ff.Tokenizer) -> None:
    """Matchers of one grammar in several threads share caches that are dropped under them."""
    text = b'{"orderId": "abc", "orderName": "Abc", "lines": [{"n": 12}, {"n": -3, "m": [true, {}]}]}'
    tokens = cl100k.encode(text)
    alone = ff.compile_json_schema(SCHEMAS["orders"], cl100k)
    expected = []
    matcher = alone.matcher()
    for token in tokens:
        expected.append(matcher.allowed_token_ids().tolist())
        assert matcher.accept_token(token)
    grammar = ff.compile_json_schema(SCHEMAS["orders"], cl100k, limits=Limits(cache_bytes=8_000))
    failures: list[str] = []

    def follow(start: int) -> None:
        for _ in range(5):
            matcher = grammar.matcher()
            for place, token in enumerate(tokens):
                if place % 3 == start and matcher.allowed_token_ids().tolist() != expected[place]:
                    failures.append(f"mask {place}")
                if not matcher.accept_token(token):
                    failures.append(f"token {place}")

    threads = [threading.Thread(target=follow, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize(
    "schema",
    [{"type": "string", "maxLength": 90_000}, {"const": "the quick brown fox " * 1500}],
    ids=["counted", "literal"],
)
def test_a_text_that_never_comes_back_to_a_lexer_state(cl100k: ff.Tokenizer, schema: dict[str, Any]) -> None:
    """It has more states than are kept, within one lexeme. So its caches are dropped in the middle of it, and it is
    read again from its beginning."""
    text = json.dumps("the quick brown fox " * 1500)
    grammar = ff.compile_json_schema(schema, cl100k)
    roomy = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(dfa_states=200_000))
    matcher, other = grammar.matcher(), roomy.matcher()
    bitmask, words = ff.allocate_bitmask(2, cl100k.vocab_size)
    for number, token in enumerate(cl100k.encode(text)):
        if number % 500 == 0 or number % 500 == 499:
            matcher.fill_bitmask(bitmask.reshape(1, -1))
            other.fill_bitmask(words.reshape(1, -1))
            assert (bitmask == words).all()
        assert matcher.accept_token(token) and other.accept_token(token)
    assert matcher.is_accepting() and grammar.stats()["cache_drops"] and not roomy.stats()["cache_drops"]
    matcher.rollback(3000)
    assert matcher.forced_bytes() == (text[len(matcher.text_bytes) :].encode() if "const" in schema else b"")
    assert grammar.matcher().accept_bytes(text.encode()) == len(text)
