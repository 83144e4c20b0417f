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

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, as_bits, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.conditions import FEW, Conditions
from ffgrammar.grammar.json_schema.normalize.context import Context
from ffgrammar.grammar.json_schema.normalize.one_of import too_many
from ffgrammar.grammar.json_schema.normalize.parts import (
    has_only_keys,
    item_conj,
    property_conj,
    property_conjs,
    touched,
)
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.normalize.settle import has_no_range, settle
from ffgrammar.grammar.json_schema.normalize.unevaluated import finish
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.constraints import Clause, Group
from ffgrammar.grammar.json_schema.shape.scalars import merged, scalars
from ffgrammar.grammar.json_schema.shape.shape import NOTHING_CHECKED, Shape
from ffgrammar.grammar.json_schema.shape.types import ALL, ARR, NUM, OBJ, STR
from ffgrammar.grammar.json_schema.spec.internal_keywords import SOME_OF

__all__ = ["Combiner"]

# A shape that is not finished is searched for contradictions only if at most this many products are being worked out,
# one inside of another.
PRUNING_LEVELS = 2
# The conjunction of a property is examined as a whole if it has at most this many subschemas. In a larger one, pairs of
# subschemas are examined.
FEW_PARTS = 6
# What more new required keys obey is looked up for all of them at once.
FEW_NAMES = 4
# How many items of an array are examined.
FEW_ITEMS = 8
# The groups (see shape/constraints.py) and the open choices of an alternative are counted together. Its cost grows by
# one for every MANY of them.
MANY = 256
# `Limits.alternatives` bounds the cost of one conjunction. All conjunctions of a schema together may cost this many
# times as much; each that has several subschemas costs one.
TOTAL = 5

# The work of an alternative that is looked at, in units of `ExprStore.count_work`.
WORK = 3000
# All alternatives that are looked at may be this many times as many, with those that are excluded at once.
EXCLUDED = 3

# A choice with more alternatives is not looked at before it is made.
FEW_OPTIONS = 8
# At least this many choices about the keys of objects are not multiplied out (see clauses.py).
DEFERRED = 8
# A conjunction to apply to a shape, and its path.
_Step = tuple[Conj, EvaluationPath]
# The shape so far, what to apply to it, its path, what else to apply, the choices still to be made, whether this is one
# of several options, the keys for which a merged choice was made, and the subschemas that were applied, as bits.
_Todo = tuple[Shape, Conj, EvaluationPath, Sequence[_Step], list[Choice], bool, tuple[str, ...], int]


class Combiner:
    """Shapes of conjunctions, each worked out once.

    Attributes:
        plain_integers: whether an integer has neither fraction nor exponent.
    """

    def __init__(
        self,
        reader: Reader,
        context: Context,
        multiples: Multiples,
        limits: Limits,
        plain_integers: bool,
        defers: bool,
    ) -> None:
        """defers: whether choices may become clauses."""
        self.plain_integers = plain_integers
        self._reader = reader
        self._subschemas = context.subschemas
        self._strings = context.strings
        self._negation = context.negation
        self._one_ofs = context.one_ofs
        self._multiples = multiples
        self._limits = limits
        self._shapes: dict[Conj, list[Shape]] = {}
        # how many products are being worked out, one inside of another
        self._level = 0
        self._impossible: dict[tuple[Conj, int], bool] = {}
        self._types: dict[Conj, int] = {}
        # the cost of all alternatives so far
        self._cost = 0
        # how many alternatives were looked at, also those that were excluded at once
        self._steps = 0
        self._conditions = Conditions(context.subschemas, context.negation)
        self._defers = defers
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
        return found

    def resolved_shapes(self, conj: Conj) -> list[Shape]:
        """The shapes of a conjunction in which the branches of every `oneOf` have been told apart (see one_of.py)."""
        found = self.shapes(conj)
        while self._one_ofs.has_unchecked():
            if self._one_ofs.check(self.shapes, self.impossible):
                # shapes that were made of branches that overlap are wrong
                self._shapes.clear()
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
        todo: list[_Todo] = [(self._blank.copy(), conj, (), (), [], False, (), 0)]
        made = 0
        while todo:
            shape, more, path, forced, choices, is_one_of, split, read = todo.pop()
            self._steps += bool(path)
            self._strings.store.count_work(WORK)
            before = len(choices)
            read |= as_bits(self._reader.apply(shape, more, path, choices))
            if forced:
                read |= self._apply_all(shape, forced, choices)
            if self._is_refuted(choices, read):
                # what was applied is said not to hold
                continue
            grown = len(choices) > before
            if is_one_of or made:
                shape.types = self._possible_types(shape)
                if is_one_of and shape.types:
                    choices = self._open_choices(shape, choices)
                # a shape with many parts costs more, even while choices are still to be made
                cost = is_one_of + (len(choices) + len(shape.groups)) // MANY
                made += cost
                self._cost += cost
            if not shape.types:
                continue
            if grown and len(choices) >= FEW:
                choices = choices if is_one_of else self._open_choices(shape, choices)
                choices = self._conditions.merged(choices, split, partial(self._is_absent, shape))
            if not choices:
                if shape.pending:
                    finish(shape, self._strings, self._some_of, self._negation.conj)
                if settle(shape, self._strings):
                    shape.checked = NOTHING_CHECKED
                    shape.checked_items = ()
                    done.append(shape)
                continue
            left = choices
            if len(choices) >= DEFERRED and self._defers and shape.types & OBJ and has_only_keys(shape):
                left = self._not_deferred(shape, choices)
                if not left:
                    if shape.types != OBJ:
                        other = shape.copy()
                        other.types &= ~OBJ
                        binding = [choice for choice in choices if self._clauses.binds_others(choice)]
                        todo.append((other, (), (), (), binding, False, split, read))
                    cost = 1 + len(choices) // FEW_OPTIONS
                    made += cost
                    self._cost += cost
                    done.extend(self._with_clauses(shape, choices))
                    continue
            # the choice with the fewest alternatives is made first: its outcome rules out alternatives of other choices
            choice = min(left, key=_breadth)
            path = choice.path
            most = self._limits.alternatives
            if made > most or self._cost > TOTAL * most or self._steps > EXCLUDED * TOTAL * most:
                raise too_many(self._limits, self._subschemas.list[path[0]])
            types = shape.types
            rest = [other for other in choices if other is not choice]
            options = choice.options if choice.key is None else self._options_on_key(shape, choice)
            possible = [option for option in reversed(options) if types & self._types_of(option)]
            forced = ()
            if len(possible) == 1:
                forced, rest = self._forced(types, rest)
            if made and len(possible) == 2 and self._excludes(shape, possible[1]):
                # in a long chain of `if` and `else`, only one condition holds, so most conditions are excluded here
                possible.pop()
            if choice.key is not None:
                split = (*split, choice.key)
            several = len(possible) > 1
            todo.extend([(shape.copy(), one, path, forced, list(rest), several, split, read) for one in possible])
        return done

    def _not_deferred(self, shape: Shape, choices: list[Choice]) -> list[Choice]:
        """Those of some choices that are multiplied out: all of them if the others would be few."""
        from ffgrammar.grammar.json_schema.normalize.clauses import Clauses

        if self._clauses is None:
            self._clauses = Clauses(self._reader, self._subschemas, self._negation)
        left = [choice for choice in choices if self._clauses.of(choice) is None]
        return choices if len(choices) - len(left) < DEFERRED else left

    def _with_clauses(self, shape: Shape, choices: list[Choice]) -> list[Shape]:
        """The objects of a shape, with what all these choices say of them; none if there are none."""
        shape.types = OBJ
        clauses = self._clauses.in_objects(choices, shape, partial(self._is_absent, shape))
        if Clause((), ()) in clauses:
            return []
        # what is said of one key alone is said as usual
        sole = [clause.values[0] for clause in clauses if not clause.present and len(clause.values) == 1]
        shape.groups = (*shape.groups, *[Group({name: conj}, (), ()) for name, conj in sole])
        shape.require([clause.present[0] for clause in clauses if not clause.values and len(clause.present) == 1])
        shape.clauses = tuple([clause for clause in clauses if len(clause.present) + len(clause.values) > 1])
        shape.checked = NOTHING_CHECKED
        shape.checked_items = ()
        return [shape] if settle(shape, self._strings) else []

    def _is_absent(self, shape: Shape, name: str) -> bool:
        """Whether a shape says that no object has a key."""
        # (None passes for a shape, and C code does not look for it)
        return shape is not None and property_conj(shape, name, self._strings) == NEVER

    def _apply_all(self, shape: Shape, steps: Sequence[_Step], choices: list[Choice]) -> int:
        """Apply conjunctions to a shape. Returns the subschemas that were applied, as bits."""
        read = 0
        for conj, path in steps:
            self._steps += 1
            self._strings.store.count_work(WORK)
            read |= as_bits(self._reader.apply(shape, conj, path, choices))
        return read

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
        known = self._conj_bits
        for choice in choices:
            conj = choice.unless
            if conj:
                bits = known.get(conj)
                if bits is None:
                    bits = known[conj] = as_bits(conj)
                if bits & read == bits:
                    return True
        return False

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

    def _excludes(self, shape: Shape, conj: Conj) -> bool:
        """Whether no value of a shape obeys a conjunction, as far as is cheap to see."""
        if self._level > PRUNING_LEVELS:
            return False
        both = shape.copy()
        choices: list[Choice] = []
        self._reader.apply(both, conj, (), choices)
        return not self._possible_types(both)

    def _possible_types(self, shape: Shape) -> int:
        """The types that a shape with open choices can have at most.

        It is worth some work to see early that no type is left. But properties are examined only in the outermost
        products, because examining a property may start another product.
        """
        types = shape.types
        if shape.strings == ():
            types &= ~STR
        if shape.numbers == () or (types & NUM and has_no_range(shape)):
            types &= ~NUM
        if types & ARR and shape.min_items and self._no_array(shape):
            types &= ~ARR
        if not types & OBJ or not shape.required:
            return types
        count, seen, known = shape.checked
        found: dict[str, Conj] | None = None
        new = shape.required[seen:]
        conjs = property_conjs(shape, new, self._strings) if len(new) > FEW_NAMES else None
        for name in [*touched(shape, count, seen), *new]:
            before = known.get(name)
            if before is None:
                before = ()
                conj = property_conj(shape, name, self._strings) if conjs is None else conjs.get(name, ())
            else:
                conj = join(before, property_conj(shape, name, self._strings, count))
            if conj != before and (conj == NEVER or self._contradicts(conj, before)):
                return types & ~OBJ
            if found is None:
                found = dict(known)
            found[name] = conj
        shape.checked = (len(shape.groups), len(shape.required), known if found is None else found)
        return types

    def _no_array(self, shape: Shape) -> bool:
        """Whether surely no array has as many items as it must, or one of the first. Notes what was checked."""
        if shape.max_items is not None and shape.min_items > shape.max_items:
            return True
        longest = max([len(one.prefix) for one in shape.items], default=0)
        known = shape.checked_items
        found: list[Conj] = []
        for index in range(min(shape.min_items, longest + 1, FEW_ITEMS) if shape.items else 0):
            before = known[index] if index < len(known) else ()
            conj = item_conj(shape, index)
            if conj != before and (conj == NEVER or self._contradicts(conj, before)):
                return True
            found.append(conj)
        shape.checked_items = tuple(found)
        return False

    def _contradicts(self, conj: Conj, before: Conj) -> bool:
        """Whether surely no value obeys a conjunction that has grown from `before`.

        In a large conjunction, only pairs of a new subschema and another one are examined: most contradictions are
        between two subschemas.
        """
        if self._level > PRUNING_LEVELS:
            return False
        if len(conj) <= FEW_PARTS:
            return self.impossible(conj, 0)
        old = set(before)
        for at in conj:
            if at not in old:
                for other in conj:
                    if other != at and self.impossible((at, other) if at < other else (other, at), 0):
                        return True
        return False

    def _some_of(self, subschema: Subschema, options: list[Conj]) -> Conj:
        """A conjunction that says that at least one of several conjunctions holds."""
        if () in options:
            return ()
        key = (id(subschema), *options)
        found = self._made_choices.get(key)
        if found is None:
            found = self._made_choices[key] = self._subschemas.synthesized(subschema, {SOME_OF: options}, "contains")
        return found

    # Conjunctions that no value obeys

    def impossible(self, conj: Conj, depth: int) -> bool:
        """Whether surely no value obeys a conjunction; examines properties and items down to `depth` levels."""
        if not conj:
            return False
        key = (conj, depth)
        known = self._impossible.get(key)
        if known is None:
            # a schema that contains itself counts as possible while it is being examined
            self._impossible[key] = False
            try:
                known = self._impossible[key] = all([self._empty(shape, depth) for shape in self.shapes(conj)])
            except LimitError as error:
                error.locate(f"at {self._subschemas.list[conj[-1]].written_pointer()}")
                raise
        return known

    def _empty(self, shape: Shape, depth: int) -> bool:
        types = shape.types
        if types & NUM and shape.numbers is None:
            types &= ~NUM if self._no_number(shape) else ~0
        if types & STR and shape.strings is None and shape.patterns:
            types &= ~0 if self._strings.range(shape.min_length, shape.max_length, shape.patterns) else ~STR
        if types & ARR and depth and shape.min_items:
            for index in range(min(shape.min_items, max([len(one.prefix) for one in shape.items], default=0) + 1)):
                if self.impossible(item_conj(shape, index), depth - 1):
                    types &= ~ARR
                    break
        if types & OBJ and depth:
            for name in shape.required:
                if self.impossible(property_conj(shape, name, self._strings), depth - 1):
                    types &= ~OBJ
                    break
        return not types

    def _no_number(self, shape: Shape) -> bool:
        try:
            return not self._multiples.of(shape, self.plain_integers)
        except UnsupportedError:
            # the divisor is too large; the error is raised again if the shape is emitted
            return False


def _breadth(choice: Choice) -> int:
    return len(choice.options)
