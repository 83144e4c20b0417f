"""The templates of an object with clauses, and what its parameter remembers (see clauses.py)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ffgrammar.grammar.builder import settled_distance
from ffgrammar.grammar.json_schema.emit.implied import Event, Part, always_failing
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused, Symbols
from ffgrammar.grammar.json_schema.shape.constraints import Clause

__all__ = ["ClauseMembers", "Move"]

# A parameter has at most this many bits. Where a key is written, there is a parameter for each key that may come next.
# Together they have at most this many bits, a megabyte.
MAX_BITS = 8000
MAX_BITS_NEXT = 8 << 20
# An event has at most this many templates.
MAX_MOVES = 16


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


class ClauseMembers:
    """The templates of one object.

    A key has a *place*: listed keys have their index, all other keys the number of listed keys. The end of the object
    has a greater place. At a place, all keys of lower places are passed. In any order, no key is listed.
    """

    def __init__(
        self,
        names: list[str],
        listed: list[str],
        required: list[str],
        clauses: list[Clause],
        events: list[Event],
        keeps_order: bool,
    ) -> None:
        """keeps_order: whether required keys that are not listed come in their order."""
        self.events = events
        self.required = required
        self.keeps_order = keeps_order
        self.listed = len(listed)
        self.bits = {name: bit for bit, name in enumerate(dict.fromkeys([*listed, *names]))}
        self.others_bit = len(self.bits)
        self.demands = [clause for clause in clauses if clause.present]
        # clauses that all of their parts break together, rather than one alone
        self.joint = [clause for clause in clauses if len(clause.values) > 2 - bool(clause.present)]
        self.exclusions = [clause.values for clause in clauses if len(clause.values) == 2 and not clause.present]
        first = self.others_bit + 1
        self.raised = {clause: 1 << first + i for i, clause in enumerate(self.demands)}
        first += len(self.demands)
        together = [*self.exclusions, *[clause.values for clause in self.joint]]
        parts = dict.fromkeys([part for values in together for part in values])
        self.failed = {part: 1 << first + i for i, part in enumerate(parts)}
        self.distance = settled_distance(first + len(parts))
        if 2 * self.distance > MAX_BITS or 2 * self.distance * len(events) > MAX_BITS_NEXT:
            raise ClausesRefused
        self.by_part: dict[Part, list[Clause]] = {}
        self.by_key: dict[str, list[Clause]] = {}
        self.joint_by_part: dict[Part, list[Clause]] = {}
        for clause in self.demands:
            if len(clause.values) == 1:
                self.by_part.setdefault(clause.values[0], []).append(clause)
            for name in clause.present:
                self.by_key.setdefault(name, []).append(clause)
        for clause in self.joint:
            for part in clause.values:
                self.joint_by_part.setdefault(part, []).append(clause)
        self.excluded: dict[Part, int] = {}
        for one, other in self.exclusions:
            for part, against in ((one, other), (other, one)):
                self.excluded[part] = self.excluded.get(part, 0) | self.failed[against]
        self.lasts = {clause: max(map(self.place, clause.present)) for clause in self.demands}
        self._due = self._all_due()

    def place(self, name: str) -> int:
        """The place of a key."""
        return min(self.bits[name], self.listed)

    def _all_due(self) -> list[tuple[int, int]]:
        """By place: what must be so where all keys of lower places are passed: the bits that must be set, and those
        that must be settled."""
        found = [[0, 0] for _ in range(self.listed + 2)]
        for name in self.required:
            found[self.place(name) + 1][0] |= 1 << self.bits[name]
        for clause, last in self.lasts.items():
            if clause.values:
                found[last + 1][1] |= self.raised[clause]
            else:
                found[last + 1][0] |= self.raised[clause] << self.distance
        for one, following in pairwise(found):
            following[0] |= one[0]
            following[1] |= one[1]
        return [(need, settled) for need, settled in found]

    def _backward(self, event: Event) -> list[Clause]:
        """The clauses that an event raises, and that must have been met before."""
        place = self.place(event.name)
        raised = [clause for part in event.fails for clause in self.by_part.get(part, ())]
        return [clause for clause in raised if self.lasts[clause] < place]

    def moves(self, event: Event) -> list[Move]:
        """The templates of an event: their conditions, and what they change."""
        found = [self._move(event)]
        for part in event.fails:
            for clause in self.joint_by_part.get(part, ()):
                found = [move for one in found for move in self._joint_moves(one, event, clause, part)]
                if len(found) > MAX_MOVES:
                    raise ClausesRefused
        return found

    def _joint_moves(self, move: Move, event: Event, clause: Clause, part: Part) -> list[Move]:
        """A move, for each way in which the other parts of a clause may have failed before."""
        found = []
        need = 0
        for other in clause.values:
            if other != part:
                found.append(move._replace(need=move.need | need, settled=move.settled | self.failed[other]))
                need |= self.failed[other]
        if clause.present:
            if self.lasts[clause] < self.place(event.name):
                need |= self.raised[clause] << self.distance
            found.append(move._replace(need=move.need | need, sets=move.sets | self.raised[clause]))
        return found

    def _move(self, event: Event) -> Move:
        """The conditions of an event, and what it changes, as far as other parts of clauses make no difference."""
        place, bit = self.place(event.name), self.bits[event.name]
        need, settled = self._due[place]
        sets = 0
        for clause in self._backward(event):
            need |= self.raised[clause] << self.distance
        for part in event.fails:
            sets |= self.failed.get(part, 0)
            settled |= self.excluded.get(part, 0)
            for clause in self.by_part.get(part, ()):
                sets |= self.raised[clause]
        for clause in self.by_key.get(event.name, ()):
            sets |= self.raised[clause] << self.distance
        if place < self.listed:
            # no key of a higher place was written
            settled |= (1 << self.listed) - (1 << bit + 1) | 1 << self.others_bit
        elif self.listed:
            sets |= 1 << self.others_bit
        if place == self.listed and self.keeps_order and event.name in self.required:
            # those that are required, and not listed, keep their order
            others = [name for name in self.required if self.place(name) == self.listed]
            need |= sum([1 << self.bits[name] for name in others[: others.index(event.name)]])
        return Move(bit, need, settled, sets)

    def passing(self, place: int) -> Move:
        """What a key that no clause is about asks for at a place."""
        need, settled = self._due[place]
        return Move(None, need, settled, 1 << self.others_bit if self.listed and place == self.listed else 0)

    def doubtful(self) -> list[str]:
        """Keys by which an object may reach a dead end; without any, there are no dead ends."""
        always = always_failing(self.events)
        free = {event.name for event in self.events if self._is_free(event)}
        calm = {
            event.name
            for event in self.events
            if event.fails == always[event.name] and not self._is_excluded(event) and not self._joint_limits(event)
        }
        joint = set(self.joint)
        doubtful = {name for name in self.required if name not in free}
        for clause in self.demands:
            last = [name for name in clause.present if self.place(name) == self.lasts[clause]]
            # what the only key of a clause demands in turn was met where it had to be (see implied.py)
            sole = len(clause.present) == 1 and clause not in joint
            if free.isdisjoint(last) and not (sole and calm.issuperset(clause.present)):
                doubtful.update(clause.present)
        return sorted(doubtful)

    def _is_free(self, event: Event) -> bool:
        """Whether an event can happen whatever was written before."""
        return not self._is_excluded(event) and not self._backward(event) and not self._joint_limits(event)

    def _joint_limits(self, event: Event) -> bool:
        """Whether an event may be impossible because other parts of a clause failed before."""
        place = self.place(event.name)
        clauses = [clause for part in event.fails for clause in self.joint_by_part.get(part, ())]
        return any([not clause.present or self.lasts[clause] < place for clause in clauses])

    def _is_excluded(self, event: Event) -> bool:
        return any([part in self.excluded for part in event.fails])

    def excludes(self, event: Event, other: Event) -> bool:
        """Whether two events exclude each other by one of their parts each."""
        failed = sum([self.failed.get(part, 0) for part in other.fails])
        return any([self.excluded.get(part, 0) & failed for part in event.fails])

    def write(self, em: Symbols, others: list[Body]) -> int:
        """Make the templates. Returns the symbol of the objects."""
        joined = any([event.beside is not None for event in self.events])
        first = em.builder.parametric(2 * self.distance, "object with conditions", joined=joined)
        more = em.builder.parametric(2 * self.distance, "members", joined=joined)
        add = em.builder.add_template
        end = self.passing(self.listed + 1)
        # (the braces are in the templates, because no parameter of a joined nonterminal may derive the empty text)
        for symbol, before in ((first, (em.left_brace, *em.layout.line_break)), (more, (em.comma,))):
            for event in self.events:
                body = [*before, *event.body]
                for bit, need, settled, sets in self.moves(event):
                    bounds = (settled, self.distance)
                    add(symbol, body, more, bit=bit, need=need, sets=sets, settled=bounds, beside=event.beside)
            _, need, settled, sets = self.passing(self.listed)
            for other in others:
                add(symbol, [*before, *other], more, need=need, sets=sets, settled=(settled, self.distance))
        add(more, [*em.layout.last_break, em.right_brace], need=end.need, settled=(end.settled, self.distance))
        if not end.need:
            add(first, em.layout.enclosed(em.left_brace, (), em.right_brace))
        return first
