"""Members of a union that begin with the same loop and go on alike are one member, if their numbers of rounds meet."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

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
    ("rounds", "merged"),
    [
        ([(0, 5), (1, 9)], [(0, 9)]),
        ([(0, 3), (4, 6)], [(0, 6)]),
        ([(0, 3), (0, 5)], [(0, 5)]),
        ([(2, 8), (3, 5)], [(2, 8)]),
        ([(0, 3), (2, None)], [(0, None)]),
        ([(2, None), (5, None)], [(2, None)]),
        ([(0, 3), (5, 6)], [(0, 3), (5, 6)]),
        ([(0, 3), (5, None)], [(0, 3), (5, None)]),
        ([(2, 3), (6, 7), (4, 5)], [(2, 7)]),
        ([(0, 1), (5, 6), (7, 8)], [(0, 1), (5, 8)]),
        ([(0, 1), (3, 5), (2, 2), (7, 9)], [(0, 5), (7, 9)]),
    ],
)
@pytest.mark.parametrize("loop", ["ab", "a|bc", "a?b?"])
@pytest.mark.parametrize("rest", ["", "b", "b{2,3}c", "(ab)*c"])
def test_what_meets_is_merged_in_any_order(
    rounds: list[tuple[int, int | None]], merged: list[tuple[int, int | None]], loop: str, rest: str
) -> None:
    store = ExprStore()

    def union(chosen: Iterable[tuple[int, int | None]]) -> int:
        after, inner = lw.compile_regex(store, rest), lw.compile_regex(store, loop)
        return store.union([store.concat([store.repeat(inner, *bounds), after]) for bounds in chosen])

    assert {union(chosen) for chosen in itertools.permutations(rounds)} == {union(merged)}
    if loop != "a?b?":  # (it matches the empty text, so its lower bounds are 0, and all its loops meet)
        assert (store.node(union(merged))[0] == "union") == (len(merged) > 1)


def test_unions_of_unions_are_merged() -> None:
    store = ExprStore()
    parts = [lw.compile_regex(store, f"(?:ab){{{lo},{hi}}}c") for lo, hi in [(0, 1), (4, 5), (2, 3)]]
    assert store.union([store.union(parts[:2]), parts[2]]) == lw.compile_regex(store, "(?:ab){0,5}c")


@given(st.text("ab.", max_size=40))
def test_ambiguous_labels(text: str) -> None:
    pattern = r"(.{1,5}\.){1,4}[ab]{1,3}"
    store = ExprStore()
    assert store.matches(lw.compile_regex(store, pattern), text.encode()) == bool(re.fullmatch(pattern, text))


def test_what_labels_leave_stays_small() -> None:
    """Each dot may end a label or be in one, so without merging there are hundreds of members after 40 dots."""
    store = ExprStore(Limits(expression_size=20))
    left = lw.compile_regex(store, r"(.{1,63}\.){1,127}[a-z]")
    for dots in range(1, 128):
        left = store.derivative(left, ord("."))
        assert store.matches(left, b"a") == (dots > 1)
