# cython: language_level=3
"""Conjunctions of schemas as lists of shapes: alternatives are multiplied out, and those without a value are dropped.

An alternative whose types are all ruled out is dropped at once. So most products collapse: if A allows only strings and
B allows only objects, `{"type": "object", "anyOf": [A, B]}` has only one shape.

The difficulty is the cost: n choices between two alternatives have 2 ** n products. So the choice with the fewest
alternatives is made first. An alternative is not tried if earlier choices exclude it. The alternatives that are tried
count against `Limits.alternatives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ffgrammar.core.limits import Limits
from ffgrammar.core.turn import turn
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, as_bits
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.conditions import FEW, Conditions
from ffgrammar.grammar.json_schema.normalize.context import Context
from ffgrammar.grammar.json_schema.normalize.contradictions import PRUNING_LEVELS, Contradictions
from ffgrammar.grammar.json_schema.normalize.one_of import too_many
from ffgrammar.grammar.json_schema.normalize.parts import has_only_keys, is_absent, property_conj
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.normalize.settle import settle
from ffgrammar.grammar.json_schema.normalize.string_choices import Said, alternatives, string_choices
from ffgrammar.grammar.json_schema.normalize.unevaluated import finish
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.scalars import merged, scalars
from ffgrammar.grammar.json_schema.shape.shape import NOTHING_CHECKED, Shape
from ffgrammar.grammar.json_schema.shape.types import ALL, OBJ, STR
from ffgrammar.grammar.json_schema.spec.internal_keywords import SOME_OF

__all__ = ["Combiner"]

# The groups (see shape/constraints.py) and the open choices of an alternative are counted together. Its cost grows by
# one for every MANY of them.
MANY = 256
# `Limits.alternatives` bounds the cost of one conjunction. All conjunctions of a schema together may cost this many
# times as much; each that has several subschemas costs one.
TOTAL = 5

# The work of an alternative that is looked at, in units of `ExprStore.count_work`.
WORK = 1000
# The work of a look at a choice that may be merged.
MERGE_WORK = 40
# All alternatives that are looked at may be this many times as many, with those that are excluded at once.
EXCLUDED = 3

# A choice with more alternatives is not looked at before it is made.
FEW_OPTIONS = 8
# At least this many choices about the keys of objects are not multiplied out (see clauses.py).
DEFERRED = 8
# A conjunction to apply to a shape, and its path.
_Step = tuple[Conj, EvaluationPath]


class _Alternative:
    """An alternative that is being worked out.

    Attributes:
        shape: the shape so far.
        steps: what to apply to it.
        choices: the choices still to be made.
        is_one_of_several: whether the choice that it comes from had other alternatives.
        split: the keys for which a merged choice was made.
        read: the subschemas that were applied, as bits.
    """

    shape: Shape
    steps: Sequence[_Step]
    choices: list[Choice]
    is_one_of_several: bool
    split: tuple[str, ...]
    read: int


def _alternative(
    shape: Shape,
    steps: Sequence[_Step],
    choices: list[Choice],
    is_one_of_several: bool,
    split: tuple[str, ...],
    read: int,
) -> _Alternative:
    # (This is a C function. An `__init__` would be called as in Python, which takes longer.)
    made: _Alternative = _Alternative.__new__(_Alternative)
    made.shape = shape
    made.steps = steps
    made.choices = choices
    made.is_one_of_several = is_one_of_several
    made.split = split
    made.read = read
    return made


class Combiner(Contradictions):
    """Shapes of conjunctions, each worked out once."""

    def __init__(
        self,
        reader: Reader,
        context: Context,
        multiples: Multiples,
        limits: Limits,
        plain_integers: bool,
        defers: bool,
    ) -> None:
        """defers: whether choices may become clauses, and keys may be told apart as they are read. Both rely on symbols
        that must derive something (`Symbols.promised`)."""
        super().__init__(reader, context, multiples, plain_integers)
        self._negation = context.negation
        self._one_ofs = context.one_ofs
        self._limits = limits
        self._shapes: dict[Conj, list[Shape]] = {}
        self._types: dict[Conj, int] = {}
        # the cost of all alternatives so far
        self._cost = 0
        # what options say of strings
        self._said: dict[tuple[Conj, ...], Said | None] = {}
        # how many alternatives were looked at, also those that were excluded at once
        self._steps = 0
        self._conditions = Conditions(context.subschemas, context.negation)
        self.defers = defers
        self._clauses: Any = None
        self._made_choices: dict[tuple[Any, ...], Conj] = {}
        self._conj_bits: dict[Conj, int] = {}
        # (Copying a shape takes a fifth of the time of making one.)
        self._blank = Shape()

    def shapes(self, conj: Conj) -> list[Shape]:
        """The shapes of a conjunction: a value that obeys the conjunction has one of them.

        If no value obeys it, and this is easy to see, there are no shapes. A `oneOf` may still be taken for an `anyOf`
        (see one_of.py).
        """
        found = self._shapes.get(conj)
        if found is None:
            # Schemas that refer to themselves in several ways may have very many conjunctions.
            self._cost += len(conj) > 1
            found = self._multiply(conj)
            if len(found) > 2:
                found = merged(found)
            self._shapes[conj] = found
            if not len(self._shapes) % 256:
                turn()
        return found

    def resolved_shapes(self, conj: Conj) -> list[Shape]:
        """The shapes of a conjunction in which the branches of every `oneOf` have been told apart (see one_of.py)."""
        found = self.shapes(conj)
        while self._one_ofs.has_unchecked():
            if self._one_ofs.check(self):
                # shapes that were made of branches that overlap are wrong
                self._shapes.clear()
                self._said.clear()
                self._impossible.clear()
                self._clauses = None
            found = self.shapes(conj)
        return found

    def _multiply(self, conj: Conj) -> list[Shape]:
        self._level += 1
        try:
            if self._cost > TOTAL * self._limits.alternatives:
                raise too_many(self._limits, self._subschemas.list[conj[-1] if conj else 0])
            return self._product(conj)
        finally:
            self._level -= 1

    def _product(self, conj: Conj) -> list[Shape]:
        done: list[Shape] = []
        todo = [_alternative(self._blank.copy(), ((conj, ()),), [], False, (), 0)]
        # the cost of the alternatives so far
        made = 0
        while todo:
            one = todo.pop()
            before = len(one.choices)
            if not self._apply(one):
                continue
            if one.is_one_of_several or made:
                made += self._narrow(one)
            if not one.shape.types:
                continue
            if len(one.choices) > before and (len(one.choices) >= FEW or self._conditions.has_chain(one.choices)):
                self._merge(one)
            if not one.choices:
                if self._is_possible(one.shape):
                    done.append(one.shape)
                continue
            if len(one.choices) >= FEW and self._split_strings(one, todo):
                continue
            left = self._not_deferred(one)
            if left:
                todo.extend(self._alternatives(one, left, made))
                continue
            if one.shape.types != OBJ:
                todo.append(self._without_objects(one))
            made += self._count(1 + len(one.choices) // FEW_OPTIONS)
            one.shape.types = OBJ
            if self._clauses.apply(one.choices, one.shape) and self._is_possible(one.shape):
                done.append(one.shape)
        return done

    # The steps of a product

    def _apply(self, one: _Alternative) -> bool:
        """Apply the steps of an alternative to its shape. Returns False if they apply what is said not to hold."""
        for conj, path in one.steps:
            self._steps += bool(path)
            self._strings.store.count_work(WORK)
            one.read |= as_bits(self._reader.apply(one.shape, conj, path, one.choices))
        return not self._is_refuted(one.choices, one.read)

    def _narrow(self, one: _Alternative) -> int:
        """Drop the types of an alternative that have no value, and the choices that need not be made. Returns the
        cost of the alternative."""
        shape = one.shape
        shape.types = self._possible_types(shape)
        if one.is_one_of_several and shape.types:
            one.choices = self._open_choices(shape, one.choices)
        # a shape with many parts costs more, even while choices are still to be made
        return self._count(one.is_one_of_several + (len(one.choices) + len(shape.groups)) // MANY)

    def _merge(self, one: _Alternative) -> None:
        """Merge the choices of an alternative that are about one key."""
        choices = one.choices if one.is_one_of_several else self._open_choices(one.shape, one.choices)
        absent = partial(is_absent, one.shape, self._strings)
        self._strings.store.count_work(MERGE_WORK * len(choices))
        one.choices = self._conditions.merged(choices, one.split, absent)

    def _split_strings(self, one: _Alternative, todo: list[_Alternative]) -> bool:
        """Split an alternative into some for strings and one for other types, and add them to `todo`. Returns False if
        there are too few choices for which this pays."""
        shape = one.shape
        found = string_choices(one.choices, self._subschemas, self._strings, self.shapes, self._said)
        others = shape.types & ~STR
        free = [choice for choice, said in found if not others & ~said.free_types]
        if not (found if shape.types & STR else free):
            return False
        if others:
            rest = shape.copy()
            rest.types = others
            left = _without(one.choices, free)
            todo.append(_alternative(rest, (), left, one.is_one_of_several, one.split, one.read))
        if not shape.types & STR:
            return True
        shape.types = STR
        left = _without(one.choices, [choice for choice, _ in found])
        for bodies, lengths in alternatives(shape, [said for _, said in found]):
            self._count(max(1, len(lengths)))
            matching = shape.copy()
            matching.patterns = tuple(dict.fromkeys((*shape.patterns, *bodies)))
            for low, high in lengths:
                ranged = matching.copy()
                ranged.min_length, ranged.max_length = low, high
                todo.append(_alternative(ranged, (), [*left], one.is_one_of_several, one.split, one.read))
        return True

    def _is_possible(self, shape: Shape) -> bool:
        """Whether a shape for which all choices are made may have a value. It is finished then."""
        if shape.pending:
            finish(shape, self._strings, self._some_of, self._negation.conj)
        shape.checked = NOTHING_CHECKED
        shape.checked_items = ()
        return settle(shape, self._strings)

    def _not_deferred(self, one: _Alternative) -> list[Choice]:
        """The choices of an alternative that are multiplied out; none if all of them become clauses."""
        shape, choices = one.shape, one.choices
        if len(choices) < DEFERRED or not self.defers or not shape.types & OBJ or not has_only_keys(shape):
            return choices
        if self._clauses is None:
            # (Few schemas need this.)
            from ffgrammar.grammar.json_schema.normalize.clauses import Clauses

            self._clauses = Clauses(self._reader, self._negation)
        left = [choice for choice in choices if self._clauses.of(choice) is None]
        return choices if len(choices) - len(left) < DEFERRED else left

    def _without_objects(self, one: _Alternative) -> _Alternative:
        """An alternative whose choices become clauses, which are about objects: what is left of it for other types."""
        other = one.shape.copy()
        other.types &= ~OBJ
        binding = [choice for choice in one.choices if self._clauses.binds_others(choice)]
        return _alternative(other, (), binding, False, one.split, one.read)

    def _alternatives(self, one: _Alternative, choices: list[Choice], made: int) -> list[_Alternative]:
        """The alternatives that one of several choices leaves of an alternative."""
        # the choice with the fewest alternatives is made first: its outcome rules out alternatives of other choices
        choice = min(choices, key=_breadth)
        most = self._limits.alternatives
        if made > most or self._cost > TOTAL * most or self._steps > EXCLUDED * TOTAL * most:
            raise too_many(self._limits, self._subschemas.list[choice.path[0]])
        shape = one.shape
        types = shape.types
        rest = [other for other in one.choices if other is not choice]
        options = choice.options if choice.key is None else self._options_on_key(shape, choice)
        if one.read and not choice.path[2] and self._is_met(options, one.read):
            return [_alternative(shape, (), rest, False, one.split, one.read)]
        possible = [option for option in reversed(options) if types & self._types_of(option)]
        forced: list[_Step] = []
        if len(possible) == 1:
            forced, rest = self._forced(types, rest)
        if made and len(possible) == 2 and self._excludes(shape, possible[1]):
            # in a long chain of `if` and `else`, only one condition holds, so most conditions are excluded here
            possible.pop()
        split = one.split if choice.key is None else (*one.split, choice.key)
        several = len(possible) > 1
        found: list[_Alternative] = []
        for option in possible:
            steps = ((option, choice.path), *forced)
            found.append(_alternative(shape.copy(), steps, list(rest), several, split, one.read))
            if not len(found) % 256:
                turn()
        return found

    def _count(self, cost: int) -> int:
        """Count the cost of an alternative, and return it."""
        self._cost += cost
        return cost

    def _forced(self, types: int, choices: list[Choice]) -> tuple[list[_Step], list[Choice]]:
        """The only alternatives of those choices that have one left for some types, and the other choices.

        (If each were made by itself, n of them would be looked through n times.)
        """
        forced: list[_Step] = []
        others = []
        for choice in choices:
            if choice.key is None and len(choice.options) <= FEW_OPTIONS:
                left = [option for option in choice.options if types & self._types_of(option)]
                if len(left) == 1:
                    forced.append((left[0], choice.path))
                    continue
            others.append(choice)
        return forced, others

    def _is_refuted(self, choices: list[Choice], read: int) -> bool:
        """Whether a choice says that a conjunction does not hold whose subschemas were all applied."""
        for choice in choices:
            if choice.unless:
                bits = self._bits(choice.unless)
                if bits & read == bits:
                    return True
        return False

    def _is_met(self, options: list[Conj], read: int) -> bool:
        """Whether all subschemas of an alternative were applied already."""
        for conj in options:
            bits = self._bits(conj)
            if bits & read == bits:
                return True
        return False

    def _bits(self, conj: Conj) -> int:
        bits = self._conj_bits.get(conj)
        if bits is None:
            bits = self._conj_bits[conj] = as_bits(conj)
        return bits

    def _options_on_key(self, shape: Shape, choice: Choice) -> list[Conj]:
        """The alternatives of a merged choice, without those for scalars that are no value of the key in the shape."""
        options, values = choice.options, choice.values
        if choice.key is None or values is None or self._level > PRUNING_LEVELS:
            return options
        listed = scalars(self.shapes(property_conj(shape, choice.key, self._strings)))
        if listed is None:
            return options
        kept = [option for option, some in zip(options, values, strict=False) if not listed.isdisjoint(some)]
        others = options[len(values) :] if listed.difference(*values) else options[len(values) + 1 :]
        return kept + others

    def _types_of(self, conj: Conj) -> int:
        """The types that a conjunction allows, as far as its own `type` keywords say."""
        found = self._types.get(conj)
        if found is None:
            found = ALL
            for at in conj:
                found &= self._reader.types_of(at)
            self._types[conj] = found
        return found

    def _open_choices(self, shape: Shape, choices: list[Choice]) -> list[Choice]:
        """The choices that a shape leaves open.

        A choice that says the opposite of a conjunction is not open if the shape excludes this conjunction already.
        """
        return [one for one in choices if one.unless is None or not self._excludes(shape, one.unless)]

    def _some_of(self, subschema: Subschema, options: list[Conj]) -> Conj:
        """A conjunction that says that at least one of several conjunctions holds."""
        if () in options:
            return ()
        key = (id(subschema), *options)
        found = self._made_choices.get(key)
        if found is None:
            found = self._made_choices[key] = self._subschemas.synthesized(subschema, {SOME_OF: options}, "contains")
        return found


def _without(choices: list[Choice], some: list[Choice]) -> list[Choice]:
    """The choices that are not among some of them. (To compare each with each would take long where there are many.)"""
    numbers = {id(choice) for choice in some}
    return [choice for choice in choices if id(choice) not in numbers]


def _breadth(choice: Choice) -> int:
    return len(choice.options)
