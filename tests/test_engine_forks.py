"""Forks share the history before them, and each has its own after that: compared with lists."""

from __future__ import annotations

import gc
import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff

# most texts go on with anything; after a z nothing but z
GRAMMAR = r"[a-y ]*z*"
TOKENS = [b"a", b"b", b"xy", b"the ", b"quick brown fox", b"z", b"zz", b"!"]
EOS = len(TOKENS)
# around what fills a chunk (256 steps, 4096 bytes) and what is copied at most (32, 512)
SIZES = st.one_of(st.integers(0, 40), st.integers(240, 270), st.integers(500, 530), st.integers(0, 1200))
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            ["tokens", "tokens", "bytes", "eos", "rollback", "rollback", "fork", "fork", "drop", "reset", "look"]
        ),
        SIZES,
        st.integers(0, 1 << 16),
    ),
    max_size=40,
)
Step = tuple[int | None, bytes]


@pytest.fixture(scope="module")
def toy() -> ff.Tokenizer:
    """Another vocabulary than that of the random grammars."""
    return ff.Tokenizer.from_tokens([*TOKENS, b"<eos>"], eos_token_id=EOS)


def _text(steps: list[Step]) -> bytes:
    return b"".join(text for _, text in steps)


def _accepts(steps: list[Step], text: bytes) -> int:
    """How many bytes of a text may follow, plainly."""
    if steps and steps[-1][0] == EOS:
        return 0
    ended = _text(steps).endswith(b"z")
    for place, byte in enumerate(text):
        ended = ended or byte == ord("z")
        if not (byte == ord("z") or (not ended and (97 <= byte < 122 or byte == 32))):
            return place
    return len(text)


def _check(matcher: ff.Matcher, steps: list[Step]) -> None:
    assert matcher.num_steps == len(steps)
    assert matcher.tokens() == [token for token, _ in steps]
    assert matcher.text_bytes == _text(steps)
    terminated = bool(steps) and steps[-1][0] == EOS
    assert matcher.is_terminated() == terminated
    expected = [token for token, text in enumerate(TOKENS) if _accepts(steps, text) == len(text)]
    assert matcher.allowed_token_ids().tolist() == ([] if terminated else [*expected, EOS])


@given(OPERATIONS, st.sampled_from([ff.Limits(), ff.Limits(cache_bytes=2_000), ff.Limits(dfa_states=2)]))
def test_histories(toy: ff.Tokenizer, operations: list[tuple[str, int, int]], limits: ff.Limits) -> None:
    grammar = ff.compile_regex(GRAMMAR, toy, limits=limits)
    matchers: list[tuple[ff.Matcher, list[Step]]] = [(grammar.matcher(), [])]
    for kind, size, number in operations:
        matcher, steps = matchers[number % len(matchers)]
        if kind == "tokens":
            chance = random.Random(number)
            for token in chance.choices(range(len(TOKENS)), [9, 9, 9, 5, 3, number % 3 == 0, 0, 1], k=size):
                accepted = _accepts(steps[-1:], TOKENS[token]) == len(TOKENS[token])
                assert matcher.accept_token(token) == accepted
                if accepted:
                    steps.append((token, TOKENS[token]))
        elif kind == "bytes":
            text = b"abc " * (size * size // 4) + (b"z" if number % 5 == 0 else b"")
            count = _accepts(steps[-1:], text)
            assert matcher.accept_bytes(text) == count
            if count:
                steps.append((None, text[:count]))
        elif kind == "eos":
            ended = bool(steps) and steps[-1][0] == EOS
            assert matcher.accept_token(EOS) == (not ended)
            if not ended:
                steps.append((EOS, b""))
        elif kind == "rollback":
            count = min(size, len(steps))
            with pytest.raises(ff.MatcherError):
                matcher.rollback(len(steps) + 1)
            matcher.rollback(count)
            del steps[len(steps) - count :]
        elif kind == "fork":
            matchers.append((matcher.fork(), list(steps)))
        elif kind == "drop" and len(matchers) > 1:
            del matchers[number % len(matchers)]
        elif kind == "reset":
            if number % 4 == 0:
                matcher.reset()
                steps.clear()
        else:
            _check(matcher, steps)
    for matcher, steps in matchers:
        _check(matcher, steps)


def test_going_back_where_another_has_read_again(toy: ff.Tokenizer) -> None:
    """The caches are dropped; one of two forks reads the text again, the other has gone back in it, or to its start."""
    grammar = ff.compile_regex("(a|b){0,40}|[a-z]{0,50}z", toy, limits=ff.Limits(dfa_states=40))
    for back in (1, 5, 19, 20):
        ahead = grammar.matcher()
        assert ahead.accept_tokens([0, 1] * 10) == 20
        behind = ahead.fork()
        behind.rollback(back)
        expected = behind.allowed_token_ids().tolist()
        drops = grammar.stats()["cache_drops"]
        other = grammar.matcher()
        other.accept_tokens([2] + [0] * 45)
        other.reset()
        other.accept_tokens([0] * 40)
        assert grammar.stats()["cache_drops"] > drops
        assert ahead.is_accepting()
        assert behind.allowed_token_ids().tolist() == expected
        assert behind.accept_tokens([0, 1] * 10) == 20
        assert ahead.tokens() == [0, 1] * 10
        assert behind.tokens() == ([0, 1] * 10)[: 20 - back] + [0, 1] * 10


def test_a_fork_at_every_token(toy: ff.Tokenizer) -> None:
    """As a beam search does; the forks outlive what they were forked from."""
    grammar = ff.compile_regex(GRAMMAR, toy)
    matcher = grammar.matcher()
    beams = []
    for place in range(3000):
        matcher = matcher.fork()
        assert matcher.accept_token(place % 5)
        if place % 100 == 0:
            beams.append((matcher.fork(), place + 1))
    del matcher
    gc.collect()
    for beam, count in reversed(beams):
        assert beam.tokens() == [place % 5 for place in range(count)]
        beam.rollback(count // 2)
        assert beam.tokens() == [place % 5 for place in range(count - count // 2)]
        assert beam.allowed_token_ids().tolist() == [0, 1, 2, 3, 4, 5, 6, EOS]


def test_a_long_history_goes_at_once(toy: ff.Tokenizer) -> None:
    """Half a million steps in thousands of chunks are let go one by one, not one inside of the other."""
    matcher = ff.compile_regex(GRAMMAR, toy).matcher()
    assert matcher.accept_tokens([0] * 500_000) == 500_000
    fork = matcher.fork()
    del matcher
    fork.rollback(499_999)
    assert fork.text_bytes == b"a"


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer keeps what is given back")
def test_nothing_is_lost(toy: ff.Tokenizer) -> None:
    """Forks, rollbacks and dropped matchers give back what they held."""
    try:
        _resident()
    except OSError:
        pytest.skip("/proc is missing")
    grammar = ff.compile_regex(GRAMMAR, toy)

    def once(seed: int) -> None:
        chance = random.Random(seed)
        matchers = [grammar.matcher()]
        for _ in range(60):
            matcher = chance.choice(matchers)
            matcher.accept_tokens([0] * chance.randint(0, 300))
            matcher.rollback(chance.randint(0, matcher.num_steps))
            matchers = [*matchers[-10:], chance.choice(matchers).fork()]

    for seed in range(40):
        once(seed)
    before = _resident()
    for seed in range(400):
        once(seed)
    # one round writes a megabyte
    assert _resident() - before < 4 << 20
