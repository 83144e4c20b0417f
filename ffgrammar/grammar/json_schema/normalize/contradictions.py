# cython: language_level=3
"""What surely has no value, as far as is cheap to see: shapes, and conjunctions.

"No" means only that this is not seen: there may be no value all the same. So the answer is only used to save work, and
where a rough answer will do.
"""

from __future__ import annotations

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.normalize.context import Context
from ffgrammar.grammar.json_schema.normalize.parts import (
    item_conj,
    prefix_length,
    property_conj,
    property_conjs,
    touched,
)
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.normalize.settle import has_no_range
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.shape.choices import Choice
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, NUM, OBJ, STR

__all__ = ["PRUNING_LEVELS", "Contradictions"]

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
# The work of a look at a shape and a conjunction, and of each pair of subschemas that is examined, in units of
# `ExprStore.count_work`.
WORK = 200
WORK_OF_PAIR = 15


class Contradictions:
    """The search for contradictions in one build.

    To examine a property or an item, its shapes must be known, and to make shapes, contradictions are searched for. So
    the class that makes shapes is a subclass of this one.

    Attributes:
        plain_integers: whether an integer has neither fraction nor exponent.
    """

    def __init__(self, reader: Reader, context: Context, multiples: Multiples, plain_integers: bool) -> None:
        self.plain_integers = plain_integers
        self._reader = reader
        self._subschemas = context.subschemas
        self._strings = context.strings
        self._multiples = multiples
        # how many products are being worked out, one inside of another
        self._level = 0
        self._impossible: dict[tuple[Conj, int], bool] = {}

    def shapes(self, conj: Conj) -> list[Shape]:
        """The shapes of a conjunction: a value that obeys the conjunction has one of them."""
        raise NotImplementedError

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
            for index in range(min(shape.min_items, prefix_length(shape) + 1)):
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

    # Shapes that are not finished

    def _excludes(self, shape: Shape, conj: Conj) -> bool:
        """Whether no value of a shape obeys a conjunction, as far as is cheap to see."""
        if self._level > PRUNING_LEVELS:
            return False
        self._strings.store.count_work(WORK)
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
        if types & OBJ and shape.required and self._no_object(shape):
            types &= ~OBJ
        return types

    def _no_object(self, shape: Shape) -> bool:
        """Whether surely no object has the keys that it must. Notes what was checked."""
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
                return True
            if found is None:
                found = dict(known)
            found[name] = conj
        shape.checked = (len(shape.groups), len(shape.required), known if found is None else found)
        return False

    def _no_array(self, shape: Shape) -> bool:
        """Whether surely no array has as many items as it must, or one of the first. Notes what was checked."""
        if shape.max_items is not None and shape.min_items > shape.max_items:
            return True
        longest = prefix_length(shape)
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
                self._strings.store.count_work(WORK_OF_PAIR * len(conj))
                for other in conj:
                    if other != at and self.impossible((at, other) if at < other else (other, at), 0):
                        return True
        return False
