# cython: language_level=3
"""Expressions for the JSON numbers between two bounds.

Bounds are compared with the digits of a spelling, one by one. No floats are used, so the result is exact at any size.
For example, the integers from 0 to 25 are `-?0|[1-9]|1[0-9]|2[0-5]`.

The spellings that are allowed:

- Where only integers are allowed, a number has neither fraction nor exponent. (With integer_spelling="any", integers
  are the multiples of 1: see multiples.py.)
- Where other numbers are allowed, too, a number may have a fraction and an exponent: 12, 12.50, 1.25e1, 0.125E+2. If a
  bound other than zero limits the numbers of one sign, and such a number is spelled with an exponent, its mantissa has
  exactly one digit before the point. That digit is 0 only if the number is 0. All the usual libraries write numbers in
  this way. (With other mantissas the language would not be regular: the digits before the point would have to be
  counted against the exponent.)
- Where integers are excluded, a number has an exponent only if it is between -1 and 1. Then its mantissa has exactly
  one digit before the point, from 1 to 9.
- -0 is 0, as in the JSON Schema data model.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.numbers.decimals import (
    MAX_DIGITS,
    ceiling,
    digits_around_point,
    fits,
    opposite,
    spellings,
)
from ffgrammar.regex.expr.cache import ExprCache
from ffgrammar.regex.expr.store import EMPTY, NOTHING, ExprStore

__all__ = ["UNBOUNDED", "Bounds", "Numbers"]

# Many schemas have the same bounds, such as `"minimum": 0`. This cache has at most 512 KiB.
_KEPT = ExprCache(1 << 19)


class Bounds(NamedTuple):
    """Two bounds (None: no bound), each open (exclusive) or not."""

    low: Decimal | None
    low_open: bool
    high: Decimal | None
    high_open: bool

    def check(self) -> None:
        """Raise LimitError if a bound has too many digits."""
        for bound in (self.low, self.high):
            if bound is not None and not fits(bound):
                raise LimitError("expression_size", MAX_DIGITS, f"the bound {bound:.9e} has too many digits")


UNBOUNDED = Bounds(None, False, None, False)


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
        # the digits of any natural number; a point and digits; an exponent
        self.natural = store.union([self.zero, store.concat([self.positive, self.digits])])
        self.fraction = store.concat([self.point, store.repeat(self.digit, 1, None)])
        self.some_fraction = self.optional(self.fraction)
        self.e = store.byte_set(b"eE")
        self.exponent = store.concat([self.e, self.optional(store.byte_set(b"+-")), store.repeat(self.digit, 1, None)])

    def rebound(self, store: ExprStore) -> Numbers:
        """The same expressions in another store, which has them under the same ids."""
        other = Numbers.__new__(Numbers)
        other.store = store
        other._memo = self._memo.copy()
        other.digit = self.digit
        other.positive = self.positive
        other.zero = self.zero
        other.minus = self.minus
        other.point = self.point
        other.digits = self.digits
        other.zeros = self.zeros
        other.natural = self.natural
        other.fraction = self.fraction
        other.some_fraction = self.some_fraction
        other.e = self.e
        other.exponent = self.exponent
        return other

    def optional(self, expr: int) -> int:
        """The expression, or the empty text."""
        return self.store.union([expr, EMPTY])

    def _range(self, first: int, last: int) -> int:
        """Any one digit from first to last."""
        if first > last:
            return NOTHING
        return self.store.byte_set(bytes(range(48 + first, 49 + last)))

    def values(self, numbers: Iterable[Decimal], integer_only: bool) -> int:
        """Any of these values."""
        return self.store.literals(text for value in numbers for text in spellings(value, integer_only))

    def range(self, bounds: Bounds, integers: bool, fractions: bool) -> int:
        """The numbers between two bounds.

        Args:
            bounds: the bounds.
            integers: whether integers are allowed.
            fractions: whether numbers that are not integers are allowed.

        Raises:
            LimitError: a bound has too many digits.
        """
        key = (bounds, integers, fractions)
        found = self._memo.get(key)
        if found is None:
            found = _KEPT.get(self.store, ("range", *key), lambda: self._build(bounds, integers, fractions))
            self._memo[key] = found
        return found

    def _build(self, bounds: Bounds, integers: bool, fractions: bool) -> int:
        bounds.check()
        low, low_open, high, high_open = bounds
        if not fractions:
            low, low_open = ceiling(low, low_open), False
            high, high_open = opposite(ceiling(opposite(high), high_open)), False
            if low is not None and high is not None and low > high:
                return NOTHING
        # each sign has a range of magnitudes of its own
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
        """The numbers between two bounds, both >= 0, spelled without a sign."""
        low, low_open, high, high_open = bounds
        if low is not None and not low and not low_open:
            low = None
        if high is not None and low is not None and (high < low or (high == low and (low_open or high_open))):
            return NOTHING
        if high is not None and not high and high_open:
            return NOTHING
        bounds = Bounds(low, low_open, high, high_open)
        if not fractions:
            return self._whole_range(bounds)
        if not integers:
            return self._fractions(bounds)
        return self.store.union([self._plain_range(bounds), *self._with_exponent(bounds)])

    def _whole_range(self, bounds: Bounds) -> int:
        """The integers between two bounds, spelled with digits only."""
        low, low_open, high, high_open = bounds
        parts = [] if low is None else [self._whole_above(low, low_open)]
        if high is not None:
            parts.append(self._whole_below(high, high_open))
        return self.store.intersect(parts) if parts else self.natural

    def _fractions(self, bounds: Bounds) -> int:
        """The magnitudes between two bounds that are not integers."""
        s = self.store
        low, low_open, high, high_open = bounds
        plain = s.intersect([self._plain_range(bounds), s.concat([self.natural, self._with_fraction()])])
        # A magnitude above 0 and below 1 is no integer, so it may have an exponent. From 1 up, the digits decide
        # whether a spelling with an exponent is an integer, so there all spellings with an exponent are left out.
        below = (Decimal(1), True) if high is None or high >= 1 else (high, high_open)
        return s.union([plain, self.scientific(Bounds(low, low_open, *below))])

    def _with_exponent(self, bounds: Bounds) -> list[int]:
        """The magnitudes between two bounds, spelled with an exponent: an expression, or several."""
        s = self.store
        low, _, high, _ = bounds
        if high is None and low is None:
            return [s.concat([self.natural, self.some_fraction, self.exponent])]
        if high is None and not low:
            nonzero = s.intersect([s.concat([self.natural, self.some_fraction]), s.complement(self.zero_plain())])
            return [s.concat([nonzero, self.exponent])]
        parts = [self.scientific(bounds)]
        if low is None:
            parts.append(s.concat([self.zero_plain(), self.exponent]))
        return parts

    def _plain_range(self, bounds: Bounds) -> int:
        """The magnitudes between two bounds, spelled without an exponent."""
        low, low_open, high, high_open = bounds
        parts = [] if low is None else [self._plain_above(low, low_open)]
        if high is not None:
            parts.append(self._plain_below(high, high_open))
        return self.store.intersect(parts or [self.store.concat([self.natural, self.some_fraction])])

    def no_fraction(self) -> int:
        """What may follow a whole number: a point and zeros, or nothing."""
        return self.optional(self.store.concat([self.point, self.store.repeat(self.zero, 1, None)]))

    def zero_plain(self) -> int:
        """0, which may have a point and zeros after it."""
        return self.store.concat([self.zero, self.no_fraction()])

    def _with_fraction(self) -> int:
        """A point and digits that are not all zero."""
        return self.store.concat([self.point, self.zeros, self.positive, self.digits])

    # Comparison of digit strings

    def _compare(self, text: str, above: bool, equal: int, rest: int | None = None) -> int:
        """Digits compared with a text of the same length.

        The digits are above the text (or below it) and followed by `rest`, or they are the text itself and followed by
        `equal`. The expression is built from the last digit to the first, so its size is linear in the length of the
        text.
        """
        s = self.store
        out = equal
        tail = EMPTY if rest is None else rest
        free = 0
        for place in range(len(text) - 1, -1, -1):
            digit = int(text[place])
            # a number of several digits does not begin with 0
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
        """Natural numbers of fewer digits than `length`, and then `tail`; 0 has one digit."""
        if length <= 1:
            return NOTHING
        some = self.store.concat([self.positive, self.store.repeat(self.digit, 0, length - 2), tail])
        return self.store.union([some, self.store.concat([self.zero, tail])])

    def _whole_above(self, low: Decimal, is_open: bool) -> int:
        whole, part = digits_around_point(low)
        equal = EMPTY if not part and not is_open else NOTHING
        same = self._compare(whole, True, equal)
        return self.store.union([self._longer(len(whole), EMPTY), same])

    def _whole_below(self, high: Decimal, is_open: bool) -> int:
        whole, part = digits_around_point(high)
        equal = EMPTY if part or not is_open else NOTHING
        same = self._compare(whole, False, equal)
        return self.store.union([self._shorter(len(whole), EMPTY), same])

    def _part_above(self, part: str, is_open: bool) -> int:
        """What may follow the whole part of a lower bound: a fraction above .part, or equal to it unless `is_open`."""
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
        # a fraction that is only the beginning of `part` is below it: .12 < .125
        digits = self._compare_open(part, False, NOTHING if is_open else self.zeros)
        return s.union([EMPTY, s.concat([self.point, digits])])

    def _compare_open(self, part: str, above: bool, equal: int) -> int:
        """The digits of a fraction above .part (or below it), at least one; `equal` may follow the digits of `part`."""
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
        whole, part = digits_around_point(low)
        same = self._compare(whole, True, self._part_above(part, is_open), self.some_fraction)
        return self.store.union([self._longer(len(whole), self.some_fraction), same])

    def _plain_below(self, high: Decimal, is_open: bool) -> int:
        whole, part = digits_around_point(high)
        same = self._compare(whole, False, self._part_below(part, is_open), self.some_fraction)
        return self.store.union([self._shorter(len(whole), self.some_fraction), same])

    # Spellings with an exponent and a mantissa d.ddd, where d is from 1 to 9

    def scientific(self, bounds: Bounds) -> int:
        """The magnitudes above 0 between two bounds, with an exponent."""
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
        """The digits of the mantissa d.ddd of a value, and the exponent that belongs to this mantissa."""
        return "".join(map(str, value.as_tuple().digits)).strip("0"), value.adjusted()

    def _mantissa(self, digits: str, above: bool, is_open: bool, exponent: int) -> int:
        """Spellings with an exponent, of the numbers above (or below) a bound, or equal to it unless it is open.

        The bound has the mantissa `digits`, of which one is before the point, and the exponent `exponent`.
        """
        s = self.store
        step = 1 if above else -1
        bounded = self._exponents_from if above else self._exponents_to
        whole, part = Decimal(digits[0]), digits[1:]
        bound = Decimal(f"{whole}.{part}") if part else whole
        more = self._plain_above if above else self._plain_below
        less = self._plain_below if above else self._plain_above
        # a mantissa beyond that of the bound may have the exponent of the bound; all others need the next exponent
        return s.union(
            [
                s.concat([more(bound, is_open), bounded(exponent)]),
                s.concat([less(bound, not is_open), bounded(exponent + step)]),
            ]
        )

    def exponents(self, low: int, high: int | None) -> int:
        """The exponents from `low` to `high` (None: no bound), as text: `e5`, `E+05`."""
        if high is None:
            return self._exponents(low, True)
        return self.store.intersect([self._exponents(low, True), self._exponents(high, False)])

    def exponent_is(self, value: int) -> int:
        """One exponent, in all its spellings."""
        s = self.store
        sign = self.optional(s.byte_set(b"+-") if not value else s.literal(b"+")) if value >= 0 else self.minus
        return s.concat([self.e, sign, self.zeros, s.literal(str(abs(value)).encode())])

    def _exponents_from(self, low: int) -> int:
        return self._exponents(low, True)

    def _exponents_to(self, high: int) -> int:
        return self._exponents(high, False)

    def _exponents(self, bound: int, above: bool) -> int:
        """The exponents from a bound up if `above`, else from it down. An exponent may have leading zeros."""
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
            # from the bound away from zero: all exponents have one sign, except that -0 equals a bound of 0
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
        # from the bound towards zero and beyond: the exponents of one sign up to the bound, and all of the other sign
        reach = s.concat([self.zeros, self._whole_below(size, False)])
        signs = (plus, self.minus) if above else (self.minus, plus)
        return s.concat([self.e, s.union([s.concat([signs[0], everything]), s.concat([signs[1], reach])])])
