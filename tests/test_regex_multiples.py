"""Digit strings by the remainder of their value, against Python's integers."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import GrammarError
from ffgrammar.regex.expr.store import MAX_DIVISOR, NOTHING, ExprStore

divisors = st.one_of(
    st.integers(1, 60),
    st.sampled_from([64, 100, 125, 1000, 999_983, 123_456_789, 10**9, 10**12, 2**40, 5**26, 10**18, MAX_DIVISOR]),
    st.integers(1, MAX_DIVISOR),
)
small = st.integers(0, 4)


def _matches(text: str, divisor: int, carry: int, lo: int, hi: int | None, places: int | None) -> bool:
    whole, point, part = text.partition(".")
    if len(whole) < lo or (hi is not None and len(whole) > hi) or (point and (places is None or not part)):
        return False
    if "." in part or (places is not None and part[places:].strip("0")):
        return False
    unit = places or 0
    value = int("0" + whole) * 10**unit + int("0" + part[:unit].ljust(unit, "0"))
    return (carry * 10 ** (len(whole) - lo) + value) % divisor == 0


@given(st.data(), divisors, small, st.one_of(st.none(), small), st.one_of(st.none(), small))
def test_multiples(data: st.DataObject, divisor: int, lo: int, more: int | None, places: int | None) -> None:
    carry = data.draw(st.integers(0, divisor - 1))
    hi = None if more is None else lo + more
    store = ExprStore()
    expr = store.multiples(divisor, carry, lo, hi, places)
    texts = data.draw(st.lists(st.from_regex(r"[0-9]{0,9}(\.[0-9]{0,6})?", fullmatch=True), min_size=5))
    # and some that match: the carry times its power of ten, plus the digits, is a multiple
    for length in range(lo, min(lo + 25, lo + 25 if hi is None else hi + 1)):
        digits = length + (places or 0)
        number = -carry * 10 ** (length - lo) % divisor + divisor * data.draw(st.integers(0, 9))
        text = str(number).rjust(digits, "0")
        if len(text) == digits:
            texts += [text[:length], text[:length] + "." + text[length:], text[:length] + "." + text[length:] + "0"]
    for text in texts:
        assert store.matches(expr, text.encode()) == _matches(text, divisor, carry, lo, hi, places), text


@given(st.data(), divisors, st.integers(0, 25))
def test_parts(data: st.DataObject, divisor: int, places: int) -> None:
    carry = data.draw(st.integers(0, divisor - 1))
    store = ExprStore()
    expr = store.multiples_part(divisor, carry, places)
    number = -carry % divisor + divisor * data.draw(st.integers(0, 9))
    texts = data.draw(st.lists(st.from_regex(r"[0-9]{0,30}", fullmatch=True)))
    for text in ["", "0", str(number).rjust(places, "0"), str(number).rjust(places, "0") + "00", *texts]:
        exact = not text[places:].strip("0") and (carry + int("0" + text[:places].ljust(places, "0"))) % divisor == 0
        assert store.matches(expr, text.encode()) == exact, text


@pytest.mark.parametrize("places", [None, 0, 1, 2])
@pytest.mark.parametrize("divisor", [1, 3, 4, 6, 7, 8, 25, 30, 40])
def test_every_short_text(divisor: int, places: int | None) -> None:
    store = ExprStore()
    states = {"": store.multiples(divisor, 0, 0, None, places)}
    for text in ["".join(text) for length in range(5) for text in itertools.product("0123456789.", repeat=length)]:
        if text:
            states[text] = store.derivative(states[text[:-1]], ord(text[-1]))
        assert store.is_nullable(states[text]) == _matches(text, divisor, 0, 0, None, places), text
        assert store.is_nothing(states[text]) == (states[text] == NOTHING)


def _automaton(store: ExprStore, start: int) -> dict[int, list[int]]:
    """All states, and where each digit and the point lead."""
    found: dict[int, list[int]] = {}
    todo = [start]
    while todo:
        state = todo.pop()
        if state not in found:
            found[state] = [store.derivative(state, byte) for byte in b"0123456789."]
            todo += found[state]
    return found


@pytest.mark.parametrize("places", [None, 0, 1])
@pytest.mark.parametrize("divisor", [1, 2, 3, 4, 12, 100, 125, 360, 1024])
def test_no_two_states_are_equal_languages(divisor: int, places: int | None) -> None:
    store = ExprStore()
    states = _automaton(store, store.multiples(divisor, 0, 0, None, places))
    # refine until nothing changes (Moore 1956): every state is alone in its class
    classes = {state: int(store.is_nullable(state)) for state in states}
    for _ in states:
        names: dict[tuple[int, ...], int] = {}
        classes = {
            state: names.setdefault((classes[state], *[classes[after] for after in states[state]]), len(names))
            for state in states
        }
    assert len(set(classes.values())) == len(states)


def test_few_states() -> None:
    store = ExprStore()
    # a state for each number of zeros that are still missing, from 0 to 9, and one more
    assert len(_automaton(store, store.multiples(10**9, 0, 0, None, None))) == 10 + 1


def test_complement_and_intersection() -> None:
    store = ExprStore()
    threes, fives = (store.multiples(number, 0, 1, None, None) for number in (3, 5))
    both = store.intersect([threes, fives])
    neither = store.intersect([store.complement(threes), store.complement(fives)])
    for number in range(1000):
        text = str(number).encode()
        assert store.matches(both, text) == (number % 15 == 0)
        assert store.matches(neither, text) == (number % 3 != 0 and number % 5 != 0)
    assert store.is_nothing(store.intersect([both, store.complement(store.multiples(15, 0, 1, None, None))]))
    assert not store.is_nothing(store.intersect([both, store.complement(store.multiples(30, 0, 1, None, None))]))


@given(st.data())
def test_what_several_leave_is_found_by_arithmetic(data: st.DataObject) -> None:
    """With one more member, which leaves out no digits, the same is found by a search."""
    store = ExprStore()
    places = data.draw(st.sampled_from([None, None, 0, 1, 2]))
    members = []
    for _ in range(data.draw(st.integers(2, 5))):
        divisor = data.draw(st.integers(1, 12))
        carry = data.draw(st.integers(0, divisor - 1))
        lo, hi = data.draw(st.integers(0, 2)), data.draw(st.sampled_from([None, None, None, 3]))
        member = store.multiples(divisor, carry, lo, hi, data.draw(st.sampled_from([places, places, None])))
        members.append(store.complement(member) if data.draw(st.booleans()) else member)
    # (texts that are not digits are in all complements)
    digits = store.multiples(1, 0, 0, None, 0)
    search = store.intersect([digits, *members, store.complement(store.literal(b"no digits"))])
    assert store.is_nothing(store.intersect([digits, *members])) == store.is_nothing(search)


def test_exactly_one_of_many_needs_few_expressions() -> None:
    store = ExprStore()
    primes = [store.multiples(number, 0, 1, None, None) for number in (2, 3, 5, 7, 11, 13, 17, 19)]
    lone = [store.intersect([one, *[store.complement(other) for other in primes if other != one]]) for one in primes]
    exactly_one = store.union(lone)
    for number in range(1000):
        after = exactly_one
        for digit in str(number).encode():
            after = store.derivative(after, digit)
        assert not store.is_nothing(after)
        assert store.is_nullable(after) == (sum(number % one == 0 for one in (2, 3, 5, 7, 11, 13, 17, 19)) == 1)
    assert len(store) < 30_000


def test_large_divisors_are_found_at_once() -> None:
    """The search for a member goes straight to the nearest multiple."""
    store = ExprStore()
    ends_in_7 = store.concat([store.repeat(store.byte_set(b"0123456789"), 0, None), store.literal(b"7")])
    for divisor in (999_983, 10**12 + 39):
        assert not store.is_nothing(store.intersect([store.multiples(divisor, 0, 1, None, None), ends_in_7]))
    assert store.multiples(10**12 + 39, 5, 6, 6, None) == NOTHING


def test_describe() -> None:
    store = ExprStore()
    expr = store.multiples(7, 3, 1, None, 2)
    assert store.node(expr) == ("multiples", 7, 3, 1, None, 2)
    assert store.describe(expr) == "<multiples 7, 3, 1, None, 2>"
    assert store.node(store.multiples_part(7, 3, 2)) == ("part", 7, 3, 2)


@pytest.mark.parametrize(
    "bad", [(0, 0, 0, None, None), (7, 7, 0, None, None), (7, -1, 0, None, 0), (1 << 63, 0, 0, None, 0),
            (7, 0, 2, 1, None), (7, 0, -1, None, None), (7, 0, 0, 1 << 33, None), (7, 0, 0, None, -1)]
)  # fmt: skip
def test_bad_ones_are_refused(bad: tuple[int, int, int, int | None, int | None]) -> None:
    with pytest.raises(GrammarError):
        ExprStore().multiples(*bad)
