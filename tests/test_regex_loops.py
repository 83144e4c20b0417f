"""Members of a union that begin with the same loop and go on alike are one member, if their numbers of rounds meet."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower import lowering as lw
from oracle.regex import OracleStore

LETTERS = b"ab"
TEXTS = [bytes(text) for length in range(8) for text in itertools.product(LETTERS, repeat=length)]

bounds = st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(0, 4))).map(
    lambda pair: (pair[0], None if pair[1] is None else pair[0] + pair[1])
)
# (the third loop matches the empty text, and the second rest begins with a loop itself)
members = st.lists(
    st.tuples(st.sampled_from(["a", "ab|b", "a?b?"]), bounds, st.sampled_from(["", "a{1,2}b", "b"])), max_size=6
)


@given(members)
def test_merged_members_match_the_same_texts(chosen: list[tuple[str, tuple[int, int | None], str]]) -> None:
    real, oracle = ExprStore(), OracleStore()
    a, b = (
        store.union(
            [
                store.concat([store.repeat(lw.compile_regex(store, loop), *rounds), lw.compile_regex(store, rest)])
                for loop, rounds, rest in chosen
            ]
        )
        for store in (real, oracle)
    )
    for text in TEXTS:
        assert real.matches(a, text) == oracle.matches(b, text), text


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        ((0, 5), (1, 9), (0, 9)),
        ((1, 9), (0, 5), (0, 9)),
        ((0, 3), (4, 6), (0, 6)),
        ((4, 6), (0, 3), (0, 6)),
        ((2, 8), (3, 5), (2, 8)),
        ((0, 3), (2, None), (0, None)),
        ((2, None), (5, None), (2, None)),
        ((0, 3), (5, 6), None),
        ((5, None), (0, 3), None),
    ],
)
@pytest.mark.parametrize("rest", ["", "b", "b{2,3}c"])
def test_what_meets_is_merged(
    one: tuple[int, int | None], other: tuple[int, int | None], merged: tuple[int, int | None] | None, rest: str
) -> None:
    store = ExprStore()

    def loop(rounds: tuple[int, int | None]) -> int:
        return store.concat([store.repeat(store.literal(b"ab"), *rounds), lw.compile_regex(store, rest)])

    both = store.union([loop(one), loop(other)])
    if merged is not None:
        assert both == loop(merged)
    else:
        assert store.node(both)[0] == "union"


@given(st.text("ab.", max_size=40))
def test_ambiguous_labels(text: str) -> None:
    pattern = r"(.{1,5}\.){1,4}[ab]{1,3}"
    store = ExprStore()
    assert store.matches(lw.compile_regex(store, pattern), text.encode()) == bool(re.fullmatch(pattern, text))


def test_what_labels_leave_stays_small() -> None:
    """Each dot may end a label or be in one, so there are hundreds of ways to read 40 dots."""
    store = ExprStore(Limits(expression_size=20))
    left = lw.compile_regex(store, r"(.{1,63}\.){1,127}[a-z]")
    for dots in range(1, 128):
        left = store.derivative(left, ord("."))
        assert store.matches(left, b"a") == (dots > 1)
