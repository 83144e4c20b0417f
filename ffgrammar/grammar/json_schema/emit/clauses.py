"""Objects with clauses (see normalize/clauses.py): a parametric nonterminal remembers what was written.

Each named property has an *event* for each kind of value that clauses tell apart. The parameter (see ir.Template) has
these bits:

- for each key: it was written. In the schema's order, also: a key beside the listed ones was written.
- for each clause that some keys can meet: it was raised, because a key has a value that it forbids; and, a distance
  above this bit, it was met, because one of these keys was written. What is raised must be met before the end, and
  before the last key that can meet it is passed. So it is settled in the sense of templates.
- for each part of a clause by which two keys exclude each other: this part fails. The other one must not fail then.

A text must never reach a dead end. Where each clause has a key that can always be written, and that comes last among
those that meet the clause, writing all of these keys completes every object. Where this is not so, all that can be
written of the keys of such a clause is tried out (dead_ends.py). If there are dead ends, or this takes too long,
`ClausesRefused` is raised, and the schema is read again without clauses.
"""

from __future__ import annotations

from itertools import pairwise

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.dead_ends import Move, has_dead_ends
from ffgrammar.grammar.json_schema.emit.implied import Event, Part, always_failing, with_implied
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.other_keys import key_classes, key_symbols, named_key
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused, Symbols
from ffgrammar.grammar.json_schema.normalize.parts import property_conjs
from ffgrammar.grammar.json_schema.shape.constraints import Clause
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["clause_object"]

# A key whose values more conditions tell apart is refused.
MAX_SPLITS = 3
# A parameter has at most this many bits.
MAX_BITS = 8000


def clause_object(em: Symbols, shape: Shape, depth: int) -> int | None:
    """The symbol of the objects of a shape with clauses; None if there are none."""
    names = _names(shape)
    events = _events(em, shape, names, depth)
    required = dict.fromkeys(shape.required)
    found = _simplified(shape.clauses, events, required)
    if found is None:
        return None
    clauses, events = found
    if any([name not in {event.name for event in events} for name in required]):
        return None
    others: list[Body] = []
    for keys, conj in key_classes(em, shape, names, None):
        value = em.symbol(conj, depth + 1)
        if value != em.never:
            others.append((*key_symbols(em, keys, "key"), value))
    listed = [] if em.any_order else [name for name, is_listed in names.items() if is_listed]
    clauses = with_implied(clauses, events, listed)
    members = _Members(list(names), listed, list(required), clauses, events, not em.any_order)
    members.check()
    em.promised.update([event.body[-1] for event in events])
    bodies = members.write(em, others)
    return em.rule([em.layout.enclosed(em.left_brace, body, em.right_brace) for body in bodies], "object")


def _names(shape: Shape) -> dict[str, bool]:
    """The named keys in their order, and whether each is listed: some `properties` says what its values obey."""
    names = dict.fromkeys([name for group in shape.groups for name in group.named], True)
    for clause in shape.clauses:
        for name, conj in clause.values:
            if conj != NEVER:
                names[name] = True
    for name in shape.required:
        names.setdefault(name, False)
    for clause in shape.clauses:
        for name in (*clause.present, *[name for name, _ in clause.values]):
            names.setdefault(name, False)
    return names


def _events(em: Symbols, shape: Shape, names: dict[str, bool], depth: int) -> list[Event]:
    parts: dict[str, dict[Conj, None]] = {}
    for clause in shape.clauses:
        for name, conj in clause.values:
            parts.setdefault(name, {})[conj] = None
    conjs = property_conjs(shape, names, em.strings)
    events = []
    for name in names:
        tested = [conj for conj in parts.get(name, ()) if conj != NEVER]
        if len(tested) > MAX_SPLITS:
            raise ClausesRefused
        kinds: list[tuple[Conj, frozenset[Part]]] = [(conjs.get(name, ()), frozenset())]
        if NEVER in parts.get(name, ()):
            kinds = [(kinds[0][0], frozenset([(name, NEVER)]))]
        for conj in tested:
            opposite = em.negation.conj(em.subschemas.list[conj[0]], conj)
            kinds = [
                kind
                for base, fails in kinds
                for kind in ((join(base, conj), fails), (join(base, opposite), fails | {(name, conj)}))
            ]
        for conj, fails in kinds:
            value = em.never if conj == NEVER else em.symbol(conj, depth + 1)
            if value != em.never:
                events.append(Event(name, (*named_key(em, name), value), fails))
    return events


def _simplified(
    clauses: tuple[Clause, ...], events: list[Event], required: dict[str, None]
) -> tuple[list[Clause], list[Event]] | None:
    """The clauses as far as events can break them, and the events that some object has; None if there is no object.

    Adds keys to `required`.
    """
    while True:
        known = len(required)
        left = {event.name for event in events}
        failing = {part for event in events for part in event.fails}
        kept: list[Clause] = []
        never: set[Part] = set()
        for clause in clauses:
            present = tuple([name for name in clause.present if name in left])
            values = tuple([part for part in clause.values if part in failing])
            if len(values) < len(clause.values) or not required.keys().isdisjoint(present):
                continue
            forced = [part for part in values if part[0] in required and _always_fails(events, part)]
            if forced and not present:
                # the other part holds
                values = tuple([part for part in values if part not in forced])
            if not values and len(present) == 1:
                required[present[0]] = None
            elif present or len(values) > 1:
                kept.append(Clause(present, values))
            elif values:
                never.update(values)
            else:
                return None
        if not never and known == len(required):
            return kept, events
        events = [event for event in events if never.isdisjoint(event.fails)]


def _always_fails(events: list[Event], part: Part) -> bool:
    return all([part in event.fails for event in events if event.name == part[0]])


class _Members:
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
        ordered = [*listed, *[name for name in names if name not in set(listed)]]
        self.bits = {name: bit for bit, name in enumerate(ordered)}
        self.others_bit = len(ordered)
        self.demands = [clause for clause in clauses if clause.present]
        self.exclusions = [clause.values for clause in clauses if not clause.present]
        first = self.others_bit + 1
        self.raised = {clause: 1 << first + i for i, clause in enumerate(self.demands)}
        first += len(self.demands)
        parts = dict.fromkeys([part for pair in self.exclusions for part in pair])
        self.failed = {part: 1 << first + i for i, part in enumerate(parts)}
        self.distance = (first + len(parts) + 31) // 32 * 32
        if 2 * self.distance > MAX_BITS:
            raise ClausesRefused
        self.by_part: dict[Part, list[Clause]] = {}
        self.by_key: dict[str, list[Clause]] = {}
        for clause in self.demands:
            for part in clause.values:
                self.by_part.setdefault(part, []).append(clause)
            for name in clause.present:
                self.by_key.setdefault(name, []).append(clause)
        self.excluded: dict[Part, int] = {}
        for one, other in self.exclusions:
            for part, against in ((one, other), (other, one)):
                self.excluded[part] = self.excluded.get(part, 0) | self.failed[against]
        self.lasts = {clause: max(map(self.place, clause.present)) for clause in self.demands}
        self._due = self._all_due()

    def place(self, name: str) -> int:
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

    def move(self, event: Event) -> Move:
        """The conditions of an event, and what it changes."""
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

    def check(self) -> None:
        """Raise unless there are no dead ends."""
        always = always_failing(self.events)
        free = {event.name for event in self.events if self._is_free(event)}
        calm = {event.name for event in self.events if event.fails == always[event.name] and not self._is_excluded(event)}
        doubtful = {name for name in self.required if name not in free}
        for clause in self.demands:
            last = [name for name in clause.present if self.place(name) == self.lasts[clause]]
            # what the only key of a clause demands in turn was met where it had to be (see implied.py)
            if free.isdisjoint(last) and not (len(clause.present) == 1 and calm.issuperset(clause.present)):
                doubtful.update(clause.present)
        if doubtful and has_dead_ends(self, doubtful):
            raise ClausesRefused

    def _is_free(self, event: Event) -> bool:
        """Whether an event can happen whatever was written before."""
        return not self._is_excluded(event) and not self._backward(event)

    def _is_excluded(self, event: Event) -> bool:
        return any([part in self.excluded for part in event.fails])

    def write(self, em: Symbols, others: list[Body]) -> list[Body]:
        """Make the templates. Returns the bodies of the lists of properties, without braces."""
        first = em.builder.parametric(2 * self.distance, "members")
        more = em.builder.parametric(2 * self.distance, "members")
        add = em.builder.add_template
        end = self.passing(self.listed + 1)
        for symbol, comma in ((first, ()), (more, (em.comma,))):
            for event in self.events:
                bit, need, settled, sets = self.move(event)
                body = [*comma, *event.body]
                add(symbol, body, more, bit=bit, need=need, sets=sets, settled=(settled, self.distance))
            _, need, settled, sets = self.passing(self.listed)
            for other in others:
                add(symbol, [*comma, *other], more, need=need, sets=sets, settled=(settled, self.distance))
        add(more, [], need=end.need, settled=(end.settled, self.distance))
        return [(first,)] if end.need else [(first,), ()]
