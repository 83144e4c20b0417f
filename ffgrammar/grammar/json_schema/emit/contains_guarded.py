"""Arrays with many `contains` and upper bounds, in which one item may obey several: a nonterminal with guards.

The bound is `maxItems`, or the `maxContains` of some `contains`. As in many_contains.py, the nonterminal is joined: its
parameter has bits for each `contains`, and an item that obeys several of them sets a bit for each. What an item must
obey depends on the parameter:

- no `contains` that as many items obey as may,
- towards the end of an array with `maxItems`, each `contains` that all items which still fit must obey.

These are guards (ir.Guard) of the lexeme of the items. So all items that are scalars are one lexeme. Arrays and objects
among the items have no guards: of these, all must obey a `contains`, or none.

An array must never reach a dead end. Without `maxItems` each `contains` must have items that obey no other one with an
upper bound. With `maxItems`, some scalar must obey all at once, or all that are left where some are used up.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.ir import ANY_COUNT, MAX_COUNT, Guard
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.only_types import only_types
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, BOOLS, FALSE, NULL, NUM, OBJ, STR, TRUE
from ffgrammar.regex.expr.store import NOTHING

__all__ = ["array_with_guards"]

# With more templates, the automaton of contains.py is tried instead.
MOST_TEMPLATES = 4000
# Whether some scalar obeys all but those that are used up is found out for each set of at most this many.
MOST_BOUNDED = 12


class _Counted(NamedTuple):
    """A `contains`.

    Attributes:
        texts: the expression of the scalars that obey it.
        lexeme: the symbol of the lexeme with this expression.
        bit: its first bit.
        bits: how many bits it has; they are as many as items must obey it, or as may.
        least: how many items must obey it.
        is_bounded: whether no more items than bits may obey it.
    """

    texts: int
    lexeme: int
    bit: int
    bits: int
    least: int
    is_bounded: bool


class _Container(NamedTuple):
    """The items that are arrays, or those that are objects: their symbol, and the `contains` that all of them obey."""

    symbol: int
    counted: frozenset[_Counted]


def array_with_guards(style: ArrayStyle, shape: Shape, depth: int, item: Conj, most: int | None) -> int | None:
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
    em = style.em
    sizes = [one.least if one.most is None else one.most for one in shape.contained]
    tail = max([one.least for one in shape.contained])
    templates = (1 + sum(sizes)) * (2 if most is None else 2 + tail)
    if any([one.start for one in shape.contained]) or shape.min_items >= MAX_COUNT or templates > MOST_TEMPLATES:
        return None
    if any([size < max(one.least, 1) for one, size in zip(shape.contained, sizes, strict=True)]):
        return None
    if most is not None and most < max(tail, shape.min_items):
        return None
    try:
        found = _items(style, shape, depth, item, sizes)
        if found is None or not _never_ends_dead(em, *found, most):
            return None
    except (LimitError, UnsupportedError):
        # (not every schema has an opposite)
        return None
    return _Writer(style, shape, *found, most).array()


def _items(
    style: ArrayStyle, shape: Shape, depth: int, item: Conj, sizes: list[int]
) -> tuple[int, list[_Counted], list[_Container]] | None:
    """The expression of all scalars, each `contains`, and the items that are no scalars; None as in `_containers`."""
    em = style.em
    # (patterns match strings in their canonical spelling only, so others would escape what they forbid)
    is_canonical = any([one.most is not None for one in shape.contained])
    if _are_undecided(em, shape, item):
        return None
    counted: list[_Counted] = []
    bit = 0
    for one, size in zip(shape.contained, sizes, strict=True):
        texts = _scalars(em, join(item, one.conj), is_canonical)
        lexeme = em.builder.separate(texts, "value")
        counted.append(_Counted(texts, lexeme, bit, size, one.least, one.most is not None))
        bit += size
    containers = _containers(style, shape, depth, item, counted)
    if containers is None:
        return None
    return _scalars(em, item, is_canonical), counted, containers


def _are_undecided(em: Symbols, shape: Shape, item: Conj) -> bool:
    """Whether a bounded `contains` neither matches nor excludes some spellings of numbers, as 1.00 where it is about
    the number 1."""
    store = em.store
    for one in shape.contained:
        if one.most is not None:
            opposite = em.negation.conj(one.subschema, one.conj)
            decided = [_scalars(em, join(item, conj), True, NUM) for conj in (one.conj, opposite)]
            left = store.intersect([_scalars(em, item, True, NUM), store.complement(store.union(decided))])
            if not store.is_nothing(left):
                return True
    return False


def _scalars(em: Symbols, conj: Conj, is_canonical: bool, types: int = STR | NUM | NULL | BOOLS) -> int:
    """The expression of the scalars that obey a conjunction and have some types; is_canonical: the strings are
    canonically spelled."""
    exprs: list[int] = []
    store = em.store
    for shape in em.combiner.resolved_shapes(conj) if conj != NEVER else ():
        if shape.types & types & STR:
            bodies = shape.patterns or ((em.strings.canonical_body,) if is_canonical else ())
            is_listed = shape.strings is not None
            exprs.append(
                em.strings.of(shape) if is_listed else em.strings.range(shape.min_length, shape.max_length, bodies)
            )
        if shape.types & types & NUM:
            exprs.append(em.number(shape))
        literals = ((NULL, b"null"), (TRUE, b"true"), (FALSE, b"false"))
        exprs += [store.literal(text) for kind, text in literals if shape.types & types & kind]
    return store.union(exprs)


def _containers(
    style: ArrayStyle, shape: Shape, depth: int, item: Conj, counted: list[_Counted]
) -> list[_Container] | None:
    """The items that are no scalars. None if some, but not all, arrays or objects obey a `contains`."""
    em = style.em
    found: list[_Container] = []
    for kind in (ARR, OBJ):
        some = only_types(em, shape.contained[0].subschema, item, kind)
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


def _never_ends_dead(
    em: Symbols, texts: int, counted: list[_Counted], containers: list[_Container], most: int | None
) -> bool:
    """Whether every array that obeys the guards so far can be completed. `texts` is the expression of all scalars."""
    store = em.store
    bounded = [one for one in counted if one.is_bounded]
    needed = [one for one in counted if one.least]
    if most is not None:
        return len(bounded) <= MOST_BOUNDED and _scalars_for_all(em, [texts], bounded, needed)
    outside = {one: store.complement(one.texts) for one in bounded}
    for one in needed:
        if store.is_nothing(store.intersect([one.texts, *[outside[other] for other in bounded if other != one]])):
            return False
    if any([not any([one.is_bounded for one in container.counted]) for container in containers]):
        return True
    return not store.is_nothing(store.intersect([texts, *outside.values()]))


def _scalars_for_all(em: Symbols, exprs: list[int], bounded: list[_Counted], needed: list[_Counted]) -> bool:
    """Whether for each set of used up `contains`, some scalar obeys none of them, and all others that are needed."""
    store = em.store
    if not bounded:
        return not store.is_nothing(store.intersect([*exprs, *[one.texts for one in needed]]))
    first, others = bounded[0], bounded[1:]
    left = [one for one in needed if one != first]
    return _scalars_for_all(em, [*exprs, store.complement(first.texts)], others, left) and _scalars_for_all(
        em, exprs, others, needed
    )


class _Writer:
    """Writes the templates of one array."""

    def __init__(
        self,
        style: ArrayStyle,
        shape: Shape,
        texts: int,
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
        self._any = None if texts == NOTHING else builder.separate(texts, "value")
        bits = sum([one.bits for one in counted])
        # (what the bits that must not be set are told by has no bits)
        self._distance = (bits + 31) // 32 * 32
        name = f"array at {shape.contained[0].subschema.written_pointer()}"
        self._array = builder.parametric(2 * self._distance, name, joined=True)
        self._more = builder.parametric(2 * self._distance, "items", joined=True)

    def array(self) -> int:
        style, layout = self._style, self._style.layout
        starts = ((self._array, (style.opening, *layout.line_break)), (self._more, style.comma_symbols()))
        tail = max([one.least for one in self._counted]) if self._most is not None else 0
        for head, before in starts:
            if self._most is None:
                self._add_items(head, before, (0, None), None)
            elif self._most > tail:
                self._add_items(head, before, (0, self._most - tail - 1), None)
            for left in range(tail, 0, -1):
                assert self._most is not None
                self._add_items(head, before, (self._most - left, self._most - left), left)
        needed = 0
        for one in self._counted:
            needed |= ((1 << one.least) - 1) << one.bit
        counts = ((self._least, None), ANY_COUNT)
        ending = [*layout.last_break, style.closing]
        style.em.builder.add_template(self._more, ending, need=needed, counts=counts)
        if not needed and not self._least:
            style.em.builder.add_template(self._array, style.enclosed(()))
        return self._array

    def _add_items(self, head: int, before: tuple[int, ...], place: tuple[int, int | None], left: int | None) -> None:
        """Add the templates of the items at a place, at which so many items still fit (None: enough)."""
        counts = (place, ANY_COUNT)
        due = [one for one in self._counted if left is not None and one.least >= left]
        guards = [Guard(one.bit + one.bits - 1, one.lexeme >> 1, False) for one in self._counted if one.is_bounded]
        guards += [Guard(one.bit + one.least - (left or 0), one.lexeme >> 1, True) for one in due]
        if self._any is not None:
            self._add(head, (*before, self._any), None, 0, counts, 0, tuple(guards))
            for one in self._counted:
                self._add_counted(head, (*before, one.lexeme), one, 0, counts, 0, self._any >> 1)
        for container in self._containers:
            need = sum([1 << one.bit + one.least - (left or 0) for one in due if one not in container.counted])
            unset = sum([1 << one.bit + one.bits - 1 for one in container.counted if one.is_bounded])
            body = (*before, container.symbol)
            self._add(head, body, None, need, counts, unset, ())
            for one in container.counted:
                self._add_counted(head, body, one, need, counts, unset, None)

    def _add_counted(
        self,
        head: int,
        body: tuple[int, ...],
        one: _Counted,
        need: int,
        counts: tuple[tuple[int, int | None], tuple[int, int | None]],
        unset: int,
        beside: int | None,
    ) -> None:
        for each in range(one.bits):
            before = 1 << one.bit + each - 1 if each else 0
            self._add(head, body, one.bit + each, need | before, counts, unset, (), beside)

    def _add(
        self,
        head: int,
        body: tuple[int, ...],
        bit: int | None,
        need: int,
        counts: tuple[tuple[int, int | None], tuple[int, int | None]],
        unset: int,
        guards: tuple[Guard, ...],
        beside: int | None = None,
    ) -> None:
        add = (int(self._most is not None or self._least > 0), 0)
        settled = (unset, self._distance if unset else 0)
        self._style.em.builder.add_template(
            head,
            body,
            self._more,
            bit=bit,
            need=need,
            counts=counts,
            add=add,
            settled=settled,
            guards=guards,
            beside=beside,
        )
