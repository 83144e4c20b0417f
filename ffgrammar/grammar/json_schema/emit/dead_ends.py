"""Whether an object with clauses can reach a dead end: all that can be written of a few keys is tried out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit.clauses import _Members

__all__ = ["MAX_STATES", "Move", "has_dead_ends"]

# More states count as a dead end.
MAX_STATES = 3000


class Move(NamedTuple):
    """The conditions of a template, and what it changes (see ir.Template).

    Attributes:
        bit: the bit of the key; it must not be set, and is set; None: there is none.
        need: bits that must be set.
        settled: bits that must be settled.
        sets: further bits that are set.
    """

    bit: int | None
    need: int
    settled: int
    sets: int

    def after(self, bits: int, distance: int, seen: int) -> int | None:
        """The bits after the move; None if a condition does not hold. Only the bits of `seen` count."""
        if self.bit is not None and bits >> self.bit & 1:
            return None
        if self.need & seen & ~bits or self.settled & seen & bits & ~(bits >> distance):
            return None
        return (bits | self.sets | (0 if self.bit is None else 1 << self.bit)) & seen


def has_dead_ends(members: _Members, doubtful: set[str]) -> bool:
    """Whether an object may reach a dead end by these keys, and by those that clauses connect with them."""
    names, seen = _connected(members, doubtful)
    steps = [members.move(event) for event in members.events if event.name in names]
    steps.append(members.passing(members.listed))
    # Other listed keys are written in between, and pass places. Where several follow each other, one stands for all.
    own = {members.place(name) for name in names}
    for place in {_next_other(members, own, place) for place in own} - {members.listed}:
        steps.append(members.passing(place)._replace(sets=1 << place))
        seen |= 1 << place
    end = members.passing(members.listed + 1)
    before: dict[int, set[int]] = {0: set()}
    todo = [0]
    while todo:
        bits = todo.pop()
        for step in steps:
            after = step.after(bits, members.distance, seen)
            if after is None or after == bits:
                continue
            if after not in before:
                if len(before) == MAX_STATES:
                    return True
                before[after] = set()
                todo.append(after)
            before[after].add(bits)
    alive = [bits for bits in before if end.after(bits, members.distance, seen) is not None]
    reached = set(alive)
    while alive:
        new = before[alive.pop()] - reached
        reached |= new
        alive.extend(new)
    return len(reached) < len(before)


def _next_other(members: _Members, own: set[int], place: int) -> int:
    while place in own and place < members.listed:
        place += 1
    return place


def _connected(members: _Members, doubtful: set[str]) -> tuple[set[str], int]:
    """The keys that clauses connect with some keys, and all bits that are about them."""
    names = set(doubtful)
    grown = True
    clauses = [(clause.present, clause.values) for clause in members.demands]
    clauses += [((), pair) for pair in members.exclusions]
    while grown:
        grown = False
        for present, values in clauses:
            some = {*present, *[name for name, _ in values]}
            if not names.isdisjoint(some) and not some <= names:
                names |= some
                grown = True
    seen = 1 << members.others_bit | sum([1 << members.bits[name] for name in names])
    seen |= sum([bit for clause, bit in members.raised.items() if not names.isdisjoint(clause.present)])
    seen |= sum([bit for (name, _), bit in members.failed.items() if name in names])
    return names, seen | seen << members.distance
