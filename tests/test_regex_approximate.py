"""Approximation: texts shorter than the distinguishing length do not tell expressions apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.regex.expr.store import EMPTY, ExprStore

LETTERS = b"ab"
LONGEST = 6
TEXTS = [bytes(text) for length in range(LONGEST + 1) for text in itertools.product(LETTERS, repeat=length)]

# expressions with numbers for the bounds of their repeats, so that two of them may differ in the bounds alone
leaves = st.one_of(
    st.lists(st.sampled_from(LETTERS), min_size=1, max_size=2).map(lambda members: ("byte_set", bytes(members))),
    st.lists(st.sampled_from(LETTERS), max_size=3).map(lambda text: ("literal", bytes(text))),
)


def _above(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.tuples(st.sampled_from(["concat", "concat", "union", "intersect"]), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("complement"), inner),
        st.tuples(st.just("repeat"), inner),
        st.tuples(st.just("repeat"), inner),
    )


skeletons = st.recursive(leaves, _above, max_leaves=7)
BOUNDS = [(0, None), (1, None), (0, 1), (1, 1), (2, 2), (1, 3), (2, None), (0, 4), (3, 5), (4, 7)]
bounds = st.lists(st.sampled_from(BOUNDS))


def _build(store: ExprStore, skeleton: Any, numbers: list[Any]) -> int:
    kind, inner = skeleton
    if kind in ("byte_set", "literal"):
        made: int = getattr(store, kind)(inner)
    elif kind in ("concat", "union", "intersect"):
        made = getattr(store, kind)([_build(store, part, numbers) for part in inner])
    elif kind == "complement":
        made = store.complement(_build(store, inner, numbers))
    else:
        made = store.repeat(_build(store, inner, numbers), *(numbers.pop() if numbers else (0, None)))
    return made


def _check_length(store: ExprStore, a: int, b: int) -> int:
    if store.is_nothing(a) or store.is_nothing(b):
        return 0
    min_distinguishing_length = store.min_distinguishing_length(a, b)
    futures = {b"": (a, b)}
    for text in TEXTS:
        if len(text) >= min_distinguishing_length:
            break
        if text:
            x, y = futures[text[:-1]]
            futures[text] = store.derivative(x, text[-1]), store.derivative(y, text[-1])
        x, y = futures[text]
        assert store.is_nullable(x) == store.is_nullable(y), (
            text,
            min_distinguishing_length,
            store.describe(a),
            store.describe(b),
        )
        assert store.is_nothing(x) == store.is_nothing(y), (
            text,
            min_distinguishing_length,
            store.describe(a),
            store.describe(b),
        )
    return min_distinguishing_length


@given(skeletons, bounds, bounds)
def test_shorter_texts_do_not_tell(skeleton: Any, ours: list[Any], theirs: list[Any]) -> None:
    store = ExprStore()
    _check_length(store, _build(store, skeleton, list(ours)), _build(store, skeleton, list(theirs)))


@given(skeletons, skeletons, bounds)
def test_nor_where_the_expressions_have_little_in_common(one: Any, other: Any, numbers: list[Any]) -> None:
    store = ExprStore()
    _check_length(store, _build(store, one, list(numbers)), _build(store, other, list(numbers)))


@given(skeletons, bounds)
def test_relaxed_expressions_match_more(skeleton: Any, numbers: list[Any]) -> None:
    store = ExprStore()
    e = _build(store, skeleton, list(numbers))
    relaxed = store.relaxed(e)
    for text in TEXTS:
        assert not store.matches(e, text) or store.matches(relaxed, text), (text, store.describe(e))
    _check_length(store, e, relaxed)


def _char(s: ExprStore) -> int:
    return s.union([s.byte_set(b"abc"), s.literal(b"\xc3\xa9")])


CASES: dict[str, tuple[Callable[[ExprStore], tuple[int, int]], int]] = {
    "bounds": (lambda s: (s.repeat(_char(s), 0, 40), s.repeat(_char(s), 0, None)), 41),
    "lower bounds": (lambda s: (s.repeat(_char(s), 3, None), s.repeat(_char(s), 5, None)), 3),
    "once more": (lambda s: (s.repeat(_char(s), 0, 7), _char(s)), 0),
    "what follows": (
        lambda s: (
            s.concat([s.repeat(_char(s), 0, 40), s.literal(b'"')]),
            s.concat([s.repeat(_char(s), 0, 39), s.literal(b'"')]),
        ),
        40,
    ),
    "behind two bytes": (
        lambda s: (
            s.concat([s.literal(b"xy"), s.repeat(_char(s), 0, 10)]),
            s.concat([s.literal(b"xy"), s.repeat(_char(s), 0, 11)]),
        ),
        13,
    ),
    "words": (
        lambda s: (
            s.concat([s.repeat(s.concat([s.repeat(_char(s), 1, None), s.literal(b" ")]), 0, 9), s.literal(b"-")]),
            s.concat([s.repeat(s.concat([s.repeat(_char(s), 1, None), s.literal(b" ")]), 0, 8), s.literal(b"-")]),
        ),
        17,
    ),
    "nothing in common": (lambda s: (s.literal(b"ab"), s.literal(b"xy")), 1),
    "one is empty": (lambda s: (EMPTY, s.literal(b"xy")), 0),
}


@pytest.mark.parametrize("name", CASES)
def test_lengths(name: str) -> None:
    store = ExprStore()
    make, expected = CASES[name]
    assert _check_length(store, *make(store)) == expected
