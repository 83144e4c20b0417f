"""How the items that obey a `contains` are counted in the parameter of a nonterminal (ir.Template), in two of the ways
to write arrays (contains_ways.py): in bits, of which the first one is set by one item, the second one by two, and so
on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ffgrammar.grammar.json_schema.shape.constraints import Contained

__all__ = ["Count", "count_of", "needed_bits"]


class Count(NamedTuple):
    """The count of one `contains`.

    Attributes:
        bit: its first bit.
        least: how many items must obey the `contains`.
        bits: how many bits it has: one for each item that may obey it. Without an upper bound, one for each that must.
        is_bounded: whether it has an upper bound, which is `bits` then.
    """

    bit: int
    least: int
    bits: int
    is_bounded: bool

    def may_count(self) -> bool:
        """Whether any item may obey the `contains`."""
        return bool(self.bits) or not self.is_bounded

    def before(self, bit: int) -> int:
        """The bits that must be set before one of its bits can be."""
        return 1 << bit - 1 if bit > self.bit else 0

    def enough(self) -> int:
        """The bit that is set once enough items obey it; 0 if it needs none."""
        return 1 << self.bit + self.least - 1 if self.least else 0

    def full(self) -> int:
        """The bit that is set once no more item may obey it; 0 if it has no bound."""
        return 1 << self.bit + self.bits - 1 if self.is_bounded else 0


def count_of(one: Contained, bit: int) -> Count | None:
    """The count of a `contains` with a first bit; None if it has no count: fewer items may obey it than must."""
    bits = one.least if one.most is None else one.most
    return Count(bit, one.least, bits, one.most is not None) if bits >= one.least else None


def needed_bits(counts: Iterable[Count]) -> int:
    """The bits that must be set where an array ends."""
    needed = 0
    for one in counts:
        needed |= ((1 << one.least) - 1) << one.bit
    return needed
