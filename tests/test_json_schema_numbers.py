"""Number expressions against decimal arithmetic: bounds and single values, in every spelling."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.numbers.decimals import is_integer, spellings
from ffgrammar.grammar.json_schema.numbers.ranges import Bounds, Numbers
from ffgrammar.regex.expr.store import ExprStore

NUMBERS = Numbers(ExprStore())
matches = NUMBERS.store.matches

wholes = st.one_of(
    st.sampled_from(["0", "1", "9", "10", "99", "100", "101", "999", "1000", "9007199254740993", "1" + 38 * "0" + "7"]),
    st.integers(0, 3000).map(str),
)
parts = st.sampled_from(["", ".0", ".5", ".25", ".75", ".001", ".34", ".340", ".99", ".00", ".1", ".0009"])
signs = st.sampled_from(["", "-"])
plain = st.builds("".join, st.tuples(signs, wholes, parts))
exponents = st.builds(
    "".join,
    st.tuples(
        st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.sampled_from(["0", "00", "1", "2", "03", "16"])
    ),
)
scientific = st.builds("".join, st.tuples(signs, st.sampled_from("0123456789"), parts, exponents))
loose = st.builds("".join, st.tuples(signs, wholes, parts, exponents))
bounds = st.one_of(
    st.none(),
    plain.map(Decimal),
    st.sampled_from(["1E+3", "1e-3", "1e30", "9.99", "12.34", "-3.75", "-1E+39"]).map(Decimal),
)


@given(bounds, st.booleans(), bounds, st.booleans(), st.lists(st.one_of(plain, scientific, loose), min_size=5))
def test_ranges(low: Decimal | None, low_open: bool, high: Decimal | None, high_open: bool, texts: list[str]) -> None:
    numbers = NUMBERS.range(Bounds(low, low_open, high, high_open), True, True)
    integers = NUMBERS.range(Bounds(low, low_open, high, high_open), True, False)
    fractions = NUMBERS.range(Bounds(low, low_open, high, high_open), False, True)
    for text in texts:
        value = Decimal(text)
        inside = (low is None or value > low or (value == low and not low_open)) and (
            high is None or value < high or (value == high and not high_open)
        )
        has_exponent = "e" in text.lower()
        mantissa = text.lstrip("-").lower().partition("e")[0]
        normal = len(mantissa.partition(".")[0]) == 1 and mantissa[0] != "0"
        accepted = matches(numbers, text.encode())
        assert accepted <= inside, text
        if inside and (not has_exponent or normal or (low is None and high is None)):
            assert accepted, text
        assert matches(integers, text.encode()) == (inside and text.lstrip("-").isdigit())
        assert matches(fractions, text.encode()) <= (inside and value != value.to_integral_value())
        if inside and not has_exponent and value != value.to_integral_value():
            assert matches(fractions, text.encode())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_as_python_spells_them(number: float) -> None:
    text, value = repr(number).encode(), Decimal(repr(number))
    assert matches(NUMBERS.range(Bounds(None, False, None, False), True, True), text)
    assert matches(NUMBERS.range(Bounds(value, False, value, False), True, True), text)
    assert not matches(NUMBERS.range(Bounds(value, True, None, False), True, True), text)
    assert not matches(NUMBERS.range(Bounds(None, False, value, True), True, True), text)
    assert text in spellings(value, False)


@given(plain)
def test_integers(text: str) -> None:
    assert is_integer(Decimal(text)) == (Decimal(text) == Decimal(text).to_integral_value())


def test_digits_are_bounded() -> None:
    with pytest.raises(LimitError):
        NUMBERS.range(Bounds(Decimal("1e100000"), False, None, False), True, True)
