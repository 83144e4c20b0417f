# cython: language_level=3
"""Arrays: a fixed beginning, then items of one kind, between two counts.

Lists are left recursive, so that every length comes back to the same state. Where a count must be kept it is kept by
halves: a list of up to n items takes log(n) rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ffgrammar.grammar.json_schema.normalize.shape import NEVER, Conj, Shape, join

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["array_symbol", "item_conj"]

# A list with a bound up to this is written out item by item; longer ones by halves: smaller, but slower to parse.
FLAT = 32


def item_conj(shape: Shape, index: int) -> Conj:
    """What the item at an index must obey."""
    conj: Conj = ()
    for one in shape.items:
        conj = join(conj, one.prefix[index] if index < len(one.prefix) else one.rest)
        if conj == NEVER:
            break
    return conj


def array_symbol(em: Symbols, shape: Shape, depth: int) -> int | None:
    """The symbol of the arrays of a shape; None when there are none."""
    least, most = shape.min_items, shape.max_items
    length = max([len(one.prefix) for one in shape.items], default=0)
    if most is not None and length > most:
        length = most
    prefix: list[int] = []
    for index in range(length):
        conj = item_conj(shape, index)
        symbol = em.never if conj == NEVER else em.symbol(conj, depth + 1)
        if symbol == em.never:
            # no item can stand here, so the array ends before it
            most = index
            break
        prefix.append(symbol)
    else:
        if most is None or most > length:
            conj = item_conj(shape, length)
            rest = em.never if conj == NEVER else em.symbol(conj, depth + 1)
            if rest == em.never:
                most = length
    if most is not None and most < least:
        return None
    opening, closing, comma = em.left_bracket, em.right_bracket, em.comma
    enclosed = em.layout.enclosed
    if shape.contained:
        from ffgrammar.grammar.json_schema.emit.contains import containing

        conjs = [item_conj(shape, index) for index in range(length + 1)]
        lists = containing(em, shape, depth, conjs, most)
        return em.rule([enclosed(opening, body, closing) for body in lists], "array") if lists else None
    bodies: list[tuple[int, ...]] = []
    if least == 0:
        bodies.append(enclosed(opening, (), closing))
    # the items so far, in one production until they may end
    run: tuple[int, ...] = ()
    for count, symbol in enumerate(prefix, 1):
        run = (*run, comma, symbol) if run else (symbol,)
        if count >= least:
            run = (em.rule([run], "items"),)
            bodies.append(enclosed(opening, run, closing))
    if most is None or most > length:
        some = _list(em, rest, max(least - length, 1), None if most is None else most - length)
        bodies.append(enclosed(opening, (*run, comma, some) if run else (some,), closing))
    return em.rule(bodies, "array")


def _list(em: Symbols, item: int, least: int, most: int | None) -> int:
    """least to most items (None: no bound), least being at least 1."""
    comma = em.comma
    if most is None:
        return em.growing([(_exactly(em, item, least),)], [(comma, item)], "items")
    if most == least:
        return _exactly(em, item, least)
    if most <= FLAT:
        counts = [_exactly(em, item, least)]
        for _ in range(most - least):
            counts.append(em.rule([(counts[-1], comma, item)], "items"))
        return em.rule([(one,) for one in counts], "items")
    if least == 1:
        return _up_to(em, item, most, {1: item})
    exact = _exactly(em, item, least)
    return em.rule([(exact,), (exact, comma, _up_to(em, item, most - least, {1: item}))], "items")


def _exactly(em: Symbols, item: int, count: int) -> int:
    if count <= FLAT:
        found = item
        for _ in range(count - 1):
            found = em.rule([(found, em.comma, item)], "items")
        return found
    half = _exactly(em, item, count // 2)
    if count % 2:
        return em.rule([(half, em.comma, half, em.comma, item)], "items")
    return em.rule([(half, em.comma, half)], "items")


def _up_to(em: Symbols, item: int, most: int, made: dict[int, int]) -> int:
    """1 to most items: up to a half of them, or exactly that half and up to the other half. `made` has those known."""
    found = made.get(most)
    if found is None:
        half = (most + 1) // 2
        fewer = _up_to(em, item, half, made)
        more = (_exactly(em, item, half), em.comma, _up_to(em, item, most - half, made))
        found = made[most] = em.rule([(fewer,), more], "items")
    return found
