"""Arrays with many `contains` and upper bounds, where no item obeys two: a nonterminal counts each of them apart.

    {"maxItems": 3, "allOf": [{"contains": {"const": 1}}, {"contains": {"const": 2}, "maxContains": 1}]}

An item is read in one way only: it obeys the first `contains`, the second one, or none. So the nonterminal is not
joined (ir.Parametric), and its parameter has all that counts:

- There are bits for each `contains`, one for each item that must obey it, or may.
- With `maxItems`, the second counter has the spare items: those that bring the array no nearer to its end, because they
  obey no `contains`, or one that enough items obey already. Here there may be one, so that a 1 and a 2 still fit.
- The first counter has the number of items, as far as `minItems` needs it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.ir import MAX_COUNT
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.shape.constraints import Contained
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["array_counted_apart"]

# With more bits, another way is tried (contains_ways.py).
MOST_BITS = 4000
# Each two schemas are compared, if there are at most this many.
MOST_SCHEMAS = 150


class _Counted(NamedTuple):
    """A `contains`.

    Attributes:
        symbol: the symbol of the items that obey it.
        bit: its first bit.
        least: how many items must obey it.
        bits: how many bits it has: one for each item that may obey it. Without an upper bound, one for each that must.
        is_bounded: whether it has an upper bound, which is `bits` then.
    """

    symbol: int
    bit: int
    least: int
    bits: int
    is_bounded: bool


def array_counted_apart(style: ArrayStyle, shape: Shape, depth: int, item: Conj, most: int | None) -> int | None:
    """The symbol of the arrays of a shape whose items all obey one conjunction; None if they cannot be written so.

    The arguments are those of `containing_array` (contains_ways.py), with `item`, what each item must obey.

    Raises:
        LimitError: there are too many productions.
    """
    counted = _counted(style, shape.contained, depth, item)
    if counted is None or not _are_apart(style, shape.contained, depth, item):
        return None
    try:
        others = style.item(_others(style, shape.contained, item), depth)
    except UnsupportedError:
        # (not every schema has an opposite)
        return None
    needed = sum([one.least for one in counted])
    spare = None if most is None else most - needed
    endless = others != style.em.never or not all([one.is_bounded for one in counted])
    if (
        shape.min_items >= MAX_COUNT
        or (spare is not None and spare < 0)
        or (not endless and sum([one.bits for one in counted]) < shape.min_items)
    ):
        return None
    return _Writer(style, counted, others, spare, shape.min_items if shape.min_items > needed else 0).array()


def _counted(style: ArrayStyle, wanted: tuple[Contained, ...], depth: int, item: Conj) -> list[_Counted] | None:
    """What is counted. None if some `contains` has too many bits, or no item obeys it."""
    found: list[_Counted] = []
    bits = 0
    for one in wanted:
        size = one.least if one.most is None else one.most
        symbol = style.item(join(item, one.conj), depth)
        if symbol == style.em.never and one.least == 0:
            continue
        if one.start or symbol == style.em.never or size < one.least or bits + size > MOST_BITS:
            return None
        found.append(_Counted(symbol, bits, one.least, size, one.most is not None))
        bits += size
    return found


def _are_apart(style: ArrayStyle, wanted: tuple[Contained, ...], depth: int, item: Conj) -> bool:
    """Whether no item obeys two of the schemas."""
    if len(wanted) > MOST_SCHEMAS:
        return False
    for one, other in combinations(wanted, 2):
        if style.item(join(join(item, one.conj), other.conj), depth) != style.em.never:
            return False
    return True


def _others(style: ArrayStyle, wanted: tuple[Contained, ...], item: Conj) -> Conj:
    """The conjunction of the items that obey none of the schemas."""
    for one in wanted:
        item = join(item, style.em.negation.conj(one.subschema, one.conj))
    return item


class _Writer:
    """Writes the templates of one array."""

    def __init__(self, style: ArrayStyle, counted: list[_Counted], others: int, spare: int | None, least: int) -> None:
        """
        Args:
            style: how the array is written.
            counted: each `contains`.
            others: the symbol of the items that obey none of them.
            spare: how many items may bring the array no nearer to its end; None: any number.
            least: how many items there must be, if `counted` does not imply as many.
        """
        self._style = style
        self._counted = counted
        self._others = others
        self._spare = spare
        self._least = least
        bits = sum([one.bits for one in counted])
        self._array = style.em.builder.parametric(bits, "array")
        self._more = style.em.builder.parametric(bits, "items")

    def array(self) -> int:
        style, layout = self._style, self._style.layout
        add = style.em.builder.add_template
        # (the symbols of brackets and commas, because a template with `again` must contain a terminal)
        starts = ((self._array, (style.opening, *layout.line_break)), (self._more, style.comma_symbols()))
        for head, before in starts:
            for one in self._counted:
                self._add_counted(head, before, one)
            if self._others != style.em.never:
                self._add_spare(head, (*before, self._others))
        needed = 0
        for one in self._counted:
            needed |= ((1 << one.least) - 1) << one.bit
        counts = ((self._least, None), (0, None))
        add(self._more, [*layout.last_break, style.closing], need=needed, counts=counts)
        if not needed and not self._least:
            add(self._array, style.enclosed(()))
        return self._array

    def _add_counted(self, head: int, before: tuple[int, ...], one: _Counted) -> None:
        """Add the templates of the items that obey a `contains`: one for each bit, and one for further items."""
        body = (*before, one.symbol)
        add = self._style.em.builder.add_template
        for bit in range(one.bit, one.bit + one.bits):
            need = 1 << bit - 1 if bit > one.bit else 0
            if bit < one.bit + one.least:
                add(head, body, self._more, bit=bit, need=need, add=(self._counts_items(), 0))
            else:
                self._add_spare(head, body, bit, need)
        if not one.is_bounded:
            self._add_spare(head, body, None, 1 << one.bit + one.bits - 1 if one.bits else 0)

    def _add_spare(self, head: int, body: tuple[int, ...], bit: int | None = None, need: int = 0) -> None:
        """Add the template of an item that brings the array no nearer to its end."""
        if self._spare == 0:
            return
        counts = ((0, None), (0, None if self._spare is None else self._spare - 1))
        added = (self._counts_items(), int(self._spare is not None))
        self._style.em.builder.add_template(head, body, self._more, bit=bit, need=need, counts=counts, add=added)

    def _counts_items(self) -> int:
        return int(self._least > 0)
