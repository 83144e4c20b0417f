"""Objects whose keys may come in any order: a parametric nonterminal keeps the set of named keys that were written, and
counts. The parser meets only the sets that a text has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ffgrammar.grammar.ir import ANY_COUNT

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit import Emitter
    from ffgrammar.grammar.json_schema.objects import Body, Item

__all__ = ["unordered"]


def unordered(
    em: Emitter,
    items: Sequence[Item],
    others: Sequence[Body],
    least: int,
    most: int | None,
    hits: Sequence[Body],
    after: Sequence[Body],
) -> list[Body]:
    """Productions of the objects with these properties, least to most (None: no bound) of them.

    With `hits`, one of these must be there, and from there on only `after` stand for `others` (see objects.py). The
    first counter is the number of properties, the second that of hits.
    """
    key = ("unordered", *items, (), *others, (), *hits, (), *after, least, most)
    first = em.shared.get(key)
    if first is None:
        first = em.shared[key] = em.builder.parametric(len(items), "members")
        more = em.builder.parametric(len(items), "members")
        room = (0, None if most is None else most - 1)
        need = sum([1 << bit for bit, item in enumerate(items) if item.is_required])
        ends = ((least, None), (1, None) if hits else ANY_COUNT)
        before_hit = (0, 0) if hits else ANY_COUNT
        for symbol, comma in ((first, ()), (more, (em.comma,))):
            add = em.builder.add_template
            add(symbol, [], need=need, counts=ends)
            for bit, item in enumerate(items):
                add(symbol, [*comma, *item.body], more, bit=bit, counts=(room, ANY_COUNT), add=(1, 0))
            for body in others:
                add(symbol, [*comma, *body], more, counts=(room, before_hit), add=(1, 0))
            for body in hits:
                add(symbol, [*comma, *body], more, counts=(room, (0, 0)), add=(1, 1))
            for body in after:
                add(symbol, [*comma, *body], more, counts=(room, (1, None)), add=(1, 0))
    return [(em.left_brace, first, em.right_brace)]
