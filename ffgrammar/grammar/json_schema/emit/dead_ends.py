"""Whether an object with clauses can reach a dead end: every way to write a few keys is tried out.

Where it can, what all objects without dead ends have in common is learned: properties that none of them has, pairs that
none has both of, and keys that properties need. With these as clauses, there may be no dead ends any more.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.json_schema.emit.clause_members import ClauseMembers
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused, Symbols
from ffgrammar.grammar.json_schema.shape.constraints import Clause

__all__ = ["Learned", "learned"]

# With more states, or after more steps in one build, the clauses are refused.
MAX_STATES = 3000
MAX_STEPS = 1_000_000
# The work of a step, in units of `ExprStore.count_work`.
WORK = 100


class Learned(NamedTuple):
    """What follows from clauses, as far as it was found.

    Attributes:
        never: the numbers of the events that no object has.
        clauses: clauses that hold for each object.
    """

    never: set[int]
    clauses: list[Clause]


def learned(em: Symbols, members: ClauseMembers, doubtful: list[str]) -> Learned | None:
    """What follows for some keys, and for those that clauses connect with them; None if there are no dead ends there.

    Raises:
        ClausesRefused: there are too many states.
    """
    found = Learned(set(), [])
    left = dict.fromkeys(doubtful)
    fails = False
    while left:
        names, seen = _connected(members, left.popitem()[0])
        left = {name: None for name in left if name not in names}
        ends = _ends(em, members, names, seen)
        if ends is not None:
            fails = True
            _learn(members, names, ends, found)
    return found if fails else None


def _ends(em: Symbols, members: ClauseMembers, names: set[str], seen: int) -> list[int] | None:
    """The states in which an object may end, as sets of events that were written; None if an object can never reach a
    dead end by these keys alone. Only the bits of `seen` are about them."""
    first = 2 * members.distance
    steps = []
    for index, event in enumerate(members.events):
        if event.name in names:
            steps += [move._replace(sets=move.sets | 1 << first + index) for move in members.moves(event)]
    seen |= (1 << first + len(members.events)) - (1 << first)
    steps.append(members.passing(members.listed))
    # Other listed keys are written in between, and pass places. Where several follow each other, one stands for all.
    own = {members.place(name) for name in names}
    for place in sorted({_next_other(members, own, place) for place in own} - {members.listed}):
        steps.append(members.passing(place)._replace(sets=1 << place))
        seen |= 1 << place
    end = members.passing(members.listed + 1)
    before: dict[int, set[int]] = {0: set()}
    todo = [0]
    while todo:
        bits = todo.pop()
        em.store.count_work(WORK * len(steps))
        em.dead_end_steps += len(steps)
        if em.dead_end_steps > MAX_STEPS:
            raise ClausesRefused
        for step in steps:
            after = step.after(bits, members.distance, seen)
            if after is None or after == bits:
                continue
            if after not in before:
                if len(before) == MAX_STATES:
                    raise ClausesRefused
                before[after] = set()
                todo.append(after)
            before[after].add(bits)
    ends = [bits for bits in before if end.after(bits, members.distance, seen) is not None]
    alive = list(ends)
    reached = set(alive)
    while alive:
        new = before[alive.pop()] - reached
        reached |= new
        alive.extend(new)
    return None if len(reached) == len(before) else [bits >> first for bits in ends]


def _learn(members: ClauseMembers, names: set[str], ends: list[int], found: Learned) -> None:
    """Note the events that never happen, those that never happen together, and the keys that events need."""
    mine = [index for index, event in enumerate(members.events) if event.name in names]
    keys = {name: sum([1 << index for index in mine if members.events[index].name == name]) for name in sorted(names)}
    for index in mine:
        with_it = [bits for bits in ends if bits >> index & 1]
        if not with_it:
            found.never.add(members.events[index].number)
            continue
        part = members.events[index].part()
        met = 0
        for bits in with_it:
            met |= bits
        own = keys[members.events[index].name]
        apart = [other for other in mine if other > index and not (met | own) >> other & 1]
        new = [other for other in apart if not members.excludes(members.events[index], members.events[other])]
        found.clauses.extend([Clause((), (part, members.events[other].part())) for other in new])
        needed = [name for name, bits in keys.items() if bits != own and all([one & bits for one in with_it])]
        found.clauses.extend([Clause((name,), (part,)) for name in needed])


def _next_other(members: ClauseMembers, own: set[int], place: int) -> int:
    """The first place from `place` on that is not one of `own`."""
    while place in own and place < members.listed:
        place += 1
    return place


def _connected(members: ClauseMembers, name: str) -> tuple[set[str], int]:
    """The keys that clauses connect with a key, and all bits that are about them."""
    names = {name}
    grown = True
    clauses = [(clause.present, clause.values) for clause in members.demands]
    clauses += [((), values) for values in (*members.exclusions, *[clause.values for clause in members.joint])]
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
