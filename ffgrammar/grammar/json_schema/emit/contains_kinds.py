"""Arrays with many `contains` and upper bounds, whose items are of few kinds. Items of one kind obey the same of the
`contains`.

    {"maxItems": 3, "allOf": [{"contains": {"const": 1}}, {"contains": {"const": 2}, "maxContains": 1}]}

Here an item is 1, or 2, or something else: n schemas that exclude each other make n + 1 kinds. A flag beside them makes
twice as many: {"role": "owner"}, {"role": "owner", "main": true}, … An item has one kind. So a nonterminal counts in
its parameter:

- There are bits for each `contains`, one for each item that must obey it, or may (contains_counts.py). If an item
  counts for several, there is a template for each, and the nonterminal is joined (ir.Parametric).
- With `maxItems`, the second counter has the spare items: those that bring the array no nearer to its end, because they
  obey no `contains`, or one that enough items obey already. Here there may be one, so that a 1 and a 2 still fit.
- The first counter has the number of items, as far as `minItems` needs it.

An array must never reach a dead end. So each `contains` must have a kind of items that obey no other one with an upper
bound. With `maxItems`, no kind may obey two that items must obey.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.builder import settled_distance
from ffgrammar.grammar.ir import MAX_COUNT
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.contains_counts import Count, count_of, needed_bits
from ffgrammar.grammar.json_schema.shape.constraints import Contained
from ffgrammar.grammar.json_schema.shape.scalars import scalars
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["array_by_kinds"]

# With more bits, another way is tried (contains_ways.py).
MAX_BITS = 4000
# The same with more schemas of which every two are compared, and with more kinds.
MAX_COMPARED = 150
MAX_KINDS = 300
# The most kinds where an item may obey several `contains`.
MAX_MIXED_KINDS = 128


class _Kind(NamedTuple):
    """A kind of items: their symbol, and the counts of the `contains` that they obey."""

    symbol: int
    counts: list[Count]

    def needed(self) -> list[Count]:
        return [one for one in self.counts if one.least]

    def is_free_beside(self, count: Count | None) -> bool:
        """Whether no count but `count` bounds how many items of the kind there may be."""
        return not any([one.is_bounded for one in self.counts if one != count])


def array_by_kinds(
    style: ArrayStyle, shape: Shape, depth: int, item: Conj, most: int | None, *, is_apart: bool
) -> int | None:
    """The symbol of the arrays of a shape whose items all obey one conjunction; `em.never` if there are none; None if
    they cannot be written so.

    The arguments are those of `containing_array` (contains_ways.py), with `item`, what each item must obey, and
    `is_apart`: arrays are written only if no item obeys two `contains`.

    Raises:
        LimitError: there are too many productions.
    """
    found = _counts(style, shape.contained, depth, item)
    if found is None or shape.min_items >= MAX_COUNT:
        return None
    wanted, counts = found
    try:
        kinds = _kinds(style, wanted, counts, depth, item, is_apart)
    except UnsupportedError:
        # (not every schema has an opposite)
        return None
    if kinds is None or not _has_no_dead_end(kinds, counts, shape.min_items, most is not None):
        return None
    needed = sum([one.least for one in counts])
    spare = None if most is None else most - needed
    if spare is not None and spare < 0:
        return style.em.never
    is_joined = any([len(kind.counts) > 1 for kind in kinds])
    least = shape.min_items if is_joined or shape.min_items > needed else 0
    return _Writer(style, counts, kinds, spare, least, is_joined).array()


def _counts(
    style: ArrayStyle, wanted: tuple[Contained, ...], depth: int, item: Conj
) -> tuple[list[Contained], list[Count]] | None:
    """The `contains` that ask something of items, and their counts. None if some `contains` has too many bits, or no
    item obeys it."""
    kept: list[Contained] = []
    found: list[Count] = []
    bits = 0
    for one in wanted:
        is_met = style.item(join(item, one.conj), depth) != style.em.never
        if one.least == 0 and (not is_met or one.most is None):
            continue
        count = count_of(one, bits)
        if one.start or not is_met or count is None or bits + count.bits > MAX_BITS:
            return None
        kept.append(one)
        found.append(count)
        bits += count.bits
    return kept, found


def _kinds(
    style: ArrayStyle, wanted: list[Contained], counts: list[Count], depth: int, item: Conj, is_apart: bool
) -> list[_Kind] | None:
    """The kinds of items. None if there are too many; with `is_apart`, also if some item obeys two `contains`."""
    em = style.em
    excludes = _excludes(style, wanted, depth, item)
    if excludes is None or (is_apart and any([one.bit_count() < len(wanted) - 1 for one in excludes])):
        return None

    def of(some: int, seen: int) -> int:
        """The symbol of the items that obey a set of `contains`, and no other of the first ones."""
        conj = item
        for number, one in enumerate(wanted[:seen]):
            if some >> number & 1:
                conj = join(conj, one.conj)
            # (what a `contains` excludes that the items obey need not be said)
            elif not some & excludes[number]:
                conj = join(conj, em.negation.conj(one.subschema, one.conj))
        return style.item(conj, depth)

    found = [0]
    most = MAX_KINDS if is_apart else MAX_MIXED_KINDS
    for number in range(len(wanted)):
        longer = [some | 1 << number for some in found if not some & excludes[number]]
        found += [some for some in longer if some.bit_count() == 1 or of(some, number + 1) != em.never]
        if len(found) > most:
            return None
    kinds = [
        _Kind(of(some, len(wanted)), [one for number, one in enumerate(counts) if some >> number & 1]) for some in found
    ]
    return [kind for kind in kinds if kind.symbol != em.never and all([one.may_count() for one in kind.counts])]


def _excludes(style: ArrayStyle, wanted: list[Contained], depth: int, item: Conj) -> list[int] | None:
    """For each `contains`: those that no item obeys that obeys this one, as bits. None if too many are to be
    compared."""
    listed = [scalars(style.em.combiner.resolved_shapes(one.conj)) for one in wanted]
    if sum([some is None for some in listed]) > MAX_COMPARED:
        return None
    found = [0] * len(wanted)
    for first, second in combinations(range(len(wanted)), 2):
        mine, theirs = listed[first], listed[second]
        if mine is not None and theirs is not None:
            is_apart = mine.isdisjoint(theirs)
        else:
            both = join(join(item, wanted[first].conj), wanted[second].conj)
            is_apart = style.item(both, depth) == style.em.never
        if is_apart:
            found[first] |= 1 << second
            found[second] |= 1 << first
    return found


def _has_no_dead_end(kinds: list[_Kind], counts: list[Count], least: int, has_most: bool) -> bool:
    """Whether every array that has not too many items of any kind can be completed. `least` is how many items there
    must be."""
    if has_most and any([len(kind.needed()) > 1 for kind in kinds]):
        return False
    for count in counts:
        if count.least and not any([count in kind.counts and kind.is_free_beside(count) for kind in kinds]):
            return False
    if any([kind.is_free_beside(None) for kind in kinds]):
        return True
    # (every kind is bounded, so the bounds must leave room for `least` items. Where an item may use up several bounds,
    # this is not worked out.)
    is_mixed = any([len(kind.counts) > 1 for kind in kinds])
    return not least if is_mixed else sum([one.bits for one in counts]) >= least


class _Writer:
    """Writes the templates of one array."""

    def __init__(
        self, style: ArrayStyle, counts: list[Count], kinds: list[_Kind], spare: int | None, least: int, is_joined: bool
    ) -> None:
        """
        Args:
            style: how the array is written.
            counts: the count of each `contains`.
            kinds: the kinds of items.
            spare: how many items may bring the array no nearer to its end; None: any number.
            least: how many items there must be, if `counts` do not imply as many.
            is_joined: whether some kind counts for several `contains`.
        """
        self._style = style
        self._counts = counts
        self._kinds = kinds
        self._spare = spare
        self._least = least
        bits = sum([one.bits for one in counts])
        # (nothing sets bits from the distance on, so `settled` has the bits that must not be set at all)
        self._distance = settled_distance(bits)
        words = 2 * self._distance if is_joined else bits
        self._array = style.em.builder.parametric(words, "array", joined=is_joined)
        self._more = style.em.builder.parametric(words, "items", joined=is_joined)

    def array(self) -> int:
        style, layout = self._style, self._style.layout
        add = style.em.builder.add_template
        # (the symbols of brackets and commas, because a template with `again` must contain a terminal)
        starts = ((self._array, (style.opening, *layout.line_break)), (self._more, style.comma_symbols()))
        for head, before in starts:
            for kind in self._kinds:
                body = (*before, kind.symbol)
                if len(kind.counts) > 1:
                    self._add_mixed(head, body, kind)
                elif kind.counts:
                    self._add_counted(head, body, kind.counts[0])
                else:
                    self._add(head, body, is_spare=True)
        needed = needed_bits(self._counts)
        add(self._more, [*layout.last_break, style.closing], need=needed, counts=((self._least, None), (0, None)))
        if not needed and not self._least:
            add(self._array, style.enclosed(()))
        return self._array

    def _add_counted(self, head: int, body: tuple[int, ...], one: Count) -> None:
        """Add the templates of the items that count for one `contains`: one for each bit, and one for further items."""
        for bit in range(one.bit, one.bit + one.bits):
            is_spare = bit >= one.bit + one.least
            self._add(head, body, is_spare=is_spare, bit=bit, need=one.before(bit))
        if not one.is_bounded:
            self._add(head, body, is_spare=True, need=one.enough())

    def _add_mixed(self, head: int, body: tuple[int, ...], kind: _Kind) -> None:
        """Add the templates of the items that count for several `contains`: one for each bit, and one without a bit.
        All that hold at once are joined, so they agree in whether the item is spare."""
        full = sum([one.full() for one in kind.counts])
        enough = kind.needed()[0].enough() if self._spare is not None and kind.needed() else 0
        cases = [(0, full | enough, False), (enough, full, True)] if enough else [(0, full, True)]
        for need, unset, is_spare in cases:
            self._add(head, body, is_spare=is_spare, need=need, unset=unset)
            for one in kind.counts:
                for bit in range(one.bit, one.bit + one.bits):
                    self._add(head, body, is_spare=is_spare, bit=bit, need=need | one.before(bit), unset=unset)

    def _add(
        self,
        head: int,
        body: tuple[int, ...],
        *,
        is_spare: bool,
        bit: int | None = None,
        need: int = 0,
        unset: int = 0,
    ) -> None:
        """Add the template of an item (see `Template`). `is_spare`: it brings the array no nearer to its end. `unset`
        has the bits that must not be set."""
        counts_spare = is_spare and self._spare is not None
        if counts_spare and self._spare == 0:
            return
        spare = self._spare - 1 if counts_spare and self._spare is not None else None
        self._style.em.builder.add_template(
            head,
            body,
            self._more,
            bit=bit,
            need=need,
            counts=((0, None), (0, spare)),
            add=(int(self._least > 0), int(counts_spare)),
            settled=(unset, self._distance if unset else 0),
        )
