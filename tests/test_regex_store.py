"""The compiled expression store against the oracle's: the same expression, built in both, is the same language."""

from __future__ import annotations

import itertools
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, NOTHING, ExprStore
from oracle.regex import OracleStore

LETTERS = b"ab\xff"
TEXTS = [bytes(text) for length in range(6) for text in itertools.product(LETTERS, repeat=length)]

leaves = st.one_of(
    st.just(("literal", b"")),
    st.just(("any",)),
    st.just(("nothing",)),
    st.lists(st.sampled_from(LETTERS), max_size=3).map(lambda members: ("byte_set", bytes(members))),
    st.lists(st.sampled_from(LETTERS), max_size=3).map(lambda text: ("literal", bytes(text))),
    st.tuples(st.just("literals"), st.lists(st.lists(st.sampled_from(LETTERS), max_size=3).map(bytes), max_size=5)),
)
BOUNDS = [(0, None), (1, None), (0, 1), (1, 1), (0, 0), (2, 2), (1, 3), (2, None), (0, 4), (3, 5)]


def _above(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    return st.one_of(
        st.tuples(st.sampled_from(["concat", "union", "intersect"]), several),
        st.tuples(st.just("complement"), inner),
        st.tuples(inner, st.sampled_from(BOUNDS)).map(lambda parts: ("repeat", parts[0], *parts[1])),
    )


recipes = st.recursive(leaves, _above, max_leaves=8)


def _build(store: Any, recipe: tuple[Any, ...]) -> Any:
    kind, *parts = recipe
    if kind in ("any", "nothing"):
        return ANY_BYTES if kind == "any" else NOTHING
    if kind in ("concat", "union", "intersect"):
        made = getattr(store, kind)([_build(store, part) for part in parts[0]])
    elif kind == "complement":
        made = store.complement(_build(store, parts[0]))
    elif kind == "repeat":
        made = store.repeat(_build(store, parts[0]), *parts[1:])
    else:
        made = getattr(store, kind)(parts[0])
    return made


@given(recipes)
def test_both_stores_match_the_same_texts(recipe: tuple[Any, ...]) -> None:
    real, oracle = ExprStore(), OracleStore()
    a, b = _build(real, recipe), _build(oracle, recipe)
    assert real.is_nullable(a) == oracle.is_nullable(b)
    for text in TEXTS:
        assert real.matches(a, text) == oracle.matches(b, text), text


@given(recipes)
def test_both_stores_know_what_is_empty(recipe: tuple[Any, ...]) -> None:
    real, oracle = ExprStore(), OracleStore()
    pairs = [(_build(real, recipe), _build(oracle, recipe))]
    # all derivatives by short texts
    for _ in range(2):
        pairs = [(real.derivative(a, byte), oracle.derivative(b, byte)) for a, b in pairs for byte in LETTERS]
        for a, b in pairs:
            try:
                expected = oracle.is_nothing(b)
            except RuntimeError:
                continue
            assert real.is_nothing(a) == expected, real.describe(a)


@given(recipes, recipes)
def test_equal_ids_are_equal_languages(left: tuple[Any, ...], right: tuple[Any, ...]) -> None:
    real, oracle = ExprStore(), OracleStore()
    for combined in (("union", [left, right]), ("intersect", [left, ("complement", right)]), ("concat", [left, right])):
        a, b = _build(real, combined), _build(oracle, combined)
        # a word of bytes that no set names stands for all of them
        for text in [*TEXTS[:40], b"\x00", b"a\x00b"]:
            assert real.matches(a, text) == oracle.matches(b, text), text
    assert _build(real, ("union", [left, right])) == _build(real, ("union", [right, left]))
    assert _build(real, ("complement", ("complement", left))) == _build(real, left)


@given(st.lists(st.binary(max_size=6), max_size=20), st.lists(st.binary(max_size=6), max_size=10))
def test_literals_are_exactly_the_texts(texts: list[bytes], others: list[bytes]) -> None:
    store = ExprStore()
    expr = store.literals(texts)
    for text in [*texts, *others, *(text[:-1] for text in texts)]:
        assert store.matches(expr, text) == (text in texts)


def test_many_literals_are_a_trie() -> None:
    store = ExprStore()
    texts = [f"word{i}".encode() for i in range(20_000)]
    expr = store.literals(texts)
    assert store.matches(expr, b"word12345")
    assert not store.matches(expr, b"word20000")
    after = store.derivative(expr, ord("w"))
    assert store.node(after)[0] == "concat"


def test_the_order_of_many_literals_does_not_matter() -> None:
    rng = random.Random(1)
    # with equal texts, texts that begin others, the empty text, and zero bytes
    texts = [bytes(rng.choices(b"ab\0\xff", k=rng.randrange(9))) for _ in range(6000)]
    store = ExprStore()
    expr = store.literals(sorted(set(texts)))
    for count in (len(texts), len(texts) - 1):
        rng.shuffle(texts)
        assert store.literals(texts[:count] + texts[count - 1 :]) == expr
    assert all(store.matches(expr, text) for text in texts[:200])
    assert not any(store.matches(expr, text + b"c") for text in texts[:200])


def test_many_literals_must_be_bytes() -> None:
    with pytest.raises(TypeError):
        ExprStore().literals([*[b"%d" % i for i in range(5000)], "text"])


def test_the_time_to_sort_literals_is_bounded() -> None:
    store = ExprStore(Limits(seconds=1))
    store.literals([b"text"])
    time.sleep(1)
    # (the clock is looked at now and then, and one text alone takes too little work for that)
    store.literals([b"text"])
    with pytest.raises(LimitError, match="seconds"):
        store.literals([b"text"] * 300_000)


def test_a_member_that_lies_in_what_another_one_leaves_out_is_seen_soon() -> None:
    store = ExprStore()
    letter, digit = store.byte_set(b"abcdefghijklmnopqrstuvwxyz"), store.byte_set(b"0123456789")
    any_byte = store.byte_set(bytes(range(32, 127)))
    rest = store.repeat(any_byte, 0, None)
    ends = store.repeat(store.byte_set(b"8t"), 10, 10)
    part = store.concat([store.literal(b"c1d3g3"), store.repeat(any_byte, 4, 8)])
    members = [
        store.repeat(store.concat([letter, digit]), 1, None),
        store.concat([rest, store.repeat(part, 6, 6), rest]),
        store.concat([store.repeat(any_byte, 90, None), ends]),
        store.complement(store.concat([rest, ends])),
    ]
    assert store.is_nothing(store.intersect(members))
    assert not store.is_nothing(store.intersect(members[:3]))
    assert len(store) < 12_000


def test_a_member_of_what_is_left_out_matches_nothing() -> None:
    """No search is needed, which would try each set of 24 letters that may not follow."""
    store = ExprStore(Limits(emptiness_steps=100))
    anything = store.repeat(store.byte_set(bytes(range(0x20, 0x7F))), 0, None)
    text = store.concat([anything, store.literal(b"\n")])
    having = [store.concat([anything, store.byte_set(bytes([letter])), text]) for letter in range(0x61, 0x79)]
    having_none = store.intersect([text, *[store.complement(one) for one in having]])
    assert store.derivative(having_none, 0x61) == NOTHING
    assert not store.is_nothing(store.derivative(having_none, 0x7A))


def test_what_a_complement_leaves_out_beside_what_is_known_matches_nothing() -> None:
    """No search is needed, which would try each set of 12 letters."""
    store = ExprStore(Limits(emptiness_steps=100))
    char = store.byte_set(bytes(range(0x20, 0x7F)))
    anything, length = store.repeat(char, 0, None), store.repeat(char, 8, 20)
    having = [store.concat([anything, store.byte_set(bytes([letter])), anything]) for letter in range(0x61, 0x6D)]
    passwords = [store.intersect([length, one]) for one in having]
    first_only = store.intersect([passwords[0], *[store.complement(one) for one in passwords[1:]]])
    assert store.derivative(first_only, 0x62) == NOTHING
    assert not store.is_nothing(store.derivative(first_only, 0x7A))


def test_emptiness_of_large_expressions_is_decided_or_limited() -> None:
    store = ExprStore(Limits(emptiness_steps=1000))
    either = store.byte_set(b"ab")
    a = store.literal(b"a")
    # the 200th letter before the end is an a: the automaton has 2^200 states
    far = store.concat([store.repeat(either, 0, None), a, store.repeat(either, 200, 200)])
    assert not store.is_nothing(far)
    even = store.repeat(store.repeat(either, 2, 2), 0, None)
    odd = store.concat([either, even])
    assert store.is_nothing(store.intersect([even, odd]))
    # an a and no a at the same place: empty, but only a visit of all states would show it
    not_far = store.concat([store.repeat(either, 0, None), store.literal(b"b"), store.repeat(either, 200, 200)])
    with pytest.raises(LimitError, match="emptiness_steps"):
        store.is_nothing(store.intersect([far, not_far]))


def test_ids_of_other_stores_are_refused() -> None:
    store = ExprStore()
    for expr in (-1, 99, 1 << 40):
        with pytest.raises((ValueError, OverflowError)):
            store.derivative(expr, 0)
    assert store.literal(b"") == EMPTY


def test_a_store_does_not_start_from_itself() -> None:
    store = ExprStore()
    store.literal(b"ab")
    with pytest.raises(ValueError, match="itself"):
        store.start_from(store)
    assert store.literal(b"ab") < len(store)
