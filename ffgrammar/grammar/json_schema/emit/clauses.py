"""Objects with clauses (see normalize/clauses.py): a parametric nonterminal remembers what was written.

Each named property has an *event* for each kind of value that clauses tell apart. The parameter (see ir.Template) has
these bits:

- for each key: it was written. In the schema's order, also: a key beside the listed ones was written.
- for each clause that some keys can meet: it was raised, because a key has a value that it forbids; and, a distance
  above this bit, it was met, because one of these keys was written. What is raised must be met before the end, and
  before the last key that can meet it is passed. So it is settled in the sense of templates.
- for each part of a clause by which keys exclude each other: this part fails. Some other one must not fail then.

A clause about the values of several keys is raised by the last of them. So an event may have several templates, by
which of these parts failed before.

A text must never reach a dead end. Where each clause has a key that can always be written, and that comes last among
those that meet the clause, writing all of these keys completes every object. Where this is not so, every way to write
the keys of such a clause is tried out (dead_ends.py). If there are dead ends that no further clauses exclude, or this
takes too long, `ClausesRefused` is raised, and the schema is read again without clauses.
"""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.clause_members import ClauseMembers
from ffgrammar.grammar.json_schema.emit.dead_ends import Learned, learned
from ffgrammar.grammar.json_schema.emit.implied import Event, Part, with_implied
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.only_types import only_types
from ffgrammar.grammar.json_schema.emit.other_keys import key_classes, key_filter, key_symbols, named_key
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused, Symbols
from ffgrammar.grammar.json_schema.emit.value_kinds import value_kinds
from ffgrammar.grammar.json_schema.emit.value_lexemes import are_told_by_lexemes, free_names, string_events
from ffgrammar.grammar.json_schema.normalize.parts import property_conjs
from ffgrammar.grammar.json_schema.shape.constraints import Clause
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ALL, STR

__all__ = ["clause_object"]

# The clauses are checked for dead ends at most this many times. What a check learns is added before the next one.
MAX_ROUNDS = 4
# The work of a clause, in units of `ExprStore.count_work`.
WORK = 1000


def clause_object(em: Symbols, shape: Shape, depth: int, has_lexemes: bool = True) -> int | None:
    """The symbol of the objects of a shape with clauses; None if there are none. `has_lexemes`: strings may be told
    apart by lexemes (value_lexemes.py)."""
    names = _names(shape)
    allowed = key_filter(em, shape.key_names) if shape.key_names else None
    listed = [] if em.any_order else [name for name, is_listed in names.items() if is_listed]
    free = free_names(list(shape.clauses), listed) if has_lexemes else set()
    events = _events(em, shape, [name for name in names if _matches(em, allowed, name)], depth, free)
    told_by_lexemes = [event for event in events if event.beside is not None]
    required = dict.fromkeys(shape.required)
    clauses = list(shape.clauses)
    for _ in range(MAX_ROUNDS):
        em.store.count_work(WORK * len(clauses))
        found = _simplified(clauses, events, required)
        if found is None:
            return None
        clauses, events = found
        if not {event.name for event in events}.issuperset(required):
            return None
        implied = with_implied(clauses, events, listed)
        members = ClauseMembers(list(names), listed, list(required), implied, events, not em.any_order)
        doubtful = members.doubtful()
        if told_by_lexemes:
            left = free_names(implied, listed)
            if doubtful or any([event not in events or event.name not in left for event in told_by_lexemes]):
                return clause_object(em, shape, depth, False)
        more = learned(em, members, doubtful) if doubtful else None
        if more is None:
            return _written(em, key_classes(em, shape, dict.fromkeys(names), allowed, depth), members, depth)
        known = len(clauses), len(events)
        clauses, events = _with_learned(events, clauses, more)
        if known == (len(clauses), len(events)):
            break
    raise ClausesRefused


def _with_learned(events: list[Event], clauses: list[Clause], more: Learned) -> tuple[list[Clause], list[Event]]:
    """The clauses and the events, with what was learned."""
    parts = {part for clause in more.clauses for part in clause.values}
    kept = [event for event in events if event.number not in more.never]
    kept = [event._replace(fails=event.fails | {event.part()}) if event.part() in parts else event for event in kept]
    return list(dict.fromkeys([*clauses, *more.clauses])), kept


def _matches(em: Symbols, allowed: int | None, name: str) -> bool:
    return allowed is None or em.strings.has_body(allowed, name)


def _written(em: Symbols, classes: list[tuple[int, Conj]], members: ClauseMembers, depth: int) -> int:
    """The symbol of an object that cannot reach a dead end. `classes` are the keys beside the named ones."""
    others: list[Body] = []
    for keys, conj in classes:
        value = em.symbol(conj, depth + 1)
        if value != em.never:
            others.append((*key_symbols(em, keys, "key"), value))
    em.promised.update([event.body[-1] for event in members.events])
    return members.write(em, others)


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


def _events(em: Symbols, shape: Shape, names: list[str], depth: int, free: set[str]) -> list[Event]:
    """The events of the named keys; free: the keys whose strings may be told apart by lexemes."""
    parts: dict[str, dict[Conj, None]] = {}
    for clause in shape.clauses:
        for name, conj in clause.values:
            parts.setdefault(name, {})[conj] = None
    conjs = property_conjs(shape, names, em.strings)
    events: list[Event] = []
    for name in names:
        always = frozenset([(name, NEVER)] if NEVER in parts.get(name, ()) else ())
        tested = [(name, conj) for conj in parts.get(name, ()) if conj != NEVER]
        base = conjs.get(name, ())
        if name in free and base != NEVER and are_told_by_lexemes(em, base, tested):
            subschema = em.subschemas.list[tested[0][1][0]]
            strings = only_types(em, subschema, "pattern", base, STR)
            found = string_events(em, name, named_key(em, name), strings, always, tested)
            events += [event._replace(number=len(events) + index) for index, event in enumerate(found)]
            base = only_types(em, subschema, "pattern", base, ALL & ~STR)
            surely, tested = _failing(em, base, tested)
            always |= surely
        for conj, fails in value_kinds(em, base, always, tested):
            value = em.never if conj == NEVER else em.symbol(conj, depth + 1)
            if value != em.never:
                events.append(Event(name, (*named_key(em, name), value), fails, len(events)))
    return events


def _failing(em: Symbols, base: Conj, parts: list[Part]) -> tuple[frozenset[Part], list[Part]]:
    """The parts of clauses that fail with all values that obey a conjunction, and those that may fail with some, as far
    as is cheap to see."""
    surely: list[Part] = []
    maybe: list[Part] = []
    for part in parts:
        opposite = em.negation.conj(em.subschemas.list[part[1][0]], part[1])
        if opposite != NEVER and em.combiner.resolved_shapes(join(base, opposite)):
            holds = em.combiner.resolved_shapes(join(base, part[1]))
            (maybe if holds else surely).append(part)
    return frozenset(surely), maybe


def _simplified(
    clauses: list[Clause], events: list[Event], required: dict[str, None]
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
            # what cannot hold is left out
            values = tuple([part for part in values if part[0] not in required or not _always_fails(events, part)])
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
