"""Divisors: the values of `multipleOf`, and what integer arithmetic says of their multiples.

Numbers are counted in units of 10 ** -places, and a divisor is `modulus` units: `multipleOf: 0.25` is 25 units of 0.01.

If a number is spelled with an exponent that is large enough, the digits of its mantissa alone decide whether it is a
multiple.
"""

from __future__ import annotations

from decimal import Decimal
from math import gcd
from typing import NamedTuple

from ffgrammar.grammar.json_schema.numbers.decimals import is_multiple, ratio
from ffgrammar.grammar.json_schema.numbers.digits import text_of
from ffgrammar.grammar.json_schema.numbers.ranges import Bounds
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["MANTISSA", "Divisor", "common_multiple", "digit_count", "digits_differ", "has_divisors"]

# A float has at most this many significant digits after its first one.
MANTISSA = 16


class Divisor(NamedTuple):
    """The number modulus * 10 ** -places, where the modulus does not end in 0."""

    modulus: int
    places: int

    @classmethod
    def of(cls, value: Decimal) -> Divisor:
        """The divisor of a decimal number above 0."""
        _, digits, exponent = value.as_tuple()
        assert isinstance(exponent, int)
        kept = "".join(map(str, digits)).rstrip("0")
        return cls(int(Decimal(kept)), -exponent - (len(digits) - len(kept)))

    @property
    def adjusted(self) -> int:
        """The exponent of its first digit."""
        return digit_count(self.modulus) - 1 - self.places

    @property
    def tens(self) -> int:
        """How often a number must be multiplied by ten until it surely has all factors 2 and 5 of the modulus."""
        rest, twos, fives = self.modulus, 0, 0
        while rest % 2 == 0:
            rest, twos = rest // 2, twos + 1
        while rest % 5 == 0:
            rest, fives = rest // 5, fives + 1
        return max(twos, fives)

    @property
    def coprime(self) -> int:
        """The modulus without its factors of 2 and 5."""
        return self.modulus // gcd(self.modulus, 10**self.tens)

    @property
    def decided_by_digits(self) -> int:
        """An exponent. Above it, if a mantissa has up to MANTISSA digits after its point, the digits alone decide
        whether the number is a multiple."""
        return MANTISSA + self.tens - self.places

    def indices(self, bounds: Bounds) -> tuple[int | None, int | None]:
        """The least and the greatest n for which n * self is between the bounds; None: no bound."""
        first = last = None
        if bounds.low is not None:
            numerator, denominator = ratio(bounds.low, *self)
            first = numerator // denominator + 1 if bounds.low_open else -(-numerator // denominator)
        if bounds.high is not None:
            numerator, denominator = ratio(bounds.high, *self)
            last = -(-numerator // denominator) - 1 if bounds.high_open else numerator // denominator
        return first, last

    def times(self, index: int) -> Decimal:
        """index * self."""
        whole = Decimal(index * self.modulus).as_tuple()
        return Decimal((whole.sign, whole.digits, -self.places))


def digit_count(value: int) -> int:
    """How many digits a whole number has."""
    return len(text_of(value))


def digits_differ(unit: Divisor | None, others: list[Divisor]) -> bool:
    """Whether the digits alone, whatever the exponent, can show that a multiple of the unit (None: any number) is a
    multiple of none of the others."""
    coprime = 1 if unit is None else unit.coprime
    return all([coprime % other.coprime for other in others])


def common_multiple(values: list[Decimal]) -> Decimal:
    """The least common multiple of some divisors."""
    found = Divisor.of(values[0])
    for value in values[1:]:
        other = Divisor.of(value)
        places = max(found.places, other.places)
        a, b = (one.modulus * 10 ** (places - one.places) for one in (found, other))
        found = Divisor(a // gcd(a, b) * b, places)
    return Decimal((0, Decimal(found.modulus).as_tuple().digits, -found.places))


def has_divisors(shape: Shape, value: Decimal) -> bool:
    """Whether a value is a multiple of all divisors of a shape, and of none of those that the shape forbids."""
    return all([is_multiple(value, divisor) for divisor, _ in shape.divisors]) and not any(
        [is_multiple(value, divisor) for divisor, _ in shape.not_divisors]
    )
