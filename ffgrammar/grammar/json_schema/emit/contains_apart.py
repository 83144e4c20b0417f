"""Arrays with an upper bound and many `contains` of which no item obeys two: a nonterminal counts them apart.

The bound is `maxItems`, or the `maxContains` of some `contains`. The parameter (see ir.Template) has bits for each
`contains`: as many as items have to obey it, or may. The first counter is the number of items so far, as far as
`minItems` needs it. The second one is the number of items that brought the array no nearer to its end: they obey none
of the schemas, or one that enough items obey already. With `maxItems`, there may be so many of these that the others
still fit.

An item is read in one way only. So these nonterminals are not joined.
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

# With more bits, the automaton of contains.py is tried instead.
MOST_BITS = 4000
# Whether an item can obey two schemas is found out for each two of at most this many.
MOST_SCHEMAS = 150


class _Counted(NamedTuple):
    """A `contains`: the symbol of the items that obey it, its first bit, how many items must obey it, and how many bits
    it has; they are as many as may obey it, unless any number may."""

    symbol: int
    bit: int
    least: int
    bits: int
    is_bounded: bool


def array_counted_apart(style: ArrayStyle, shape: Shape, depth: int, item: Conj, most: int | None) -> int | None:
    """The symbol of the arrays of a shape whose items all obey one conjunction; None if they cannot be written so.

    Args:
        style: how the array is written.
        shape: the shape.
        depth: how deep the array is nested.
        item: what each item must obey.
        most: how many items there may be; None: no bound.

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
    # how many items may bring the array no nearer to its end
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
    """What the items obey that obey none of the schemas."""
    for one in wanted:
        item = join(item, style.em.negation.conj(one.subschema, one.conj))
    return item


class _Writer:
    """Writes the templates of one array."""

    def __init__(self, style: ArrayStyle, counted: list[_Counted], others: int, spare: int | None, least: int) -> None:
        """others: the symbol of the items that obey none of the schemas; least: how many items there must be."""
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
        """Add the templates of the items that obey a schema."""
        body = (*before, one.symbol)
        for each in range(one.bits):
            need = 1 << one.bit + each - 1 if each else 0
            if each < one.least:
                add = self._style.em.builder.add_template
                add(head, body, self._more, bit=one.bit + each, need=need, add=(self._counts_items(), 0))
            else:
                self._add_spare(head, body, one.bit + each, need)
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
