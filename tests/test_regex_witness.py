"""What the structure of an intersection shows: searches in one text, with lengths and multiples of lengths."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ANY_BYTES, ExprStore
from oracle.regex import OracleStore
from thoroughness import fewer

# One character has one byte, or two.
LETTERS = [b"a", b"b", b"c", b"\xc3\xa9", b"\xc3\xa8"]


def _chars(store: Any, random: Random) -> int:
    kind = random.randrange(5)
    if kind < 2:
        return store.byte_set(b"abc" if kind else b"ab")
    two_bytes = store.concat([store.byte_set(b"\xc3"), store.byte_set(b"\xa9" if kind == 4 else b"\xa9\xa8")])
    members = [store.byte_set(b"abc" if kind == 2 else b"ab"), two_bytes]
    if kind == 4:
        # (with "cc" in place of "c")
        members.append(store.literal(b"cc") if random.random() < 0.3 else store.byte_set(b"c"))
    return store.union(members)


def _word(store: Any, random: Random) -> int:
    kind = random.randrange(4)
    if kind == 0:
        return store.literal(b"".join(random.choices(LETTERS, k=random.randrange(1, 4))))
    if kind == 1:
        return store.byte_set(bytes(random.sample(b"abc", random.randrange(1, 3))))
    if kind == 2:
        two = random.choices(LETTERS, k=2)
        return store.union([store.literal(random.choice(LETTERS)), store.literal(b"".join(two))])
    return store.concat([store.byte_set(b"\xc3"), store.byte_set(b"\xa8\xa9")])


def _search(store: Any, random: Random, star: int) -> int:
    parts = [star]
    for _ in range(random.choice([1, 1, 1, 2])):
        parts += [_word(store, random), star if random.random() < 0.8 else ANY_BYTES]
    return store.concat(parts)


def _lengths(store: Any, random: Random, char: int) -> int:
    low = random.randrange(4)
    if random.random() < 0.5:
        return store.repeat(char, low, low + random.randrange(5))
    step, rounds = random.randrange(2, 5), random.randrange(3)
    steps = store.repeat(store.repeat(char, step, step), rounds, random.choice([None, None, rounds + 3]))
    return store.concat([store.repeat(char, low, low), steps])


def _member(store: Any, random: Random, chars: int) -> int:
    kind = random.randrange(9)
    char = chars if random.random() < 0.75 else _chars(store, random)
    star = store.repeat(char, 0, None)
    if kind < 4:
        return _search(store, random, star)
    if kind < 6:
        return _lengths(store, random, char)
    if kind == 6:
        return star
    begun = store.concat([_word(store, random), star])
    return store.union([store.concat([star, _word(store, random), star]), begun]) if kind == 7 else begun


def _intersection(store: Any, random: Random) -> int:
    chars = _chars(store, random)
    return store.intersect([_member(store, random, chars) for _ in range(random.randrange(2, 6))])


@pytest.mark.parametrize("first", range(0, 1500, 100))
def test_random_intersections(first: int) -> None:
    for seed in range(first, first + 100):
        real, oracle = ExprStore(), OracleStore()
        found, expected = (_intersection(store, Random(seed)) for store in (real, oracle))
        assert real.is_nothing(found) == oracle.is_nothing(expected), (seed, real.describe(found))


def _overlapping(store: Any, random: Random) -> int:
    """Words that may overlap, in a text of bounded length."""
    letters = random.choice([b"ab", b"abc", b"abcd"])
    star = store.repeat(store.byte_set(letters), 0, None)
    words = []
    for _ in range(random.randrange(2, 6)):
        sizes = random.choices([1, 2], [4, 1], k=random.randrange(1, 5))
        word = [store.byte_set(bytes(random.sample(letters, size))) for size in sizes]
        words.append(store.concat([star, *word, star if random.random() < 0.7 else ANY_BYTES]))
    return store.intersect([*words, store.repeat(store.byte_set(letters), 0, random.randrange(2, 14))])


def test_random_words_that_overlap() -> None:
    for seed in range(fewer(500)):
        real, oracle = ExprStore(), OracleStore()
        found, expected = (_overlapping(store, Random(seed)) for store in (real, oracle))
        assert real.is_nothing(found) == oracle.is_nothing(expected), (seed, real.describe(found))


def _store() -> ExprStore:
    """A store in which nearly everything must be seen without a search."""
    return ExprStore(Limits(emptiness_steps=100))


@pytest.mark.parametrize(("room", "is_nothing"), [(19, True), (20, False), (64, False)])
def test_many_letters_in_little_room(room: int, is_nothing: bool) -> None:
    store = _store()
    letter = store.byte_set(bytes(range(97, 97 + 26)))
    star = store.repeat(letter, 0, None)
    searches = [store.concat([star, store.literal(bytes([97 + n])), star]) for n in range(20)]
    assert store.is_nothing(store.intersect([*searches, store.repeat(letter, 8, room)])) == is_nothing


def test_lengths_without_a_common_one() -> None:
    store = _store()
    char = store.union([store.byte_set(b"ab"), store.literal(b"\xc3\xa9")])

    def multiples(step: int, more: int = 0) -> int:
        steps = store.repeat(store.repeat(char, step, step), 0, None)
        return store.concat([store.repeat(char, more, more), steps])

    primes = [multiples(prime) for prime in (2, 3, 5, 7, 11, 13, 17, 19)]
    assert not store.is_nothing(store.intersect(primes))
    assert not store.is_nothing(store.intersect([*primes, multiples(4)]))
    assert store.is_nothing(store.intersect([*primes, multiples(4, 1)]))
    # The first common length but 0 is 9,699,690.
    assert not store.is_nothing(store.intersect([*primes, store.repeat(char, 1, 9699690)]))
    assert store.is_nothing(store.intersect([*primes, store.repeat(char, 1, 9699689)]))
