"""What clauses imply: where `a` demands `b`, and `b` demands `c`, `a` demands `c`.

Keys that come in the schema's order are passed one after another. If `c` is passed before `b` is written, `b` can no
longer be written, so `c` must be demanded with `a`.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused
from ffgrammar.grammar.json_schema.shape.constraints import Clause

__all__ = ["Event", "Part", "always_failing", "with_implied"]

# After more steps along chains the clauses are refused.
MAX_STEPS = 200_000

# A part of a clause: a key, and what its value obeys if it is there.
Part = tuple[str, Conj]


class Event(NamedTuple):
    """A property with a value of some kind.

    Attributes:
        name: its key.
        body: its symbols.
        fails: the parts of clauses that fail where it is written.
        number: differs for each event of an object.
        beside: the number of the lexeme of all values of its kind, if its own lexeme is read only beside that one.
    """

    name: str
    body: Body
    fails: frozenset[Part]
    number: int
    beside: int | None = None

    def part(self) -> Part:
        """A part of clauses that fails where this event is written, and nowhere else."""
        return self.name, (-1 - self.number,)


def always_failing(events: list[Event]) -> dict[str, frozenset[Part]]:
    """By key: the parts of clauses that fail whatever its value is."""
    found: dict[str, frozenset[Part]] = {}
    for event in events:
        found[event.name] = found.get(event.name, event.fails) & event.fails
    return found


def with_implied(clauses: list[Clause], events: list[Event], listed: list[str]) -> list[Clause]:
    """The clauses, and those that chains of clauses with one key to meet them imply.

    Only listed keys are passed. So a clause is added only for a listed key that comes before a key in between.
    """
    always = always_failing(events)
    places = {name: place for place, name in enumerate(listed)}
    demanded: dict[str, dict[Part, list[str]]] = {}
    for clause in clauses:
        if len(clause.values) == 1 and len(clause.present) == 1:
            ((name, conj),) = clause.values
            demanded.setdefault(name, {}).setdefault((name, conj), []).append(clause.present[0])
    found = dict.fromkeys(clauses)
    steps = 0
    for name, parts in demanded.items():
        for part, names in parts.items():
            # by key that is demanded: the greatest place of the keys in between
            reached = dict.fromkeys(names, -1)
            todo = list(reached)
            while todo:
                one = todo.pop()
                between = max(reached[one], places.get(one, len(listed)))
                for other, more in demanded.get(one, {}).items():
                    steps += len(more)
                    for following in more if other in always[one] else ():
                        if reached.get(following, -2) < between:
                            reached[following] = between
                            todo.append(following)
                if steps > MAX_STEPS:
                    raise ClausesRefused
            implied = [one for one, between in reached.items() if one != name and places.get(one, between) < between]
            found.update(dict.fromkeys([Clause((one,), (part,)) for one in implied]))
    return list(found)
