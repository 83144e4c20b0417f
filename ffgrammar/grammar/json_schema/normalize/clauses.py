"""Many small choices about the keys of objects, as clauses.

n conditions of the kind "if key `a` is there, key `b` must be there", each on keys of its own, have 2 ** n products.
All of these differ, so they are not multiplied out. Each condition becomes *clauses*: a clause holds if one of some
keys is there, or if some other key is absent or has a value of a kind. `if`, `dependentRequired`, `not`, `oneOf` and
the rest are read alike: they are choices between conjunctions, and what a conjunction says is read as clauses again.

emit/clauses.py says what the parser of an object remembers of clauses. (400 conditions compile in 0.1 s.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.contents import SILENT
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.negation import Negation
from ffgrammar.grammar.json_schema.normalize.parts import has_only_keys, is_absent
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.shape.choices import Choice
from ffgrammar.grammar.json_schema.shape.constraints import Clause, Group
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import OBJ
from ffgrammar.grammar.json_schema.spec.internal_keywords import SOME_OF

__all__ = ["Clauses"]

# A choice that takes more clauses, or whose parts are choices in more levels, is multiplied out.
MAX_CLAUSES = 24
MAX_LEVELS = 4
# Words that say nothing of values that are no objects.
_OBJECT_WORDS = SILENT | {
    *("properties", "patternProperties", "additionalProperties", "propertyNames", "required"),
    *("minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas"),
}
# A clause is about the values of at most this many keys.
MAX_VALUES = 4


class Clauses:
    """The clauses of choices in one build.

    Args:
        reader: applies keywords.
        negation: the opposites of schemas.
    """

    def __init__(self, reader: Reader, negation: Negation) -> None:
        self._reader = reader
        self._subschemas = negation.subschemas
        self._strings = negation.strings
        self._negation = negation
        self._known: dict[Any, list[Clause] | None] = {}
        self._some_of: dict[tuple[Conj, ...], Conj] = {}

    def of(self, choice: Choice) -> list[Clause] | None:
        """What a choice says of objects; None if it cannot be said with clauses that emit/clauses.py can write."""
        # (with owners, what is evaluated counts; a choice on one key was merged from many)
        if choice.path[2] or choice.key is not None:
            return None
        key = (choice.path[0], *choice.options)
        if key not in self._known:
            found = self._of_choice(choice, 0)
            self._known[key] = found if found is not None and all(map(_is_plain, found)) else None
        return self._known[key]

    def binds_others(self, choice: Choice) -> bool:
        """Whether a choice may say something of values that are no objects."""
        words = [
            [self._subschemas.list[at].keywords() if at else {"not": {}} for at in option] for option in choice.options
        ]
        return not any([all(map(_OBJECT_WORDS.issuperset, keywords)) for keywords in words])

    def apply(self, choices: list[Choice], shape: Shape) -> bool:
        """Add to a shape of objects what choices say of objects. Returns whether there may be such objects."""
        clauses = self._open(choices, shape)
        if Clause((), ()) in clauses:
            return False
        # what is said of one key alone is said as usual
        sole = [clause.values[0] for clause in clauses if not clause.present and len(clause.values) == 1]
        shape.groups = (*shape.groups, *[Group({name: conj}, (), ()) for name, conj in sole])
        shape.require([clause.present[0] for clause in clauses if not clause.values and len(clause.present) == 1])
        shape.clauses = tuple([clause for clause in clauses if len(clause.present) + len(clause.values) > 1])
        return True

    def _open(self, choices: list[Choice], shape: Shape) -> list[Clause]:
        """The clauses of choices, as far as a shape leaves them open."""
        missing: dict[str, bool] = {}
        found: dict[Clause, None] = {}
        required = set(shape.required)
        for choice in choices:
            for clause in self.of(choice) or ():
                names = (*clause.present, *[name for name, _ in clause.values])
                missing.update([(name, is_absent(shape, self._strings, name)) for name in names if name not in missing])
                if required.isdisjoint(clause.present) and not any([missing[name] for name, _ in clause.values]):
                    found[Clause(tuple([name for name in clause.present if not missing[name]]), clause.values)] = None
        return list(found)

    def _of_choice(self, choice: Choice, level: int) -> list[Clause] | None:
        if level > MAX_LEVELS or choice.path[2]:
            return None
        if choice.condition is None:
            return self._either(choice.options, self._subschemas.list[choice.path[0]], level)
        when, then, otherwise = choice.condition
        subschema = self._subschemas.list[choice.path[0]]
        found: list[Clause] = []
        for one, other in ((self._negation.conj(subschema, when), then), (when, otherwise)):
            clauses = self._either([one, other], subschema, level) if other else []
            if clauses is None:
                return None
            found += clauses
        return found

    def _either(self, options: Iterable[Conj], subschema: Subschema, level: int) -> list[Clause] | None:
        """The clauses that hold where at least one of several conjunctions holds."""
        found = [Clause((), ())]
        for option in options:
            clauses = self._of_conj(option, level + 1)
            if clauses is None:
                return None
            joined = [self._joined(subschema, one, other) for one in found for other in clauses]
            found = _weakest([one for one in joined if one is not None])
            if len(found) > MAX_CLAUSES:
                return None
        return found

    def _joined(self, subschema: Subschema, one: Clause, other: Clause) -> Clause | None:
        """The clause that holds where one of two holds; None if it always does."""
        present = tuple(dict.fromkeys((*one.present, *other.present)))
        values = dict(one.values)
        for name, conj in other.values:
            known = values.get(name, NEVER)
            # (a key that is absent or has no value is absent)
            if known == NEVER:
                values[name] = conj
            elif conj not in (NEVER, known):
                values[name] = self._some(subschema, known, conj)
        return Clause(present, tuple(values.items())) if values.keys().isdisjoint(present) else None

    def _some(self, subschema: Subschema, *options: Conj) -> Conj:
        if options not in self._some_of:
            self._some_of[options] = self._subschemas.synthesized(subschema, {SOME_OF: list(options)}, "anyOf")
        return self._some_of[options]

    def _of_conj(self, conj: Conj, level: int) -> list[Clause] | None:
        if conj == NEVER:
            return [Clause((), ())]
        shape = Shape()
        shape.types = OBJ
        choices: list[Choice] = []
        self._reader.apply(shape, conj, (), choices)
        if not shape.types:
            return [Clause((), ())]
        if (
            not has_only_keys(shape)
            or shape.key_names
            or any([group.patterns or group.additional for group in shape.groups])
        ):
            return None
        found = [Clause((name,), ()) for name in shape.required]
        found += [Clause((), ((name, one),)) for group in shape.groups for name, one in group.named.items() if one]
        for choice in choices:
            clauses = self._of_choice(choice, level)
            if clauses is None:
                return None
            found += clauses
        return found if len(found) <= MAX_CLAUSES else None


def _weakest(clauses: list[Clause]) -> list[Clause]:
    """The clauses, without those that others imply."""
    found: list[tuple[set[Any], Clause]] = []
    for clause in sorted(dict.fromkeys(clauses), key=lambda one: len(one.present) + len(one.values)):
        parts = {*clause.present, *clause.values}
        if not any([less <= parts for less, _ in found]):
            found.append((parts, clause))
    return [clause for _, clause in found]


def _is_plain(clause: Clause) -> bool:
    """Whether emit/clauses.py can write a clause."""
    return len(clause.values) <= MAX_VALUES and bool(clause.present or clause.values)
