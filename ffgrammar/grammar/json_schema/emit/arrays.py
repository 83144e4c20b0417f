# cython: language_level=3
"""Arrays: the first items have a schema each. All further items share one schema, and their number may be bounded.

Lists are left recursive, so that the parser returns to the same row after every item. A long list whose items must be
counted is built from halves: for up to n items, the number of rules grows with log(n).
"""

from __future__ import annotations

from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.normalize.parts import item_conj, prefix_length
from ffgrammar.grammar.json_schema.shape.constraints import Items
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["array_symbol"]

# A list of at most this many items is written item by item. A longer one is built from halves, which takes fewer rules
# but is slower to parse.
FLAT = 32


def array_symbol(style: ArrayStyle, shape: Shape, depth: int) -> int | None:
    """The symbol of the arrays of a shape; None when there are none."""
    em = style.em
    if shape.contained:
        shape = _without_forbidden(em, shape)
    least, most = shape.min_items, shape.max_items
    length = prefix_length(shape)
    if most is not None and length > most:
        length = most
    prefix: list[int] = []
    rest = em.never
    for index in range(length):
        symbol = style.item(item_conj(shape, index), depth)
        if symbol == em.never:
            # no item can stand here, so the array ends before it
            most = index
            break
        prefix.append(symbol)
    else:
        if most is None or most > length:
            rest = style.item(item_conj(shape, length), depth)
            if rest == em.never:
                most = length
    if most is not None and most < least:
        return None
    if shape.contained:
        # imported here, because few schemas need them
        from ffgrammar.grammar.json_schema.emit.contains_ways import containing_array

        conjs = [item_conj(shape, index) for index in range(length + 1)]
        return containing_array(style, shape, depth, conjs, most)
    bodies = [style.enclosed(())] if least == 0 else []
    # The items so far, as symbols. Once the array may end, they are replaced by one symbol, which longer arrays share.
    # (a list that grows in place: an array may have thousands of items)
    run: list[int] = []
    for count, symbol in enumerate(prefix, 1):
        if run:
            run.append(style.comma)
        run.append(symbol)
        if count >= least:
            run = [em.rule([tuple(run)], "items")]
            bodies.append(style.enclosed(tuple(run)))
    if most is None or most > length:
        some = _list(style, rest, max(least - length, 1), None if most is None else most - length)
        bodies.append(style.enclosed((*run, style.comma, some) if run else (some,)))
    return em.rule(bodies, "array")


def _without_forbidden(em: Symbols, shape: Shape) -> Shape:
    """The shape, in which `items` says what a `contains` does that no item may obey."""
    forbidden = [one for one in shape.contained if one.most == 0 and not one.start]
    if not forbidden:
        return shape
    found = shape.copy()
    found.contained = tuple([one for one in shape.contained if one not in forbidden])
    opposites = [Items((), em.negation.conj(one.subschema, one.conj)) for one in forbidden]
    found.items = (*shape.items, *opposites)
    return found


def _list(style: ArrayStyle, item: int, least: int, most: int | None) -> int:
    """least to most (None: no bound) items, where least is 1 or more."""
    em, comma = style.em, style.comma
    if most is None:
        return em.growing([(_exactly(style, item, least),)], [(comma, item)], "items")
    if most == least:
        return _exactly(style, item, least)
    if most <= FLAT:
        counts = [_exactly(style, item, least)]
        for _ in range(most - least):
            counts.append(em.rule([(counts[-1], comma, item)], "items"))
        return em.rule([(one,) for one in counts], "items")
    if least == 1:
        return _up_to(style, item, most, {1: item})
    exact = _exactly(style, item, least)
    return em.rule([(exact,), (exact, comma, _up_to(style, item, most - least, {1: item}))], "items")


def _exactly(style: ArrayStyle, item: int, count: int) -> int:
    if count <= FLAT:
        found = item
        for _ in range(count - 1):
            found = style.em.rule([(found, style.comma, item)], "items")
        return found
    half = _exactly(style, item, count // 2)
    if count % 2:
        return style.em.rule([(half, style.comma, half, style.comma, item)], "items")
    return style.em.rule([(half, style.comma, half)], "items")


def _up_to(style: ArrayStyle, item: int, most: int, made: dict[int, int]) -> int:
    """1 to `most` items: up to half of `most`; or exactly half of `most`, and then 1 or more, up to the other half.

    `made` has the symbols that were made before, by `most`.
    """
    found = made.get(most)
    if found is None:
        half = (most + 1) // 2
        fewer = _up_to(style, item, half, made)
        more = (_exactly(style, item, half), style.comma, _up_to(style, item, most - half, made))
        found = made[most] = style.em.rule([(fewer,), more], "items")
    return found
