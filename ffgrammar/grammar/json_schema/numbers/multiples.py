"""`multipleOf`: the numbers between two bounds that are multiples of one divisor, but not of certain other divisors.

Integer arithmetic finds the first and the last multiple between the bounds (divisors.py). digits.py makes the numbers
from the first to the last.

A spelling with an exponent has a mantissa d.ddd, where d is from 1 to 9 unless the number is 0. Up to some exponent,
the mantissa may have any number of digits. Above that exponent, the mantissa has at most MANTISSA digits after the
point, and its digits alone decide whether the number is a multiple.

Sometimes only the last digits show that a number is excluded: among the multiples of 1, the last digit shows which ones
are multiples of 2. In such a case a spelling may have an exponent only if the number is too small to be a multiple of
the excluded divisor. The search for the deciding digit would otherwise have to go deep.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.json_schema.numbers.decimals import is_multiple, opposite, ratio, shifted
from ffgrammar.grammar.json_schema.numbers.digits import AnyDigits, Digits
from ffgrammar.grammar.json_schema.numbers.divisors import (
    MANTISSA,
    Divisor,
    common_multiple,
    digit_count,
    digits_differ,
)
from ffgrammar.grammar.json_schema.numbers.ranges import UNBOUNDED, Bounds, Numbers
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import FRAC, INT
from ffgrammar.regex.expr.store import EMPTY, MAX_DIVISOR, NOTHING, ExprStore

__all__ = ["Multiples"]

# Where a divisor is too large for the store, its multiples are listed if there are at most this many.
MAX_LISTED = 500


class Multiples:
    """Expressions of multiples in one store."""

    def __init__(self, store: ExprStore) -> None:
        self.store = store
        self.numbers = Numbers(store)
        self._memo: dict[object, int | None] = {}

    def rebound(self, store: ExprStore) -> Multiples:
        """The same expressions in another store, which has them under the same ids."""
        other = Multiples.__new__(Multiples)
        other.__dict__.update(self.__dict__)
        other.store = store
        other.numbers = self.numbers.rebound(store)
        other._memo = self._memo.copy()
        return other

    def of(self, shape: Shape, plain_integers: bool) -> int:
        """The numbers that a shape allows. The shape must not list its numbers (`Shape.numbers`).

        Args:
            shape: the shape; only its bounds, divisors and types are used.
            plain_integers: whether an integer has neither fraction nor exponent.

        Raises:
            UnsupportedError: a divisor is too large.
            LimitError: a bound has too many digits.
        """
        integers, fractions = bool(shape.types & INT), bool(shape.types & FRAC)
        unbounded = shape.low is None and shape.high is None
        bounds = UNBOUNDED if unbounded else Bounds(shape.low, shape.low_open, shape.high, shape.high_open)
        if not shape.divisors and not shape.not_divisors and (plain_integers or fractions):
            return self.numbers.range(bounds, integers, fractions)
        divisors = [divisor for divisor, _ in shape.divisors]
        others = [divisor for divisor, _ in shape.not_divisors]
        # integers are the multiples of 1
        if not fractions:
            divisors.append(Decimal(1))
        elif not integers:
            others.append(Decimal(1))
        divisor = common_multiple(divisors) if divisors else None
        found = self.expr(bounds, divisor, tuple(others), fractions or not plain_integers)
        if found is None:
            size, subschema = max([*shape.divisors, *shape.not_divisors], key=lambda pair: Divisor.of(pair[0]).modulus)
            raise UnsupportedError(
                f"multipleOf {size} is not supported here: it leads to a divisor above 2**63 - 1. Give it fewer "
                f"digits, or bounds between which there are at most {MAX_LISTED} multiples",
                pointer=subschema.pointer("multipleOf"),
            )
        return found

    def expr(self, bounds: Bounds, divisor: Decimal | None, without: tuple[Decimal, ...], points: bool) -> int | None:
        """The multiples of `divisor` (None: all numbers) between the bounds, except the multiples of `without`.

        Args:
            bounds: the bounds.
            divisor: the divisor; None is allowed only if fractions and exponents may be spelled.
            without: what a number must not be a multiple of.
            points: whether fractions and exponents may be spelled; if not, the divisor is whole.

        Returns:
            The expression; None if a divisor is too large.

        Raises:
            LimitError: a bound has too many digits.
        """
        # a multiple of 4 is a multiple of 2, too: so a divisor that is a multiple of another one is left out
        without = tuple(
            [one for one in without if not any([one != other and is_multiple(one, other) for other in without])]
        )
        key = (bounds, divisor, without, points)
        if key not in self._memo:
            bounds.check()
            if divisor is None:
                self._memo[key] = self._others(bounds, without)
            else:
                self._memo[key] = self._multiples(bounds, divisor, without, points)
        return self._memo[key]

    def _others(self, bounds: Bounds, without: tuple[Decimal, ...]) -> int | None:
        """All numbers between the bounds, except the multiples of `without`; None if a divisor is too large."""
        values = _only_value(bounds)
        others = [Divisor.of(other) for other in without]
        too_large = any([other.modulus > MAX_DIVISOR for other in others])
        if values is not None:
            kept = _kept(values, without)
            if too_large or not kept:
                return self.numbers.values(kept, False)
        return None if too_large else self._signed_others(bounds, others)

    def _multiples(self, bounds: Bounds, divisor: Decimal, without: tuple[Decimal, ...], points: bool) -> int | None:
        unit = Divisor.of(divisor)
        if any([is_multiple(divisor, other) for other in without]):
            return NOTHING
        first, last = unit.indices(bounds)
        others = [Divisor.of(other) for other in without]
        too_large = any([one.modulus > MAX_DIVISOR for one in (unit, *others)])
        if first is not None and last is not None:
            # n divisors cannot exclude 2 ** n multiples in a row (Crittenden and Vanden Eynden 1970), so only shorter
            # runs have to be searched for a number that is left
            few = last - first < 1 << len(without)
            if few or (too_large and last - first < MAX_LISTED):
                kept = _kept([unit.times(index) for index in range(first, last + 1)], without)
                if too_large or not kept:
                    return self.numbers.values(kept, not points)
        return None if too_large else self._signed(unit, first, last, others, points)

    # Multiples of one divisor

    def _signed(self, unit: Divisor, first: int | None, last: int | None, others: list[Divisor], points: bool) -> int:
        s = self.store
        parts = []
        if last is None or last >= 0:
            parts.append(self._magnitudes(unit, max(first or 0, 0), last, others, points))
        if first is None or first <= 0:
            largest = None if first is None else -first
            negative = self._magnitudes(unit, max(-(last or 0), 0), largest, others, points)
            parts.append(s.concat([self.numbers.minus, negative]))
        return s.union(parts)

    def _magnitudes(self, unit: Divisor, first: int, last: int | None, others: list[Divisor], points: bool) -> int:
        """The numbers n * unit for n from first to last (None: no bound), both >= 0, spelled without a sign.

        The multiples of `others` are left out.
        """
        s = self.store
        if last is not None and first > last:
            return NOTHING
        modulus = unit.modulus
        low, high = first * modulus, None if last is None else last * modulus
        plain = self._plain(unit, low, high, points)
        parts = [self._without(plain, others, 0, points)]
        if points:
            if not first and not others:
                parts.append(s.concat([self.numbers.zero_plain(), self.numbers.exponent]))
            parts += self._with_exponent(unit, max(low, modulus), high, others)
        return s.union(parts)

    def _with_exponent(self, unit: Divisor, low: int, high: int | None, others: list[Divisor]) -> list[int]:
        """The spellings with an exponent, of multiples from `low` to `high` units. Both bounds are multiples > 0."""
        lowest = digit_count(low) - 1 - unit.places
        highest = None if high is None else digit_count(high) - 1 - unit.places
        if not digits_differ(unit, others):
            # the digits cannot tell; but a number smaller than each divisor in `others` is a multiple of none of them
            cap = min([other.adjusted for other in others]) - 1
            highest = cap if highest is None else min(cap, highest)
            others = []
        if highest is not None and highest < lowest:
            return []

        def mantissas(exponent: int) -> int:
            return self._without(self._mantissas(unit, low, high, exponent), others, exponent)

        return self._scientific(lowest, highest, [unit, *others], mantissas, lambda: self._digits_only(unit, others))

    def _plain(self, unit: Divisor, low: int, high: int | None, points: bool) -> int:
        """The spellings without an exponent, of multiples from `low` to `high` units. Both bounds are multiples."""
        if unit.places >= 0:
            return self._between(unit, low, high, points)
        # the unit is a multiple of ten, so the last digits before the point are zeros
        s = self.store
        zeros = s.literal(b"0" * -unit.places)
        parts = [] if low else [self.numbers.zero]
        low = max(low, unit.modulus)
        if high is None or low <= high:
            parts.append(s.concat([self._between(Divisor(unit.modulus, 0), low, high, False), zeros]))
        return s.concat([s.union(parts), self.numbers.no_fraction() if points else EMPTY])

    def _between(self, unit: Divisor, low: int, high: int | None, points: bool = True) -> int:
        return Digits(self.numbers, unit.modulus, unit.places, points).between(low, False, high, False)

    def _mantissas(self, unit: Divisor, low: int, high: int | None, exponent: int) -> int:
        """The mantissas of the multiples from low to high units, for one exponent."""
        # the exponent moves the point of the mantissa
        scaled = Divisor(unit.modulus, unit.places + exponent)
        least, most = 10**scaled.places, 10 ** (scaled.places + 1) - 1
        if low <= least and (high is None or high >= most):
            return Digits(self.numbers, *scaled).after_first(0, 0)
        low = max(low, -(-least // unit.modulus) * unit.modulus)
        high = most if high is None else min(high, most)
        return self._between(scaled, low, high - high % unit.modulus)

    def _digits_only(self, unit: Divisor | None, others: list[Divisor]) -> int:
        """The mantissas for exponents at which the digits alone decide.

        They have at most MANTISSA digits after the point, not counting zeros at the end.
        """
        found = Digits(self.numbers, 1 if unit is None else unit.coprime, MANTISSA).after_first(0, 0)
        for other in others:
            found = self._minus(found, self._between(Divisor(other.coprime, MANTISSA), 0, None))
        return found

    # Numbers that are not multiples

    def _signed_others(self, bounds: Bounds, others: list[Divisor]) -> int:
        low, low_open, high, high_open = bounds
        parts = []
        if high is None or high > 0:
            floor = (low, low_open) if low is not None and low >= 0 else (Decimal(0), True)
            parts.append(self._other_magnitudes(Bounds(*floor, high, high_open), others))
        if low is None or low < 0:
            floor = (high.copy_negate(), high_open) if high is not None and high <= 0 else (Decimal(0), True)
            negative = self._other_magnitudes(Bounds(*floor, opposite(low), low_open), others)
            parts.append(self.store.concat([self.numbers.minus, negative]))
        return self.store.union(parts)

    def _other_magnitudes(self, bounds: Bounds, others: list[Divisor]) -> int:
        low, _, high, _ = bounds
        parts = [self._without(self._numbers(bounds), others, 0)]
        # a number above 0 that is smaller than each divisor in `others` is a multiple of none of them
        lowest = min([other.adjusted for other in others])
        limit = Decimal((0, (1,), lowest))
        if not low or low < limit:
            capped = (limit, True) if high is None or high >= limit else (high, bounds.high_open)
            parts.append(self.numbers.scientific(Bounds(bounds.low, bounds.low_open, *capped)))
        elif low:
            lowest = max(lowest, low.adjusted())
        highest = None if high is None else high.adjusted()
        if not digits_differ(None, others) or (highest is not None and highest < lowest):
            return self.store.union(parts)

        def mantissas(exponent: int) -> int:
            return self._without(self._bounded_mantissas(bounds, exponent), others, exponent)

        parts += self._scientific(lowest, highest, others, mantissas, lambda: self._digits_only(None, others))
        return self.store.union(parts)

    def _bounded_mantissas(self, bounds: Bounds, exponent: int) -> int:
        low, low_open, high, high_open = bounds
        one, ten = Decimal(1), Decimal(10)
        low = None if low is None else shifted(low, -exponent)
        high = None if high is None else shifted(high, -exponent)
        if low is None or low < one:
            low, low_open = one, False
        if high is None or high >= ten:
            high, high_open = ten, True
        return NOTHING if low > high else self._numbers(Bounds(low, low_open, high, high_open))

    def _numbers(self, bounds: Bounds) -> int:
        """All magnitudes between the bounds."""
        low, low_open, high, high_open = bounds
        ends = [bound for bound in (low, high) if bound is not None]
        places = max(0, *[-int(end.as_tuple().exponent) for end in ends])
        first = 0 if low is None else ratio(low, 1, places)[0]
        last = None if high is None else ratio(high, 1, places)[0]
        return AnyDigits(self.numbers, places).between(first, low_open, last, high_open)

    def _without(self, found: int, others: list[Divisor], exponent: int, points: bool = True) -> int:
        """The numbers of `found` that are not multiples of any of `others`. Each of `others` is first divided by
        10 ** exponent.

        points: whether a number of `found` may have a point. (Without points, multiples of one divisor that are asked
        for and such that are ruled out have the same expressions.)
        """
        for other in others:
            scaled = Divisor(other.modulus, other.places + exponent)
            if not exponent or scaled.adjusted <= 0:
                found = self._minus(found, self._plain(scaled, 0, None, points or scaled.places > 0))
        return found

    def _minus(self, some: int, others: int) -> int:
        s = self.store
        left = s.intersect([some, s.complement(others)])
        return NOTHING if s.is_nothing(left) else left

    # Exponents

    def _scientific(
        self,
        lowest: int,
        highest: int | None,
        divisors: list[Divisor],
        mantissas: Callable[[int], int],
        digits_only: Callable[[], int],
    ) -> list[int]:
        """Spellings with an exponent from lowest to highest (None: no bound).

        Args:
            lowest, highest: the exponents. At these two exponents, the bounds of the numbers may leave out some
                mantissas.
            divisors: all divisors that decide which numbers are wanted.
            mantissas: makes the mantissas for one exponent.
            digits_only: makes the mantissas for all exponents at which the digits alone decide.
        """
        s = self.store
        known = max([divisor.decided_by_digits for divisor in divisors])
        singly = set(range(lowest, known + 1 if highest is None else min(known, highest) + 1))
        # at the exponents of the bounds, the mantissas are compared with the bounds
        singly.add(lowest)
        if highest is not None:
            singly.add(highest)
        parts = [s.concat([mantissas(exponent), self.numbers.exponent_is(exponent)]) for exponent in sorted(singly)]
        above = max(known, lowest) + 1
        if highest is None or above < highest:
            exponents = self.numbers.exponents(above, None if highest is None else highest - 1)
            parts.append(s.concat([digits_only(), exponents]))
        return parts


def _only_value(bounds: Bounds) -> list[Decimal] | None:
    """The numbers between two bounds, if there is at most one; None if there are more."""
    low, high = bounds.low, bounds.high
    if low is None or high is None or low < high:
        return None
    return [low] if low == high and not bounds.low_open and not bounds.high_open else []


def _kept(values: list[Decimal], without: tuple[Decimal, ...]) -> list[Decimal]:
    """The values that are not multiples of any of the divisors."""
    return [value for value in values if not any([is_multiple(value, other) for other in without])]
