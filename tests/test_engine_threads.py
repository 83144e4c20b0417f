"""Threads that share a grammar, or only a tokenizer, see what one thread alone sees.

In a Python without the GIL the calls really overlap, so more threads and rounds are run there.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from oracle.schemas import RECORDS

FREE = not getattr(sys, "_is_gil_enabled", lambda: True)()
THREADS = 6 if FREE else 3
ROUNDS = 40 if FREE else 10

SCHEMAS: dict[str, Any] = {
    **RECORDS,
    "differing": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "ab", "b", 1, 12, [1], [1, "a"]]}},
}


def in_threads(work: Callable[[int], None], count: int = THREADS) -> None:
    """Call it with 0, 1, ... in threads that start together; what one raises is raised here."""
    errors: list[BaseException] = []
    together = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            together.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    if errors:
        raise errors[0]


class Player:
    """Moves matchers of a grammar at random, as a seed decides, asks them, and writes down what they say."""

    def __init__(self, grammar: ff.Grammar, tok: ff.Tokenizer) -> None:
        self.grammar = grammar
        self.tok = tok
        self.said: list[Any] = []

    def play(self, seed: int, steps: int) -> list[Any]:
        chance = random.Random(seed)
        matchers = [self.grammar.matcher()]
        bitmask = ff.allocate_bitmask(6, self.tok.vocab_size)
        for _ in range(steps):
            matcher = chance.choice(matchers)
            kind = chance.choice("aaaaaammrrfdbvtx")
            if kind == "a":
                allowed = matcher.allowed_token_ids().tolist()
                # (the lowest ids are single characters: texts with some structure)
                allowed = allowed[:100] if chance.random() < 0.7 else allowed
                token = chance.choice(allowed) if allowed and chance.random() < 0.9 else chance.randrange(100_000)
                self.said.append(matcher.accept_token(token))
            elif kind == "m":
                matcher.fill_bitmask(bitmask, 2)
                self.said.append(hash(bitmask[2].tobytes()))
            elif kind == "r":
                matcher.rollback(chance.randint(0, min(3, matcher.num_steps)))
            elif kind == "f":
                matchers = [*matchers[-3:], matcher.fork()]
            elif kind == "d":
                allowed = matcher.allowed_token_ids().tolist()
                draft = [chance.choice(allowed) if allowed else 5, chance.randrange(100_000)]
                self.said.append(matcher.fill_draft_bitmasks(draft, bitmask, 1))
                self.said.append(hash(bitmask[1:4].tobytes()))
            elif kind == "b":
                ff.fill_bitmask(matchers, bitmask, threads=2)
                self.said.append(hash(bitmask[: len(matchers)].tobytes()))
            elif kind == "v":
                self.said.append(matcher.validate_tokens([chance.randrange(100_000) for _ in range(3)]))
            elif kind == "t":
                self.said.append(
                    (matcher.tokens(), matcher.text_bytes, matcher.is_accepting(), matcher.forced_tokens())
                )
            elif chance.random() < 0.1:
                matcher.reset()
        return self.said


@pytest.fixture(scope="module")
def cl100k() -> ff.Tokenizer:
    """It keeps no grammar, so what is compiled again has learned nothing yet."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    return tok


@pytest.mark.parametrize("limits", [{}, {"cache_bytes": 20_000}, {"dfa_states": 20}], ids=str)
@pytest.mark.parametrize("name", SCHEMAS)
def test_one_grammar(cl100k: ff.Tokenizer, name: str, limits: dict[str, int]) -> None:
    """Caches are dropped under the threads all the time where they have little room."""
    expected = [Player(ff.compile_json_schema(SCHEMAS[name], cl100k), cl100k).play(seed, 60) for seed in range(THREADS)]
    grammar = ff.compile_json_schema(SCHEMAS[name], cl100k, limits=ff.Limits(**limits))

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            seed = (number + turn) % THREADS
            assert Player(grammar, cl100k).play(seed, 60) == expected[seed]

    in_threads(work)
    if "cache_bytes" in limits:
        assert grammar.stats()["cache_drops"] > 0


def test_grammars_and_tokenizers_are_made_side_by_side(cl100k: ff.Tokenizer) -> None:
    """Threads compile, load a vocabulary, encode and ask for what is kept by tokenizers and modules."""
    texts = ["the quick  brown", "   \n x", "héllo 1234", '{"a": 1}']
    formats = ["date-time", "email", "ipv4", "uuid", "uri"]
    schemas = [{"type": "object", "properties": {"a": {"format": kind, "type": "string"}}} for kind in formats]

    def answers(number: int) -> list[Any]:
        tok = ff.Tokenizer.from_tiktoken("cl100k_base") if number % 2 else cl100k
        said: list[Any] = [tok.fingerprint]
        for text in texts:
            ids = tok.encode(text)
            said.append((ids, ff.is_canonical(tok, ids).verdict, tok.decode(ids)))
        for schema in schemas:
            grammar = ff.compile_json_schema(schema, tok)
            matcher = grammar.matcher()
            matcher.accept_bytes(b'{"')
            said.append((matcher.forced_tokens(), hash(matcher.allowed_token_ids().tobytes()), grammar.warnings))
        said.append(
            hash(ff.compile_lark('start: A ("," A)*\nA: /[a-z]+/i', tok).matcher().allowed_token_ids().tobytes())
        )
        said.append(hash(ff.compile_regex(r"\p{Lu}\w+", tok).matcher().allowed_token_ids().tobytes()))
        return said

    expected = answers(0)

    def work(number: int) -> None:
        for _ in range(max(1, ROUNDS // 4)):
            assert answers(number) == expected

    in_threads(work)


def test_canonical_masks_of_several_grammars(cl100k: ff.Tokenizer) -> None:
    """The grammars of a tokenizer share the arrays in which these masks are made."""
    schemas = [
        *SCHEMAS.values(),
        {"type": "string", "pattern": "^([a-z]+ ){0,3}[a-z]*$"},
        {"type": "string", "maxLength": 9},
    ]
    choices = random.Random(5)
    walks: list[list[tuple[list[int], int]]] = []
    for schema in schemas:
        matcher = ff.compile_json_schema({**schema, "title": "alone"}, cl100k).matcher(canonical=True)
        walks.append([])
        while len(walks[-1]) < 40 and (found := matcher.allowed_token_ids().tolist()):
            walks[-1].append((found, choices.choice(found)))
            assert matcher.accept_token(walks[-1][-1][1])
    grammars = [ff.compile_json_schema({**schema, "title": "together"}, cl100k) for schema in schemas]

    def work(number: int) -> None:
        for turn in range(number, number + ROUNDS):
            matcher = grammars[turn % len(grammars)].matcher(canonical=True)
            for found, token in walks[turn % len(grammars)]:
                assert matcher.allowed_token_ids().tolist() == found
                assert matcher.accept_token(token)

    in_threads(work)


@pytest.mark.parametrize("options", [{}, {"max_tokens": 60}, {"canonical": True}], ids=str)
def test_a_matcher_that_is_misused_harms_nothing_else(cl100k: ff.Tokenizer, options: dict[str, Any]) -> None:
    """What it says when several threads move it is its own affair; the process and the grammar are well."""
    grammar = ff.compile_json_schema(SCHEMAS["orders"], cl100k, limits=ff.Limits(cache_bytes=30_000))
    tokens = cl100k.encode('{"orderId": "abc", "orderName": "Abc", "lines": [{"n": 12}, {"n": -3}]}')
    matcher = grammar.matcher(**options)

    def work(number: int) -> None:
        chance = random.Random(number)
        bitmask = ff.allocate_bitmask(3, cl100k.vocab_size)
        forks = []
        for _ in range(ROUNDS):
            for token in tokens:
                kind = chance.randrange(10)
                if kind < 3:
                    matcher.accept_token(token)
                elif kind == 3:
                    matcher.fill_bitmask(bitmask)
                elif kind == 4:
                    try:
                        matcher.rollback(chance.randint(0, matcher.num_steps))
                    except ff.MatcherError:
                        assert True  # another thread was quicker
                elif kind == 5:
                    forks.append(matcher.fork())
                    del forks[:-3]
                elif kind == 6:
                    assert len(matcher.tokens()) <= 3 * len(tokens) * THREADS
                    assert isinstance(matcher.text_bytes, bytes)
                elif kind == 7:
                    matcher.fill_draft_bitmasks([token], bitmask)
                elif kind == 8:
                    matcher.accept_bytes(cl100k.token_bytes(token))
                    assert (matcher.tokens_left is None) == ("max_tokens" not in options)
                    assert matcher.is_terminated() in (True, False)
                else:
                    matcher.forced_tokens()
                    ff.fill_bitmask([matcher, *forks[:1]], bitmask, threads=2)

    in_threads(work)
    matcher.reset()
    fresh = ff.compile_json_schema(SCHEMAS["orders"], cl100k).matcher(**options)
    for token in tokens:
        assert np.array_equal(matcher.allowed_token_ids(), fresh.allowed_token_ids())
        assert matcher.accept_token(token)
        assert fresh.accept_token(token)


@pytest.mark.skipif(not FREE, reason="this Python has a GIL")
def test_importing_leaves_the_gil_off() -> None:
    import ffgrammar.engine.matcher.batch  # noqa: F401

    assert not sys._is_gil_enabled()  # type: ignore[attr-defined,unused-ignore]
