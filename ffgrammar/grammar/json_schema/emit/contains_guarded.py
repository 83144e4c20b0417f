"""Arrays with many `contains` and upper bounds, where one item may obey several: guards on the next item.

    {"maxItems": 2, "allOf": [{"contains": {"pattern": "a"}, "maxContains": 1}, {"contains": {"pattern": "b"}}]}

After `["xa", ` the next string must contain b, because it is the last one, and no a, because one item has it already.
What an item must obey depends on the items so far, and n `contains` have 2^n sets of such conditions. No set is written
down:

- A parametric nonterminal counts the items that obey each `contains` in bits of its parameter, as in many_contains.py.
- All scalars are one lexeme, which has a guard (ir.Guard) for each condition: if a bit is set, the text must not obey
  this `contains`; unless a bit is set, it must. The engine makes the expression of a set when a text needs it.
- The scalars that obey one `contains` are a lexeme of their own, which sets a bit. It is read beside that of all
  scalars (ir.Template.beside), so the guards hold for it, too. The nonterminal is joined (ir.Parametric): an item that
  obeys several `contains` sets a bit for each.

Arrays and objects among the items are no lexemes, and have no guards: of these, all must obey a `contains`, or none.

An array must never reach a dead end. Without `maxItems` each `contains` must have items that obey no other one with an
upper bound. With `maxItems`, whichever `contains` are used up, some scalar must obey none of these and all others that
are needed.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.builder import settled_distance
from ffgrammar.grammar.ir import ANY_COUNT, MAX_COUNT, Guard
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.contains_counts import Count, count_of, needed_bits
from ffgrammar.grammar.json_schema.emit.only_types import only_types
from ffgrammar.grammar.json_schema.emit.scalar_texts import scalar_texts
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, NUM, OBJ
from ffgrammar.regex.expr.store import NOTHING

__all__ = ["array_with_guards"]

# With more templates, another way is tried (contains_ways.py).
MAX_TEMPLATES = 4000
# With more bounded `contains`, the 2^n sets of those that may be used up are too many to look at.
MAX_BOUNDED = 12

Bounds = tuple[int, int | None]


class _Counted(NamedTuple):
    """A `contains`: the expression of the scalars that obey it, the symbol of the lexeme with this expression, and how
    it is counted."""

    scalars: int
    lexeme: int
    counter: Count


class _Container(NamedTuple):
    """The items that are arrays, or those that are objects: their symbol, and the `contains` that all of them obey."""

    symbol: int
    counted: frozenset[_Counted]


def array_with_guards(style: ArrayStyle, shape: Shape, depth: int, item: Conj, most: int | None) -> int | None:
    """The symbol of the arrays of a shape whose items all obey one conjunction; None if they cannot be written so.

    The arguments are those of `containing_array` (contains_ways.py), with `item`, what each item must obey.

    Raises:
        LimitError: there are too many productions.
    """
    em = style.em
    counts = _counts(shape)
    if counts is None or shape.min_items >= MAX_COUNT:
        return None
    tail = max([one.least for one in counts])
    if (1 + sum([one.bits for one in counts])) * (2 if most is None else 2 + tail) > MAX_TEMPLATES:
        return None
    if most is not None and most < max(tail, shape.min_items):
        return None
    try:
        found = _items(style, shape, depth, item, counts)
        if found is None or not _has_no_dead_end(em, *found, most):
            return None
    except (LimitError, UnsupportedError):
        # (not every schema has an opposite)
        return None
    return _Writer(style, shape, *found, most).array()


def _counts(shape: Shape) -> list[Count] | None:
    """The count of each `contains`. None if one has no bit, or does not count from the first item on."""
    found: list[Count] = []
    bit = 0
    for one in shape.contained:
        count = count_of(one, bit)
        if one.start or count is None or not count.bits:
            return None
        found.append(count)
        bit += count.bits
    return found


def _items(
    style: ArrayStyle, shape: Shape, depth: int, item: Conj, counts: list[Count]
) -> tuple[int, list[_Counted], list[_Container]] | None:
    """The expression of all scalars, each `contains`, and the items that are no scalars. None if some numbers are
    undecided, or as in `_containers`."""
    em = style.em
    # (patterns match strings in their canonical spelling only, so others would escape what they forbid)
    is_canonical = any([one.most is not None for one in shape.contained])
    if _has_undecided_numbers(em, shape, item):
        return None
    counted: list[_Counted] = []
    for one, count in zip(shape.contained, counts, strict=True):
        scalars = scalar_texts(em, join(item, one.conj), is_canonical)
        counted.append(_Counted(scalars, em.builder.separate(scalars, "value"), count))
    containers = _containers(style, shape, depth, item, counted)
    if containers is None:
        return None
    return scalar_texts(em, item, is_canonical), counted, containers


def _has_undecided_numbers(em: Symbols, shape: Shape, item: Conj) -> bool:
    """Whether a bounded `contains` neither matches nor excludes some spellings of numbers, as 1.00 where it is about
    the number 1."""
    store = em.store
    for one in shape.contained:
        if one.most is not None:
            opposite = em.negation.conj(one.subschema, one.conj)
            decided = [scalar_texts(em, join(item, conj), True, NUM) for conj in (one.conj, opposite)]
            undecided = store.intersect([scalar_texts(em, item, True, NUM), store.complement(store.union(decided))])
            if not store.is_nothing(undecided):
                return True
    return False


def _containers(
    style: ArrayStyle, shape: Shape, depth: int, item: Conj, counted: list[_Counted]
) -> list[_Container] | None:
    """The items that are no scalars. None if some, but not all, arrays or objects obey a `contains`."""
    em = style.em
    found: list[_Container] = []
    for kind in (ARR, OBJ):
        some = only_types(em, shape.contained[0].subschema, "contains", item, kind)
        symbol = style.item(some, depth)
        if symbol == em.never:
            continue
        obeyed: list[_Counted] = []
        for one, seen in zip(shape.contained, counted, strict=True):
            if style.item(join(some, one.conj), depth) == em.never:
                continue
            if style.item(join(some, em.negation.conj(one.subschema, one.conj)), depth) != em.never:
                return None
            obeyed.append(seen)
        found.append(_Container(symbol, frozenset(obeyed)))
    return found


def _has_no_dead_end(
    em: Symbols, scalars: int, counted: list[_Counted], containers: list[_Container], most: int | None
) -> bool:
    """Whether every array that obeys the guards so far can be completed. `scalars` is the expression of all scalars."""
    store = em.store
    bounded = [one for one in counted if one.counter.is_bounded]
    needed = [one for one in counted if one.counter.least]
    if most is not None:
        return len(bounded) <= MAX_BOUNDED and _has_scalar_for_each_set(em, [scalars], bounded, needed)
    outside = {one: store.complement(one.scalars) for one in bounded}
    for one in needed:
        if store.is_nothing(store.intersect([one.scalars, *[outside[other] for other in bounded if other != one]])):
            return False
    if any([not any([one.counter.is_bounded for one in container.counted]) for container in containers]):
        return True
    return not store.is_nothing(store.intersect([scalars, *outside.values()]))


def _has_scalar_for_each_set(em: Symbols, exprs: list[int], bounded: list[_Counted], needed: list[_Counted]) -> bool:
    """Whether for each set of bounded `contains` some scalar obeys none of these and all others that are needed.

    Args:
        em: the symbols of the grammar.
        exprs: what the scalar must match, whatever else it obeys.
        bounded: the `contains` for which both cases are still to be tried: used up, and not.
        needed: those that the scalar must obey.
    """
    store = em.store
    if not bounded:
        return not store.is_nothing(store.intersect([*exprs, *[one.scalars for one in needed]]))
    first, others = bounded[0], bounded[1:]
    used_up = [*exprs, store.complement(first.scalars)]
    left = [one for one in needed if one != first]
    return _has_scalar_for_each_set(em, used_up, others, left) and _has_scalar_for_each_set(em, exprs, others, needed)


class _Writer:
    """Writes the templates of one array."""

    def __init__(
        self,
        style: ArrayStyle,
        shape: Shape,
        scalars: int,
        counted: list[_Counted],
        containers: list[_Container],
        most: int | None,
    ) -> None:
        builder = style.em.builder
        self._style = style
        self._counted = counted
        self._containers = containers
        self._most = most
        self._least = shape.min_items
        self._scalar = None if scalars == NOTHING else builder.separate(scalars, "value")
        bits = sum([one.counter.bits for one in counted])
        # (nothing sets bits from the distance on, so `settled` has the bits that must not be set at all)
        self._distance = settled_distance(bits)
        name = f"array at {shape.contained[0].subschema.written_pointer()}"
        self._array = builder.parametric(2 * self._distance, name, joined=True)
        self._more = builder.parametric(2 * self._distance, "items", joined=True)

    def array(self) -> int:
        style, layout = self._style, self._style.layout
        starts = ((self._array, (style.opening, *layout.line_break)), (self._more, style.comma_symbols()))
        tail = max([one.counter.least for one in self._counted]) if self._most is not None else 0
        for head, before in starts:
            if self._most is None:
                self._add_items(head, before, (0, None), None)
            elif self._most > tail:
                self._add_items(head, before, (0, self._most - tail - 1), None)
            for room in range(tail, 0, -1):
                assert self._most is not None
                self._add_items(head, before, (self._most - room, self._most - room), room)
        needed = needed_bits([one.counter for one in self._counted])
        counts = ((self._least, None), ANY_COUNT)
        ending = [*layout.last_break, style.closing]
        style.em.builder.add_template(self._more, ending, need=needed, counts=counts)
        if not needed and not self._least:
            style.em.builder.add_template(self._array, style.enclosed(()))
        return self._array

    def _add_items(self, head: int, before: tuple[int, ...], index: Bounds, room: int | None) -> None:
        """Add the templates of the items at some indexes.

        Args:
            head: the nonterminal.
            before: the symbols before the item.
            index: the bounds of the index.
            room: how many items still fit, from this one on; None: more than any `contains` needs.
        """
        counted = self._counted
        # The `contains` that each of the last items must obey, unless enough items have: each has the bit that says so.
        due = []
        if room is not None:
            due = [(one, one.counter.bit + one.counter.least - room) for one in counted if one.counter.least >= room]
        bounded = [(one, one.counter.full().bit_length() - 1) for one in counted if one.counter.is_bounded]
        guards = [Guard(bit, one.lexeme >> 1, False) for one, bit in bounded]
        guards += [Guard(bit, one.lexeme >> 1, True) for one, bit in due]
        if self._scalar is not None:
            self._add(head, (*before, self._scalar), index, guards=tuple(guards))
            for one in counted:
                self._add_counted(head, (*before, one.lexeme), index, one.counter, beside=self._scalar >> 1)
        for container in self._containers:
            need = sum([1 << bit for one, bit in due if one not in container.counted])
            unset = sum([one.counter.full() for one in container.counted])
            body = (*before, container.symbol)
            self._add(head, body, index, need=need, unset=unset)
            for one in container.counted:
                self._add_counted(head, body, index, one.counter, need=need, unset=unset)

    def _add_counted(
        self,
        head: int,
        body: tuple[int, ...],
        index: Bounds,
        one: Count,
        *,
        need: int = 0,
        unset: int = 0,
        beside: int | None = None,
    ) -> None:
        """Add the templates of the items that obey a `contains`: one for each of its bits."""
        for bit in range(one.bit, one.bit + one.bits):
            self._add(head, body, index, bit=bit, need=need | one.before(bit), unset=unset, beside=beside)

    def _add(
        self,
        head: int,
        body: tuple[int, ...],
        index: Bounds,
        *,
        bit: int | None = None,
        need: int = 0,
        unset: int = 0,
        guards: tuple[Guard, ...] = (),
        beside: int | None = None,
    ) -> None:
        """Add the template of an item (see `Template`). `unset` has the bits that must not be set."""
        self._style.em.builder.add_template(
            head,
            body,
            self._more,
            bit=bit,
            need=need,
            counts=(index, ANY_COUNT),
            add=(int(self._most is not None or self._least > 0), 0),
            settled=(unset, self._distance if unset else 0),
            guards=guards,
            beside=beside,
        )
