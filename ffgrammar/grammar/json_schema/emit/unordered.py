"""Objects whose keys may come in any order. A parametric nonterminal keeps the set of named keys that were written, and
counts properties. The parser makes only the sets that occur in a text.

Whatever has been written, it must be possible to complete the object (see ir.GrammarIR). So optional properties have a
counter of their own: they must leave room for the required properties, and for those that meet wants (see members.py).
"""

from __future__ import annotations

from ffgrammar.grammar.ir import ANY_COUNT
from ffgrammar.grammar.json_schema.emit.members import Body, Members
from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["unordered"]


def unordered(em: Symbols, members: Members) -> list[Body]:
    """The bodies of the lists of properties, without braces; () is the empty list.

    The first counter is the number of properties. The second one is the number of properties that are not required. The
    wants that are met are not bits of the parameter (see ir.Parametric). Instead, there is a nonterminal for each set
    of such wants.
    """
    items, least, most = members.items, members.least, members.most
    missing = _missing(members)
    required = sum([is_required for _, is_required, _ in items])
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
    more = {met: em.builder.parametric(len(items), "members") for met in missing}
    need = sum([1 << bit for bit, (_, is_required, _) in enumerate(items) if is_required])
    for met, symbol, comma in [(0, first, ()), *[(met, symbol, (em.comma,)) for met, symbol in more.items()]]:
        if met == members.wanted and symbol != first:
            em.builder.add_template(symbol, [], need=need, counts=((least, None), ANY_COUNT))
        # how many optional properties there is room for, beside those that still have to meet a want
        room_here = None if room is None else room - missing[met]
        _add_items(em, members, symbol, comma, more[met], room_here)
        for meets, body in members.counted_kinds():
            after = met | meets
            if meets & met or after not in missing:
                continue
            room_after = None if room is None else room - missing[after]
            _add_optional(em, symbol, [*comma, *body], more[after], room_after)
    return [(first,), *bodies]


def _add_items(
    em: Symbols, members: Members, symbol: int, comma: tuple[int, ...], following: int, room: int | None
) -> None:
    """Add a template for each named property. `room` is how many optional properties there is room for; None: any."""
    for bit, (written, is_required, _) in enumerate(members.items):
        body = [*comma, *written]
        if is_required:
            em.builder.add_template(symbol, body, following, bit=bit, add=(1, 0))
        else:
            _add_optional(em, symbol, body, following, room, bit)


def _add_optional(
    em: Symbols, symbol: int, body: list[int], following: int, room: int | None, bit: int | None = None
) -> None:
    """Add a template for an optional property, if there is room for any. `bit` is given for a named property."""
    if room is None or room > 0:
        counts = (ANY_COUNT, (0, None if room is None else room - 1))
        em.builder.add_template(symbol, body, following, bit=bit, counts=counts, add=(1, 1))


def _missing(members: Members) -> dict[int, int]:
    """For each set of wants that are met: how many more keys it takes at least until all wants are met.

    Sets from which this is impossible are left out.
    """
    found = {members.wanted: 0}
    for met in sorted(range(members.wanted), key=int.bit_count, reverse=True):
        steps = [found[met | meets] + 1 for meets, _ in members.kinds if not meets & met and met | meets in found]
        if steps:
            found[met] = min(steps)
    return found
