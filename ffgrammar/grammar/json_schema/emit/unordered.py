"""Objects whose keys may come in any order: a parametric nonterminal keeps the set of named keys that were written, and
counts. The parser meets only the sets that a text has.

An object must be able to end from everywhere (see ir.GrammarIR), so what is optional is counted on its own: it may take
no place that something still to come needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ffgrammar.grammar.ir import ANY_COUNT

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit.objects import Body, Members
    from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["unordered"]


def unordered(em: Symbols, members: Members) -> list[Body]:
    """Bodies of the member lists, without braces; () is the empty list.

    The first counter is the number of properties, the second that of those that are not required. The wanted keys that
    came are no bits, but a nonterminal for each set of them.
    """
    items, least, most = members.items, members.least, members.most
    missing = _missing(members)
    required = sum([item.is_required for item in items])
    # how many optional properties there may be
    room = None if most is None else most - required
    if 0 not in missing or (room is not None and room < missing[0]):
        return []
    key = ("unordered", *items, (), *members.others, (), *members.kinds, members.wanted, least, most)
    bodies: list[Body] = [()] if not members.wanted and not least and not required else []
    first = em.shared.get(key)
    if first is not None:
        return [(first,), *bodies]
    if not items and not members.others and not members.kinds:
        return bodies
    first = em.shared[key] = em.builder.parametric(len(items), "members")
    more = {came: em.builder.parametric(len(items), "members") for came in missing}
    need = sum([1 << bit for bit, item in enumerate(items) if item.is_required])
    add = em.builder.add_template
    for came, symbol, comma in [(0, first, ()), *[(came, symbol, (em.comma,)) for came, symbol in more.items()]]:
        if came == members.wanted and symbol != first:
            add(symbol, [], need=need, counts=((least, None), ANY_COUNT))
        for bit, item in enumerate(items):
            if item.is_required:
                add(symbol, [*comma, *item.body], more[came], bit=bit, add=(1, 0))
            elif room is None or room > missing[came]:
                most_before = None if room is None else room - missing[came] - 1
                counts = (ANY_COUNT, (0, most_before))
                add(symbol, [*comma, *item.body], more[came], bit=bit, counts=counts, add=(1, 1))
        for comes, body in [*[(0, body) for body in members.others], *members.kinds]:
            after = came | comes
            if comes & came or after not in missing or (room is not None and room <= missing[after]):
                continue
            most_before = None if room is None else room - missing[after] - 1
            add(symbol, [*comma, *body], more[after], counts=(ANY_COUNT, (0, most_before)), add=(1, 1))
    return [(first,), *bodies]


def _missing(members: Members) -> dict[int, int]:
    """For each set of wanted keys that came: how many more keys it takes at least until all are there."""
    found = {members.wanted: 0}
    for came in sorted(range(members.wanted), key=int.bit_count, reverse=True):
        steps = [found[came | comes] + 1 for comes, _ in members.kinds if not comes & came and came | comes in found]
        if steps:
            found[came] = min(steps)
    return found
