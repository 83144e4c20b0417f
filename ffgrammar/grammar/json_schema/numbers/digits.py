"""Multiples between two bounds, without exponents, as expressions in which no state is a dead end.

The digits are compared with those of a bound as long as they are equal. After the first different digit, all digits are
*free*: the bound does not matter for them, and any digits that make a multiple may follow. The store has expressions
that recognise multiples by their remainder (`ExprStore.multiples`). Because no state is a dead end, the search for a
text in an intersection or a difference stays short.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from ffgrammar.grammar.json_schema.numbers.ranges import Numbers
from ffgrammar.regex.expr.store import EMPTY, NOTHING

__all__ = ["AnyDigits", "Digits", "text_of"]


def text_of(value: int) -> str:
    """The digits of a number >= 0. (Python limits the digits of str(int), but not those of a Decimal.)"""
    return str(Decimal(value))


class Digits:
    """The multiples of a modulus, counted in units of 10 ** -places.

    Args:
        numbers: the number expressions of the store.
        modulus: at most the store's MAX_DIVISOR.
        places: how many digits after the point are significant; only zeros may follow them.
        points: whether there may be a point at all; if not, `places` is 0.
    """

    def __init__(self, numbers: Numbers, modulus: int, places: int, points: bool = True) -> None:
        self.numbers = numbers
        self.store = numbers.store
        self.modulus = modulus
        self.places = places
        self.points = points

    # Free digits

    def whole(self, carry: int, lo: int, hi: int | None) -> int:
        """lo to hi (None: any number) more digits before the point, and what may follow them.

        carry is the remainder of a number that is counted in units. It consists of the digits so far, then lo zeros
        before the point, and `places` zeros after the point.
        """
        return self.store.multiples(self.modulus, carry, lo, hi, self.places if self.points else None)

    def part(self, carry: int, places: int) -> int:
        """More digits after the point. The first of them are significant: as many as the argument `places` says.

        carry is the remainder of the number that consists of the digits so far and then that many zeros.
        """
        return self.store.multiples_part(self.modulus, carry, places)

    def beyond(self, is_open: bool) -> int:
        """The further digits after the point that may follow all digits of a lower bound."""
        return self.numbers.zeros

    # Ranges

    def between(self, low: int, low_open: bool, high: int | None, high_open: bool) -> int:
        """The multiples from low to high (None: no bound), both counted in units. An open bound is excluded."""
        s = self.store
        if not low and not low_open and high is None:
            return s.union([s.concat([self.numbers.zero, self.whole(0, 0, 0)]), self.after_first(0, None)])
        if high is not None and (low > high or (low == high and (low_open or high_open))):
            return NOTHING
        low_text = text_of(low).rjust(self.places + 1, "0")
        high_text = "" if high is None else text_of(high).rjust(self.places + 1, "0")
        if len(low_text) == len(high_text):
            return self._same_length(low_text, low_open, high_text, high_open)
        parts = [self._edge(low_text, True, low_open)[0]]
        # numbers that have more digits than `low`, and fewer than `high`
        least = len(low_text) - self.places
        most = None if high is None else len(high_text) - self.places - 2
        if most is None or least <= most:
            parts.append(self.after_first(least, most))
        if high is not None:
            parts.append(self._edge(high_text, False, high_open)[0])
        return s.union(parts)

    def after_first(self, lo: int, hi: int | None) -> int:
        """Multiples that have a digit from 1 to 9 and then lo to hi (None: any number) more digits before the point."""
        unit = pow(10, lo + self.places, self.modulus)
        return self.store.union(
            self._one_of(
                range(1, 10),
                lambda digit: digit * unit % self.modulus,
                lambda carry: self.whole(carry, lo, hi),
            )
        )

    def _one_of(self, digits: range, carry_of: Callable[[int], int], rest: Callable[[int], int]) -> list[int]:
        """Expressions for one of the digits and what may follow it. What may follow depends on the remainder."""
        by_carry: dict[int, list[int]] = {}
        for digit in digits:
            by_carry.setdefault(carry_of(digit), []).append(48 + digit)
        s = self.store
        return [s.concat([s.byte_set(bytes(same)), rest(carry)]) for carry, same in by_carry.items()]

    def _free(self, prefix: int, digits: range, rest: int) -> list[int]:
        """Expressions for one of the digits and what may follow it, where the `rest` digits after it are free.

        `prefix` is the number that the digits before the one digit make, or only the remainder of this number.
        """
        unit = pow(10, rest, self.modulus)

        def tail(carry: int) -> int:
            whole = rest - self.places
            return self.part(carry, rest) if whole < 0 else self.whole(carry, whole, whole)

        return self._one_of(digits, lambda digit: (10 * prefix + digit) * unit % self.modulus, tail)

    def _digit(self, text: str, place: int, rest: int) -> int:
        return self.store.concat([self.store.byte_set(text[place].encode()), rest])

    def _no_fraction(self) -> int:
        return self.numbers.no_fraction() if self.points else EMPTY

    def _after_bound(self, above: bool, is_open: bool) -> int:
        """What may follow all digits of a bound."""
        if not above:
            return NOTHING if is_open else self.numbers.zeros if self.places else self._no_fraction()
        found = self.beyond(is_open)
        if self.places:
            return found
        if found == self.numbers.zeros:
            return self._no_fraction()
        s = self.store
        found = s.concat([self.numbers.point, s.intersect([found, s.repeat(self.numbers.digit, 1, None)])])
        return found if is_open else self.numbers.optional(found)

    def _pointed(self, text: str, place: int, found: int, ends: bool) -> int:
        """What may follow the digits before `place`, which is a place after the point.

        `found` is what may follow from the digit at `place` on. If that digit is the first one after the point, the
        point is added before it. If `ends`, the number may also end before that digit.
        """
        if place == len(text) - self.places:
            found = self.store.concat([self.numbers.point, found])
        return self.numbers.optional(found) if ends else found

    def _edge(self, text: str, above: bool, is_open: bool) -> list[int]:
        """For each prefix of the digits of a bound: what may follow, so that the number is above (or below) the bound.

        Unless the bound is open, the number may also be equal to it. The numbers have as many digits before the point
        as the bound.
        """
        s = self.store
        whole = len(text) - self.places
        remainders = [0]
        for character in text:
            remainders.append((10 * remainders[-1] + int(character)) % self.modulus)
        found = self._after_bound(above, is_open)
        edge = [found]
        for place in range(len(text) - 1, -1, -1):
            digit = int(text[place])
            # a number of several digits does not begin with 0
            least = 1 if place == 0 and whole > 1 else 0
            others = range(digit + 1, 10) if above else range(least, digit)
            rest = len(text) - place - 1
            found = s.union([*self._free(remainders[place], others, rest), self._digit(text, place, found)])
            if place >= whole:
                # a number that ends here is compared as if zeros followed
                zeros = not text[place:].strip("0")
                ends = zeros if above else not remainders[place] * pow(10, rest + 1, self.modulus) % self.modulus
                found = self._pointed(text, place, found, ends and not (is_open and zeros))
            edge.append(found)
        edge.reverse()
        return edge

    def _same_length(self, low: str, low_open: bool, high: str, high_open: bool) -> int:
        s = self.store
        if low == high:
            place = len(low)
            found = self._after_bound(False, False)
        else:
            # up to the first digit in which the bounds differ, every number has their digits
            place = next(place for place in range(len(low)) if low[place] != high[place])
            above = self._edge(low, True, low_open)[place + 1]
            below = self._edge(high, False, high_open)[place + 1]
            between = range(int(low[place]) + 1, int(high[place]))
            prefix = int(Decimal(low[:place] or "0")) % self.modulus
            free = self._free(prefix, between, len(low) - place - 1)
            found = s.union([self._digit(low, place, above), self._digit(high, place, below), *free])
        while True:
            if len(low) - self.places <= place < len(low):
                # a number that ends here equals the lower bound if only zeros of the bound are left; else it is too low
                found = self._pointed(low, place, found, not low_open and not low[place:].strip("0"))
            if not place:
                return found
            place -= 1
            found = self._digit(low, place, found)


class AnyDigits(Digits):
    """All numbers, not only multiples. `places` is how many digits after the point the bounds have."""

    def __init__(self, numbers: Numbers, places: int) -> None:
        super().__init__(numbers, 1, places)

    def whole(self, carry: int, lo: int, hi: int | None) -> int:
        return self.store.concat([self.store.repeat(self.numbers.digit, lo, hi), self.numbers.some_fraction])

    def part(self, carry: int, places: int) -> int:
        return self.numbers.digits

    def beyond(self, is_open: bool) -> int:
        n = self.numbers
        return self.store.concat([n.zeros, n.positive, n.digits]) if is_open else n.digits
