# cython: language_level=3
"""Expressions for JSON numbers, exact at any size: decimal spellings are compared digit by digit, never as floats.

What is spelled:

- An integer has neither fraction nor exponent (with integer_spelling="any" it is a multiple of 1: see multiples.py).
- Any other number has both if it wants: 12, 12.50, 1.25e1, 0.125E+2. Where a bound other than zero is to be kept, the
  mantissa of a spelling with exponent has exactly one digit before its point, and that digit is not 0: how all the
  usual libraries write it. (With other mantissas the language is not regular: the digits before the point would have
  to be counted against the exponent.)
- -0 is 0, as the JSON Schema data model has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.regex.expr.store import EMPTY, NOTHING, ExprStore

__all__ = ["MAX_DIGITS", "Bounds", "Numbers", "fits", "is_integer", "is_multiple", "opposite", "ratio", "spellings"]

# A bound of more digits than this is refused: its expression holds every one of them.
MAX_DIGITS = 5000


def _plain(value: Decimal) -> tuple[str, str]:
    """The digits of a number before and after its point, without sign and needless zeros."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    if exponent >= 0:
        whole, part = text + "0" * exponent, ""
    else:
        text = text.rjust(1 - exponent, "0")
        whole, part = text[:exponent], text[exponent:]
    return whole.lstrip("0") or "0", part.rstrip("0")


def fits(value: Decimal) -> bool:
    """Whether the number can be written out within the digits allowed."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return not any(digits) or len(digits) + abs(exponent) <= MAX_DIGITS


def is_integer(value: Decimal) -> bool:
    """Whether the value is a whole number."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return exponent >= 0 or not any(digits[exponent:])


def is_multiple(value: Decimal, divisor: Decimal) -> bool:
    """Whether the value is a whole number of divisors; exact."""
    scale = max(0, *(-int(number.as_tuple().exponent) for number in (value, divisor)))
    return _scaled(value, scale) % _scaled(divisor, scale) == 0


def _scaled(value: Decimal, scale: int) -> int:
    """The magnitude times 10 ** scale, which must be whole."""
    numerator, denominator = ratio(value, 1, scale)
    return abs(numerator) // denominator


def ratio(value: Decimal, modulus: int, places: int) -> tuple[int, int]:
    """How many times modulus * 10 ** -places the value is, as numerator and denominator."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    # not by way of a str: that has a limit of its own
    whole = int(Decimal((sign, digits, 0)))
    shift = exponent + places
    return (whole * 10**shift, modulus) if shift >= 0 else (whole, modulus * 10**-shift)


def opposite(value: Decimal | None) -> Decimal | None:
    """The same with the other sign; `-value` would round it to the precision of the decimal context."""
    return None if value is None else value.copy_negate()


def spellings(value: Decimal, integer_only: bool) -> list[bytes]:
    """How a single value may be spelled: plainly, with `.0` after an integer, and as repr() of a float."""
    whole, part = _plain(value)
    plain = f"{whole}.{part}" if part else whole
    signs = ("", "-") if not value else ("-" if value < 0 else "",)
    if integer_only:
        return [(sign + plain).encode() for sign in signs]
    texts = [plain] if part else [plain, plain + ".0"]
    if value and (part or len(whole) > 15):
        # repr() switches to exponents; the value must be the float's shortest decimal, else repr() means another one
        try:
            spelled = repr(abs(float(value)))
        except OverflowError:
            spelled = "inf"
        if "e" in spelled and Decimal(spelled) == value.copy_abs():
            texts.append(spelled)
    return [(sign + text).encode() for sign in signs for text in texts]


class Bounds(NamedTuple):
    """Two bounds (None: no bound), each open (exclusive) or not."""

    low: Decimal | None
    low_open: bool
    high: Decimal | None
    high_open: bool

    def check(self) -> None:
        """Raise where a bound has too many digits."""
        for bound in (self.low, self.high):
            if bound is not None and not fits(bound):
                raise LimitError("expression_size", MAX_DIGITS, f"the bound {bound:.9e} has too many digits")


class Numbers:
    """Number expressions in one store."""

    def __init__(self, store: ExprStore) -> None:
        self.store = store
        self._memo: dict[Any, int] = {}
        self.digit = store.byte_set(b"0123456789")
        self.positive = store.byte_set(b"123456789")
        self.zero = store.literal(b"0")
        self.minus = store.literal(b"-")
        self.point = store.literal(b".")
        self.digits = store.repeat(self.digit, 0, None)
        self.zeros = store.repeat(self.zero, 0, None)
        # any natural number; any fraction (or none); any exponent
        self.natural = store.union([self.zero, store.concat([self.positive, self.digits])])
        self.fraction = store.concat([self.point, store.repeat(self.digit, 1, None)])
        self.some_fraction = self.optional(self.fraction)
        self.e = store.byte_set(b"eE")
        self.exponent = store.concat([self.e, self.optional(store.byte_set(b"+-")), store.repeat(self.digit, 1, None)])

    def rebound(self, store: ExprStore) -> Numbers:
        """The same in a store that has the same expressions."""
        other = Numbers.__new__(Numbers)
        other.__dict__.update(self.__dict__)
        other.store = store
        other._memo = self._memo.copy()
        return other

    def optional(self, expr: int) -> int:
        """The expression, or nothing."""
        return self.store.union([expr, EMPTY])

    def _range(self, first: int, last: int) -> int:
        """One digit from first to last."""
        if first > last:
            return NOTHING
        return self.store.byte_set(bytes(range(48 + first, 49 + last)))

    def values(self, numbers: Iterable[Decimal], integer_only: bool) -> int:
        """Any of these values."""
        return self.store.literals(text for value in numbers for text in spellings(value, integer_only))

    def range(self, bounds: Bounds, integers: bool, fractions: bool) -> int:
        """The numbers between two bounds, integers and numbers with a fraction as asked for."""
        key = (bounds, integers, fractions)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._build(*key)
        return found

    def _build(self, bounds: Bounds, integers: bool, fractions: bool) -> int:
        bounds.check()
        low, low_open, high, high_open = bounds
        if not fractions:
            low, low_open = _ceiling(low, low_open), False
            high, high_open = opposite(_ceiling(opposite(high), high_open)), False
            if low is not None and high is not None and low > high:
                return NOTHING
        # each sign has its range of magnitudes
        parts = []
        if high is None or high >= 0:
            floor, floor_open = (low, low_open) if low is not None and low >= 0 else (None, False)
            parts.append(self._magnitude(Bounds(floor, floor_open, high, high_open), integers, fractions))
        if low is None or low <= 0:
            floor, floor_open = (opposite(high), high_open) if high is not None and high <= 0 else (None, False)
            mirrored = Bounds(floor, floor_open, opposite(low), low_open)
            negative = self._magnitude(mirrored, integers, fractions)
            parts.append(self.store.concat([self.minus, negative]))
        return self.store.union(parts)

    def _magnitude(self, bounds: Bounds, integers: bool, fractions: bool) -> int:
        """The numbers without sign between two bounds >= 0."""
        s = self.store
        low, low_open, high, high_open = bounds
        if low is not None and not low and not low_open:
            low = None
        if high is not None and low is not None and (high < low or (high == low and (low_open or high_open))):
            return NOTHING
        if high is not None and not high and high_open:
            return NOTHING
        if not fractions:
            whole = [] if low is None else [self._whole_above(low, low_open)]
            if high is not None:
                whole.append(self._whole_below(high, high_open))
            return s.intersect(whole) if whole else self.natural
        plain = self._plain_range(Bounds(low, low_open, high, high_open))
        if not integers:
            plain = s.intersect([plain, s.concat([self.natural, self._with_fraction()])])
        parts = [plain]
        if not integers:
            # a magnitude below 1 is no integer, except for 0; with larger exponents that depends on the digits
            below = (Decimal(1), True) if high is None or high >= 1 else (high, high_open)
            parts.append(self.scientific(Bounds(low, low_open, *below)))
        elif high is None and low is None:
            parts.append(s.concat([self.natural, self.some_fraction, self.exponent]))
        elif high is None and not low:
            nonzero = s.intersect([s.concat([self.natural, self.some_fraction]), s.complement(self.zero_plain())])
            parts.append(s.concat([nonzero, self.exponent]))
        else:
            parts.append(self.scientific(Bounds(low, low_open, high, high_open)))
            if low is None:
                parts.append(s.concat([self.zero_plain(), self.exponent]))
        return s.union(parts)

    def _plain_range(self, bounds: Bounds) -> int:
        """The magnitudes between two bounds that have no exponent."""
        low, low_open, high, high_open = bounds
        parts = [] if low is None else [self._plain_above(low, low_open)]
        if high is not None:
            parts.append(self._plain_below(high, high_open))
        return self.store.intersect(parts or [self.store.concat([self.natural, self.some_fraction])])

    def no_fraction(self) -> int:
        """What may stand after a whole number: a point and zeros, or nothing."""
        return self.optional(self.store.concat([self.point, self.store.repeat(self.zero, 1, None)]))

    def zero_plain(self) -> int:
        """0, with zeros after its point if it wants."""
        return self.store.concat([self.zero, self.no_fraction()])

    def _with_fraction(self) -> int:
        """A fraction that is not zero."""
        return self.store.concat([self.point, self.zeros, self.positive, self.digits])

    # Comparison of digit strings

    def _compare(self, text: str, above: bool, equal: int, rest: int | None = None) -> int:
        """As many digits as text has, more (or less) than it, then any `rest`; or text itself, then `equal`.

        Without `rest` exactly as many digits; built from the last digit, so that it is linear in size.
        """
        s = self.store
        out = equal
        tail = EMPTY if rest is None else rest
        free = 0
        for place in range(len(text) - 1, -1, -1):
            digit = int(text[place])
            # more than one digit never begins with 0
            least = 1 if place == 0 and free else 0
            other = self._range(digit + 1, 9) if above else self._range(least, digit - 1)
            if other != NOTHING:
                other = s.concat([other, s.repeat(self.digit, free, free), tail])
            out = s.union([other, s.concat([s.byte_set(text[place].encode()), out])])
            free += 1
        return out

    def _longer(self, length: int, tail: int) -> int:
        return self.store.concat([self.positive, self.store.repeat(self.digit, length, None), tail])

    def _shorter(self, length: int, tail: int) -> int:
        """Natural numbers of fewer digits; 0 has one."""
        if length <= 1:
            return NOTHING
        some = self.store.concat([self.positive, self.store.repeat(self.digit, 0, length - 2), tail])
        return self.store.union([some, self.store.concat([self.zero, tail])])

    def _whole_above(self, low: Decimal, is_open: bool) -> int:
        whole, part = _plain(low)
        equal = EMPTY if not part and not is_open else NOTHING
        same = self._compare(whole, True, equal)
        return self.store.union([self._longer(len(whole), EMPTY), same])

    def _whole_below(self, high: Decimal, is_open: bool) -> int:
        whole, part = _plain(high)
        equal = EMPTY if part or not is_open else NOTHING
        same = self._compare(whole, False, equal)
        return self.store.union([self._shorter(len(whole), EMPTY), same])

    def _part_above(self, part: str, is_open: bool) -> int:
        """What may follow the digits before the point: a fraction above (or equal to) .part, or none."""
        s = self.store
        more = s.concat([self.zeros, self.positive, self.digits])
        if not part:
            return s.concat([self.point, more]) if is_open else self.some_fraction
        digits = self._compare_open(part, True, more if is_open else self.digits)
        return s.concat([self.point, digits])

    def _part_below(self, part: str, is_open: bool) -> int:
        s = self.store
        if not part:
            return NOTHING if is_open else self.no_fraction()
        # a shorter run of the same digits is less: .12 < .125
        digits = self._compare_open(part, False, NOTHING if is_open else self.zeros)
        return s.union([EMPTY, s.concat([self.point, digits])])

    def _compare_open(self, part: str, above: bool, equal: int) -> int:
        """One or more digits of a fraction that is more (or less) than .part; after part itself comes `equal`."""
        s = self.store
        out = equal
        for place in range(len(part) - 1, -1, -1):
            digit = int(part[place])
            other = self._range(digit + 1, 9) if above else self._range(0, digit - 1)
            options = [s.concat([other, self.digits]), s.concat([s.byte_set(part[place].encode()), out])]
            if not above and place:
                options.append(EMPTY)
            out = s.union(options)
        return out

    def _plain_above(self, low: Decimal, is_open: bool) -> int:
        whole, part = _plain(low)
        same = self._compare(whole, True, self._part_above(part, is_open), self.some_fraction)
        return self.store.union([self._longer(len(whole), self.some_fraction), same])

    def _plain_below(self, high: Decimal, is_open: bool) -> int:
        whole, part = _plain(high)
        same = self._compare(whole, False, self._part_below(part, is_open), self.some_fraction)
        return self.store.union([self._shorter(len(whole), self.some_fraction), same])

    # Spellings with an exponent, mantissa d.ddd with d from 1 to 9

    def scientific(self, bounds: Bounds) -> int:
        """Magnitudes above 0 between two bounds, with an exponent."""
        s = self.store
        low, low_open, high, high_open = bounds
        parts = [s.concat([self.positive, self.some_fraction, self.exponent])]
        if low is not None and low:
            whole, exponent = self._normalised(low)
            more = s.intersect([parts[0], self._mantissa(whole, True, low_open, exponent)])
            parts.append(more)
        if high is not None:
            if not high:
                return NOTHING
            whole, exponent = self._normalised(high)
            parts.append(self._mantissa(whole, False, high_open, exponent))
        return s.intersect(parts)

    @staticmethod
    def _normalised(value: Decimal) -> tuple[str, int]:
        """The digits of the mantissa (the first one before the point), and the exponent."""
        return "".join(map(str, value.as_tuple().digits)).strip("0"), value.adjusted()

    def _mantissa(self, digits: str, above: bool, is_open: bool, exponent: int) -> int:
        """Mantissa and exponent above (or below) digits times 10 ** exponent."""
        s = self.store
        step = 1 if above else -1
        bounded = self._exponents_from if above else self._exponents_to
        whole, part = Decimal(digits[0]), digits[1:]
        bound = Decimal(f"{whole}.{part}") if part else whole
        more = self._plain_above if above else self._plain_below
        less = self._plain_below if above else self._plain_above
        # a mantissa beyond the bound's (or equal to it) may have the same exponent, any other needs the next one
        return s.union(
            [
                s.concat([more(bound, is_open), bounded(exponent)]),
                s.concat([less(bound, not is_open), bounded(exponent + step)]),
            ]
        )

    def exponents(self, low: int, high: int | None) -> int:
        """The exponents between two bounds."""
        if high is None:
            return self._exponents(low, True)
        return self.store.intersect([self._exponents(low, True), self._exponents(high, False)])

    def exponent_is(self, value: int) -> int:
        """One exponent."""
        s = self.store
        sign = self.optional(s.byte_set(b"+-") if not value else s.literal(b"+")) if value >= 0 else self.minus
        return s.concat([self.e, sign, self.zeros, s.literal(str(abs(value)).encode())])

    def _exponents_from(self, low: int) -> int:
        return self._exponents(low, True)

    def _exponents_to(self, high: int) -> int:
        return self._exponents(high, False)

    def _exponents(self, bound: int, above: bool) -> int:
        """The exponents from a bound up, or down from it; leading zeros are allowed in an exponent."""
        key = ("e", bound, above)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._build_exponents(bound, above)
        return found

    def _build_exponents(self, bound: int, above: bool) -> int:
        s = self.store
        everything = s.concat([self.zeros, self.natural])
        plus = self.optional(s.literal(b"+"))
        size = Decimal(abs(bound))
        if (bound >= 0) == above:
            # away from zero: one sign only, but for a bound of 0, which -0 equals
            reach = s.concat([self.zeros, self._whole_above(size, False)])
            sign = plus if above else self.minus
            signed = s.concat([sign, reach])
            if not bound:
                signed = s.union([signed, s.concat([self.minus, s.repeat(self.zero, 1, None)])])
            return s.concat([self.e, signed])
        if not bound:
            # all exponents up to 0
            return s.concat(
                [self.e, s.union([s.concat([self.minus, everything]), s.concat([plus, s.repeat(self.zero, 1, None)])])]
            )
        # all of one sign, and the other up to the bound
        reach = s.concat([self.zeros, self._whole_below(size, False)])
        signs = (plus, self.minus) if above else (self.minus, plus)
        return s.concat([self.e, s.union([s.concat([signs[0], everything]), s.concat([signs[1], reach])])])


def _ceiling(bound: Decimal | None, is_open: bool) -> Decimal | None:
    """The least integer above the bound (or equal to it)."""
    if bound is None:
        return None
    numerator, denominator = ratio(bound, 1, 0)
    return Decimal(numerator // denominator + 1 if is_open else -(-numerator // denominator))
