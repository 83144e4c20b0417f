"""`multipleOf` against exact fractions: divisors, bounds and numbers that are not multiples, in every spelling."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.numbers.divisors import Divisor, common_multiple
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.numbers.ranges import Bounds
from ffgrammar.regex.expr.store import MAX_DIVISOR, ExprStore
from sentences import BYTES, is_sentence

DIVISORS = """1 2 3 4 5 6 7 8 9 10 11 12 15 16 25 30 97 100 125 1e2 1e9 1e30 3e25 1.2e21 999983 1000003 1e12
    1000000000039 9007199254740993 1.5 2.5 0.1 0.2 0.3 0.7 0.01 0.05 0.125 0.75 12.34 0.333 0.123456789 1e-8 3e-8 2.5e-9
    0.0000000000000001 9223372036854775807""".split()

decimals = st.one_of(
    st.integers(-3000, 3000).map(Decimal),
    st.builds(
        lambda digits, exponent: Decimal(digits).scaleb(exponent), st.integers(-99999, 99999), st.integers(-12, 12)
    ),
    st.builds(
        lambda sign, digits, exponent: Decimal((sign, tuple(map(int, str(digits))), exponent)),
        st.integers(0, 1),
        st.integers(0, 10**40),
        st.integers(-40, 10),
    ),
    st.sampled_from(["1e19", "-1e19", "9007199254740993", "1e308", "-1E-20", "0", "-0.0", "18446744073709551616"]).map(
        Decimal
    ),
)
bounds = st.builds(Bounds, st.one_of(st.none(), decimals), st.booleans(), st.one_of(st.none(), decimals), st.booleans())
divisors = st.one_of(
    st.sampled_from(DIVISORS).map(Decimal),
    st.builds(lambda digits, exponent: Decimal(digits).scaleb(exponent), st.integers(1, 9999), st.integers(-6, 6)),
)
# telling two of these apart takes many digits: the search ends in a LimitError
several = st.one_of(
    st.lists(divisors, min_size=1, max_size=1),
    st.lists(st.sampled_from("1 2 3 5 7 10 0.5 0.25 1.5 100 999983 0.01".split()).map(Decimal), min_size=2, max_size=3),
)


def _inside(value: Fraction, within: Bounds) -> bool:
    low, low_open, high, high_open = within
    return not (
        (low is not None and (value < Fraction(low) or (low_open and value == Fraction(low))))
        or (high is not None and (value > Fraction(high) or (high_open and value == Fraction(high))))
    )


def _divides(divisor: Decimal, value: Fraction) -> bool:
    return (value / Fraction(divisor)).denominator == 1


def _digits(value: Fraction) -> tuple[str, str]:
    """The digits of a magnitude before and after its point."""
    places = 0
    while value.denominator != 1:
        value, places = value * 10, places + 1
    text = str(value.numerator).rjust(places + 1, "0")
    return text[: len(text) - places], text[len(text) - places :]


def _spellings(value: Fraction) -> list[str]:
    sign = "-" if value < 0 else ""
    whole, part = _digits(abs(value))
    texts = [whole + ("." + part if part else ""), whole + "." + (part or "0"), whole + "." + part + "00"]
    significant = (whole + part).strip("0")
    if significant:
        exponent = len(whole) - 1 if whole != "0" else len(part.lstrip("0")) - len(part) - 1
        mantissa = significant[0] + ("." + significant[1:] if significant[1:] else "")
        texts += [f"{mantissa}e{exponent}", f"{mantissa}E{exponent:+03}"]
        texts.append(f"{mantissa}0e{exponent}" if "." in mantissa else f"{mantissa}.00e{exponent}")
    else:
        texts += ["0e7", "0.0E-3"]
    return [sign + text for text in texts]


def _must_be_spelled(text: str) -> bool:
    """Whether a number of the language has to be accepted in this spelling."""
    mantissa, e, _ = text.lstrip("-").lower().partition("e")
    whole, _, part = mantissa.partition(".")
    return not e or (len(whole) == 1 and whole != "0" and len(part.rstrip("0")) <= 16)


def _near(within: Bounds, unit: Fraction, data: st.DataObject) -> list[Fraction]:
    """Some multiples of a unit at the bounds, between them, and beyond, and numbers beside them."""
    found = []
    for bound in (within.low, within.high, Decimal(0)):
        if bound is not None:
            index = Fraction(bound) // unit
            found += [(index + step) * unit for step in (-1, 0, 1, 2)]
    ends = [Fraction(bound) for bound in (within.low, within.high) if bound is not None]
    found += ends
    if len(ends) == 2 and ends[0] < ends[1]:
        share = data.draw(st.integers(0, 1000))
        found.append((ends[0] + (ends[1] - ends[0]) * share / 1000) // unit * unit)
    found += [data.draw(st.integers(-(10**6), 10**6)) * unit, data.draw(st.integers(-(10**20), 10**20)) * unit]
    found.append(found[-1] + unit / 10)
    return found


def check(within: Bounds, divisor: Decimal | None, others: list[Decimal], data: st.DataObject, points: bool) -> None:
    store = ExprStore()
    expr = Multiples(store).expr(within, divisor, tuple(others), points)
    assume(expr is not None)
    assert expr is not None
    assert store.is_nothing(expr) == (expr == 0)
    unit = Fraction(divisor if divisor is not None else others[0])
    listed = any([Divisor.of(one).modulus > MAX_DIVISOR for one in [*others, divisor] if one is not None])
    coprime = 1 if divisor is None else Divisor.of(divisor).coprime
    digits_differ = all([coprime % Divisor.of(other).coprime for other in others])
    some = False
    for value in _near(within, unit, data):
        exact = _inside(value, within) and (divisor is None or _divides(divisor, value))
        exact = exact and not any([_divides(other, value) for other in others])
        some = some or exact
        for text in _spellings(value)[: 1 if listed and exact else None]:
            accepted = store.matches(expr, text.encode())
            if not points and not text.lstrip("-").isdigit():
                assert not accepted, text
                continue
            assert accepted <= exact, text
            if _must_be_spelled(text) and (digits_differ or "e" not in text.lower()):
                assert accepted == exact, text
    assert not some or expr


@given(bounds, divisors, st.data())
def test_multiples(within: Bounds, divisor: Decimal, data: st.DataObject) -> None:
    check(within, divisor, [], data, True)


@given(bounds, divisors, st.data())
def test_whole_multiples(within: Bounds, divisor: Decimal, data: st.DataObject) -> None:
    check(within, common_multiple([divisor, Decimal(1)]), [], data, False)


@given(bounds, several, st.data())
def test_no_multiples(within: Bounds, others: list[Decimal], data: st.DataObject) -> None:
    check(within, None, others, data, True)


@given(bounds, divisors, several, st.data(), st.booleans())
def test_multiples_of_one_only(
    within: Bounds, divisor: Decimal, others: list[Decimal], data: st.DataObject, points: bool
) -> None:
    check(within, divisor if points else common_multiple([divisor, Decimal(1)]), others, data, points)


@given(st.lists(divisors, min_size=1, max_size=3))
def test_common_multiples(values: list[Decimal]) -> None:
    found = common_multiple(values)
    assert all([_divides(value, Fraction(found)) for value in values])
    # and no smaller number above 0 is one
    ratios = [int(Fraction(found) / Fraction(value)) for value in values]
    for prime in {factor for ratio in ratios for factor in (2, 3, 5, 7, 11, 97) if ratio % factor == 0}:
        assert not all([ratio % prime == 0 for ratio in ratios])


@given(divisors)
def test_divisors(value: Decimal) -> None:
    unit = Divisor.of(value)
    assert Fraction(unit.modulus) / Fraction(10) ** unit.places == Fraction(value) and unit.modulus % 10
    assert unit.adjusted == value.adjusted()
    assert unit.coprime % 2 and unit.coprime % 5 and 10**unit.tens * unit.coprime % unit.modulus == 0


@given(bounds, st.sampled_from(["2e19", "3e40", "123456789012345678901.5", "1e-30"]), st.data())
def test_divisors_beyond_64_bits(within: Bounds, divisor: str, data: st.DataObject) -> None:
    """Large divisors are exact where bounds leave few multiples, or trailing zeros make them small."""
    check(within, Decimal(divisor), [], data, True)


def accepts(schema: Any, text: str, **options: Any) -> bool:
    """Whether a text is a sentence of a schema."""
    return is_sentence(ff.compile_json_schema(schema, BYTES, **options), text)


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"multipleOf": 3}, "0 -0 3 -3 3.0 999 3e2000002 1.2e1 6e0", "1 -1 3.3 1e5 1.25e1 1.3e1"),
        ({"type": "integer", "multipleOf": 1.5}, "0 3 -6 300", "1 1.5 3.0 2"),
        ({"multipleOf": 1e-8}, "12391239123 0.00000001 1e-8 1.2e-7", "0.000000001 1e-9 1.23e-9"),
        ({"multipleOf": 0.01, "minimum": 0, "maximum": 10}, "0 10 9.99 10.00 1e1 5e-2", "10.01 9.999 -0.01 5e-3 1.1e1"),
        ({"multipleOf": 999983, "minimum": 1}, "999983 1999966 9.99983e5", "0 999984 -999983"),
        ({"multipleOf": 9007199254740993}, "9007199254740993 18014398509481986", "9007199254740992 18014398509481984"),
        ({"allOf": [{"multipleOf": 4}, {"multipleOf": 6}]}, "0 12 24", "4 6 8 18"),
        ({"not": {"multipleOf": 3}}, "1 -2 0.5 3.5 1e1 1.25e1 1e-9", '"x" null 0 3 3.0 9e0 -3 1.2e1 0.0'),
        ({"type": "integer", "not": {"multipleOf": 0.5}}, None, None),
        ({"type": "integer", "multipleOf": 2, "not": {"multipleOf": 6}}, "2 4 8 10", "1 3 6 12 0 2.0"),
        ({"multipleOf": 0.5, "not": {"type": "integer"}}, "0.5 1.5 -2.5 5e-1", "1 1.0 0 1e0 0.25 1.5e1"),
        ({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, "2 3 4 9 -3", '1 5 6 0 12 7 "x"'),
        ({"if": {"multipleOf": 5}, "then": {"maximum": 10}, "else": {"minimum": 12}}, "5 10 12 13", "15 11 11.5 7"),
        ({"enum": [1, 2, 3, 4.5, 6], "multipleOf": 1.5, "not": {"multipleOf": 6}}, "3 4.5", "1 2 6"),
        ({"type": "integer", "multipleOf": 7, "minimum": 8, "maximum": 13}, None, None),
        ({"multipleOf": 1e30, "minimum": -1}, "0 1" + 30 * "0" + " 1e30 2e31", "1e29 1" + 29 * "0" + " -1e30"),
    ],
)
def test_schemas(schema: Any, valid: str | None, invalid: str | None) -> None:
    if valid is None or invalid is None:
        with pytest.raises(GrammarError, match="no value obeys"):
            ff.compile_json_schema(schema, BYTES)
        return
    for text in valid.split():
        assert accepts(schema, text), text
    for text in invalid.split():
        assert not accepts(schema, text), text


def test_integers_in_any_spelling() -> None:
    schema = {"type": "integer", "minimum": -20, "maximum": 120}
    for text in ("1", "1.0", "-2.00", "1e2", "1.2e1", "0", "-0.0", "0e9", "1.20E+2", "120.0"):
        assert accepts(schema, text, integer_spelling="any"), text
        assert accepts(schema, text) == text.lstrip("-").isdigit()
        assert accepts(schema, text, integer_spelling="any", draft=4) == text.lstrip("-").isdigit()
    for text in ("1.5", "121.0", "1.21e2", "1.25e1", "1e-1", "-21.0", "1.", "01"):
        assert not accepts(schema, text, integer_spelling="any"), text
    for text in ("1", "1.0", "5e0"):
        assert accepts({"type": "integer"}, text, integer_spelling="any")
        assert not accepts({"not": {"type": "integer"}}, text, integer_spelling="any")
    assert accepts({"type": "integer", "enum": [1, 2.5]}, "1.0", integer_spelling="any")
    assert not accepts({"type": "integer", "enum": [1, 2.5]}, "1.0")
    with pytest.raises(GrammarError, match="integer_spelling"):
        accepts({}, "1", integer_spelling="float")


def test_what_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"at /properties/a/multipleOf: multipleOf 0\.92345678901234567891"):
        ff.compile_json_schema('{"properties": {"a": {"multipleOf": 0.92345678901234567891}}}', BYTES)
    with pytest.raises(UnsupportedError, match="multipleOf"):
        ff.compile_json_schema({"allOf": [{"multipleOf": 2**61 - 1}, {"multipleOf": 999983}]}, BYTES)
    with pytest.raises(LimitError):
        ff.compile_json_schema('{"multipleOf": 3, "minimum": 1e100000}', BYTES)
    # the multiples of a divisor that is too large are listed, if they are few
    schema = '{"multipleOf": 0.92345678901234567891, "minimum": 0.1, "maximum": 3}'
    for text in ("0.92345678901234567891", "2.77037036703703703673"):
        assert accepts(schema, text) and not accepts(schema, text[:-1])


def test_more_digits_than_the_decimal_context_has() -> None:
    number = 10**39 + 7
    assert accepts({"const": number}, f"{number}") and not accepts({"const": number}, f"{10**39}")
    low = {"type": "integer", "minimum": -number}
    assert accepts(low, f"{-number}") and not accepts(low, f"{-number - 1}")
    high = {"type": "number", "exclusiveMaximum": -number}
    assert accepts(high, f"{-number}.0000001") and not accepts(high, f"{-number}.0")
    many = '{"multipleOf": 3, "minimum": 1%s1}' % ("0" * 4000)
    assert accepts(many, "1" + "0" * 4000 + "2") and not accepts(many, "1" + "0" * 4000 + "1")


@pytest.mark.parametrize("divisor", [7, 999_983, 1_000_000_000_039, 0.001234567])
def test_saved_and_loaded(tmp_path: Path, divisor: float) -> None:
    schema = {"type": "number", "multipleOf": divisor, "minimum": -5, "maximum": 1e18, "not": {"multipleOf": 5}}
    fresh = ff.compile_json_schema(schema, BYTES)
    path = tmp_path / "compiled"
    fresh.save(path)
    loaded = ff.load(path, BYTES)
    first, second = fresh.matcher(), loaded.matcher()
    for byte in f"{Decimal(repr(divisor)) * 1001:f}".encode():
        assert list(first.allowed_token_ids()) == list(second.allowed_token_ids())
        assert first.accept_token(byte) and second.accept_token(byte)
    assert first.is_accepting() and second.is_accepting()
