"""Arrays with many `contains`: a parametric nonterminal remembers which of them have been met.

Its parameter (see ir.Template) has bits for each `contains`: the first one is set when one item has obeyed the schema,
the second one when two items have, and so on up to `minContains`. There is one template for items that count for
nothing, and one for each bit. The nonterminal is joined (ir.Parametric): an item that obeys several schemas sets a bit
for each. The automaton of contains.py has an edge for each set of schemas instead: half a million for twelve.

Strings that obey a schema are a lexeme of their own, which is read beside that of all strings (ir.Template.beside). So
masks need not follow which of the schemas a string may still obey.

The first counter of the parameter is the number of items so far, as far as it matters.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from ffgrammar.grammar.ir import ANY_COUNT
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.only_types import only_types
from ffgrammar.grammar.json_schema.emit.scalar_texts import scalar_texts
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ALL, STR
from ffgrammar.regex.expr.store import NOTHING

__all__ = ["array_that_contains", "may_be_remembered"]

# With fewer states, the automaton is small.
FEWEST_STATES = 16
# With more templates, each of which has the bits of a parameter, the automaton ends in its limit instead.
MAX_TEMPLATES = 10_000


class _Counted(NamedTuple):
    """Items that count for a `contains`.

    Attributes:
        bit, least: the number of its first bit, and how many bits it has.
        symbol: the symbol of the items.
        beside: the number of the lexeme beside which this one is read, or None.
    """

    bit: int
    least: int
    symbol: int
    beside: int | None = None


class _Place(NamedTuple):
    """What may stand at an index of an array, or at all indexes from one on.

    Attributes:
        counts: the bounds of the index.
        item: the symbol of an item that counts for nothing.
        counted: the items that count for something.
    """

    counts: tuple[int, int | None]
    item: int
    counted: list[_Counted]


def may_be_remembered(shape: Shape, items: list[Conj], most: int | None) -> bool:
    """Whether `array_that_contains` could write the arrays of a shape, and should: nothing has an upper bound.

    Args:
        shape: the shape.
        items: as in `array_that_contains`.
        most: how many items there may be; None: no bound.
    """
    if most is not None or any([one.most is not None for one in shape.contained]):
        return False
    counts = [one.least for one in shape.contained]
    if prod([1 + count for count in counts]) < FEWEST_STATES:
        return False
    return sum(counts) * (1 + _last_place(shape, items)) <= MAX_TEMPLATES


def _last_place(shape: Shape, items: list[Conj]) -> int:
    """From this index on, the index makes no difference."""
    return max(len(items) - 1, *[one.start for one in shape.contained])


def array_that_contains(style: ArrayStyle, shape: Shape, depth: int, items: list[Conj]) -> int | None:
    """The symbol of the arrays of a shape for which `may_be_remembered` holds. None if some `contains` can only be met
    by one of the first items; then an array might come to a dead end.

    Args:
        style: how the array is written.
        shape: the shape.
        depth: how deep the array is nested.
        items: what the item at each index must obey; the last conjunction is for all further items, too.

    Raises:
        LimitError: there are too many productions.
    """
    em, layout = style.em, style.layout
    bits = sum([one.least for one in shape.contained])
    last = _last_place(shape, items)
    places = [_place(style, shape, depth, items, index, last) for index in range(last + 1)]
    met = {one.bit for one in places[-1].counted}
    if any([place.item == em.never for place in places]) or len(met) < len(shape.contained):
        return None
    # (the name is for messages: such grammars cannot be written in other notations)
    name = f"array at {shape.contained[0].subschema.written_pointer()}"
    array = em.builder.parametric(bits, name, joined=True)
    more = em.builder.parametric(bits, "items", joined=True)
    # (the symbols of brackets and commas, because a template with `again` must contain a terminal)
    first, following = (style.opening, *layout.line_break), style.comma_symbols()
    for index, place in enumerate(places):
        if index == 0:
            _add_items(style, array, first, place, more)
        if index > 0 or last == 0:
            _add_items(style, more, following, place, more)
    needed = (1 << bits) - 1
    ending = [*layout.last_break, style.closing]
    em.builder.add_template(more, ending, need=needed, counts=((shape.min_items, None), ANY_COUNT))
    return array


def _place(style: ArrayStyle, shape: Shape, depth: int, items: list[Conj], index: int, last: int) -> _Place:
    """What may stand at an index. `last`: from this index on, the index makes no difference."""
    em = style.em
    conj = items[min(index, len(items) - 1)]
    strings = _strings(em, conj)
    counted: list[_Counted] = []
    bit = 0
    for one in shape.contained:
        if one.start <= index:
            both = join(conj, one.conj)
            texts = NOTHING if strings is None else scalar_texts(em, both, False, STR)
            if texts != NOTHING and not em.store.is_nothing(texts):
                lexeme = em.builder.separate(texts, "string")
                counted.append(_Counted(bit, one.least, lexeme, strings))
                if all([found.types == STR for found in em.combiner.resolved_shapes(both)]):
                    both = NEVER
                else:
                    both = only_types(em, one.subschema, "contains", both, ALL & ~STR)
            symbol = style.item(both, depth)
            if symbol != em.never:
                counted.append(_Counted(bit, one.least, symbol))
        bit += one.least
    return _Place((index, index if index < last else None), style.item(conj, depth), counted)


def _strings(em: Symbols, conj: Conj) -> int | None:
    """The number of the lexeme of all strings that obey a conjunction; None if they are not one lexeme."""
    shapes = [shape for shape in em.combiner.resolved_shapes(conj) if shape.types & STR]
    expr = em.strings.of(shapes[0]) if len(shapes) == 1 else NOTHING
    return None if expr == NOTHING else em.builder.plain(expr, "string") >> 1


def _add_items(style: ArrayStyle, head: int, before: tuple[int, ...], place: _Place, more: int) -> None:
    """Add the templates of an item at a place, for a parametric nonterminal that begins with some symbols."""
    add = style.em.builder.add_template
    counts = (place.counts, ANY_COUNT)
    add(head, (*before, place.item), more, counts=counts, add=(1, 0))
    for bit, least, symbol, beside in place.counted:
        for each in range(least):
            need = 1 << bit + each - 1 if each else 0
            body = (*before, symbol)
            add(head, body, more, bit=bit + each, need=need, counts=counts, add=(1, 0), beside=beside)
