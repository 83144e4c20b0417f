"""Many patterns that are searched for in one text: right, and decided in few steps."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ExprStore
from oracle.regex import OracleStore

# One character has one byte, or two.
LETTERS = [b"a", b"b", b"\xc3\xa9"]
TEXTS = [b"".join(text) for length in range(6) for text in itertools.product(LETTERS, repeat=length)]
TEXTS += [text + half for text in TEXTS[:40] for half in (b"\xc3", b"\xa9")]


def _chars(store: Any) -> int:
    return store.union([store.byte_set(b"ab"), store.concat([store.byte_set(b"\xc3"), store.byte_set(b"\xa9\xaa")])])


def _random_search(store: Any, random: Random, levels: int) -> int:
    """An expression of loops over characters, searches in them, and what can be said of searches."""
    every = store.repeat(_chars(store), 0, None)
    kind = random.choice(["search", "search", "all", "length", "and", "or", "not", "concat"])
    if kind == "search" or levels == 0:
        return store.concat([every, store.literal(b"".join(random.choices(LETTERS, k=random.randrange(1, 3)))), every])
    if kind == "all":
        return every
    if kind == "length":
        low = random.randrange(3)
        return store.repeat(_chars(store), low, low + random.randrange(4))
    parts = [_random_search(store, random, levels - 1) for _ in range(random.randrange(2, 4))]
    if kind == "not":
        return store.intersect([every, store.complement(parts[0])])
    return {"and": store.intersect, "or": store.union, "concat": store.concat}[kind](parts)


@pytest.mark.parametrize("seed", range(200))
def test_random_searches(seed: int) -> None:
    real, oracle = ExprStore(), OracleStore()
    e, expected = (_random_search(store, Random(seed), 3) for store in (real, oracle))
    for text in TEXTS:
        assert real.matches(e, text) == oracle.matches(expected, text), text
    # what is empty after a text
    for text in TEXTS[:20]:
        for byte in text:
            e, expected = real.derivative(e, byte), oracle.derivative(expected, byte)
        try:
            assert real.is_nothing(e) == oracle.is_nothing(expected)
        except RuntimeError:
            continue


def _searches(store: ExprStore, count: int) -> list[int]:
    every = store.repeat(store.byte_set(bytes(range(97, 97 + 26))), 0, None)
    return [store.concat([every, store.literal(bytes([97 + n] * 2)), every]) for n in range(count)]


def test_exactly_one_of_many_is_decided_in_few_steps() -> None:
    store = ExprStore(Limits(emptiness_steps=1000))
    searches = _searches(store, 26)
    branches = [
        store.intersect([one, *(store.complement(other) for other in searches if other != one)]) for one in searches
    ]
    left = store.union(branches)
    assert not store.is_nothing(left)
    for byte in b"abccd":
        left = store.derivative(left, byte)
        assert not store.is_nothing(left)
    # Once one of them is found, the branches of the others are gone.
    assert store.node(left)[0] == "intersect"
    for byte in b"ee":
        left = store.derivative(left, byte)
    assert store.is_nothing(left)


def test_all_of_many_are_decided_in_few_steps() -> None:
    """Also before a text that follows them, and if there is too little room for all of them."""
    store = ExprStore(Limits(emptiness_steps=3000))
    searches = _searches(store, 20)
    quote = store.literal(b'"')
    assert not store.is_nothing(store.concat([store.intersect(searches), quote]))
    letter = store.byte_set(bytes(range(97, 97 + 26)))
    single = [
        store.concat([store.repeat(letter, 0, None), store.literal(bytes([97 + n])), store.repeat(letter, 0, None)])
        for n in range(10)
    ]
    for room, is_nothing in ((9, True), (10, False)):
        assert store.is_nothing(store.intersect([*single, store.repeat(letter, 0, room)])) == is_nothing


@pytest.mark.parametrize(
    ("schema", "inside"),
    [
        ({"oneOf": [{"type": "string", "pattern": letter * 2} for letter in "abcdefghijklmnopqrstuvwxyz"]}, "xaab"),
        ({"allOf": [{"pattern": letter * 2} for letter in "abcdefghijklmnopqrst"], "type": "string"}, "xaab"),
        ({"type": "string", "pattern": "^" + "".join(f"(?=.*{c})" for c in "abcdefgh") + ".{8,64}$"}, "hgfedcab"),
        (
            {"type": "string", "allOf": [{"pattern": word} for word in "cat dog sun map pen cup hat box".split()]},
            "cado",
        ),
        (
            {
                "type": "string",
                "oneOf": [
                    {"pattern": r"^(\w{1,9}-){0,60}$"},
                    {"pattern": r"^((.{5,14}[a-z]{0,3}){1,8}|\.+)$"},
                ],
            },
            "ab",
        ),
        (
            {
                "type": "string",
                "allOf": [
                    # what follows an s contradicts itself
                    {"pattern": r"^[a-rt-z ]*(?:s(?=(?:ab|cd){0,40}x$)(?!(?:[ac][bd]){0,50}[xy]$).*|0)$"},
                    *({"pattern": f"^[^{c}]*({c}[^{c}]*{c}[^{c}]*)*$"} for c in "abcdefghijkl"),
                ],
            },
            "ab",
        ),
    ],
    ids=["exactly one of 26", "all of 20", "8 look-aheads", "8 words", "labels or chunks", "12 letters, and no s"],
)
def test_masks_of_many_patterns_have_a_small_budget(schema: Any, inside: str) -> None:
    """Every mask needs a twentieth of the default number of steps at most, and a fifth of the work."""
    tokenizer = ff.Tokenizer.from_tiktoken("cl100k_base")
    limits = Limits(emptiness_steps=5000, cache_bytes=64 << 20, mask_work=4_000_000)
    matcher = ff.compile_json_schema(schema, tokenizer, limits=limits).matcher()
    for byte in f'"{inside}'.encode():
        assert matcher.accept_bytes(bytes([byte]))
        assert len(matcher.allowed_token_ids())
