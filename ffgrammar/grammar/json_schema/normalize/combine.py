# cython: language_level=3
"""Conjunctions of schemas as lists of shapes: alternatives are multiplied out, and dead ones dropped.

Types are disjoint and one shape holds them all, so most products collapse: `anyOf` of a string and an object under
`type: object` is one shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.emit.arrays import item_conj
from ffgrammar.grammar.json_schema.emit.objects import property_conj
from ffgrammar.grammar.json_schema.normalize.applicators import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.normalize.negate import SOME_OF
from ffgrammar.grammar.json_schema.normalize.reader import Reader
from ffgrammar.grammar.json_schema.normalize.shape import (
    ALL,
    ARR,
    FALSE,
    FRAC,
    INT,
    NEVER,
    NULL,
    NUM,
    OBJ,
    STR,
    TRUE,
    Conj,
    Shape,
    join,
)
from ffgrammar.grammar.json_schema.normalize.unevaluated import finish
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples, has_divisors
from ffgrammar.grammar.json_schema.numbers.numbers import is_integer

__all__ = ["Combiner"]

# How far below a value oneOf looks for something that keeps its branches apart.
APART_DEPTH = 4
# Within so many products, properties are looked at to make them smaller.
PRUNING_LEVELS = 2
# Conjunctions of so many parts are looked at as a whole there.
FEW_PARTS = 6
# For so many properties, and choices that are left, an alternative counts for one more.
MANY = 256
# A whole schema may have so many times the alternatives that one of its parts may have.
TOTAL = 5
# So many times as many pairs of branches of a oneOf are looked at.
COMPARED = 10


class Combiner:
    """Shapes of conjunctions, each worked out once."""

    def __init__(self, reader: Reader, multiples: Multiples, limits: Limits, plain_integers: bool) -> None:
        self.reader = reader
        self.strings = reader.strings
        self.multiples = multiples
        # whether an integer has neither fraction nor exponent
        self.plain_integers = plain_integers
        self.limits = limits
        self._shapes: dict[Conj, list[Shape]] = {}
        # how many conjunctions are being multiplied out, one because of another
        self._level = 0
        self._impossible: dict[tuple[Conj, int], bool] = {}
        self._types: dict[Conj, int] = {}
        # alternatives that were looked at, and pairs of branches, in all
        self._made = 0
        self._compared = 0
        # by the id() of the place of a oneOf: which branches may hold together with which
        self._overlaps: dict[int, dict[int, list[int]]] = {}
        self._made_choices: dict[tuple[Any, ...], Conj] = {}
        self._unchecked: list[tuple[Subschema, list[Conj]]] = []
        reader.exactly_one = self.exactly_one

    def close(self) -> None:
        """Let go of the reader, which holds on to this: what was made for a large schema goes at once, and not when the
        cyclic collector comes to it (which takes 0.2 s longer for a schema of 4 MB)."""
        self.reader.close()

    def shapes(self, conj: Conj) -> list[Shape]:
        """The shapes of which a value must have one; none when there is no such value, as far as can be told here."""
        found = self._shapes.get(conj)
        if found is None:
            found = self._multiply(conj)
            if len(found) > 2:
                found = _merged(found)
            self._shapes[conj] = found
        return found

    def resolved_shapes(self, conj: Conj) -> list[Shape]:
        """The same, when every oneOf in place has been looked into."""
        found = self.shapes(conj)
        while self._unchecked:
            if self._look_into_one_of():
                # shapes that were made of what overlaps are wrong
                self._shapes.clear()
                self._impossible.clear()
            found = self.shapes(conj)
        return found

    def _multiply(self, conj: Conj) -> list[Shape]:
        self._level += 1
        try:
            return self._product(conj)
        finally:
            self._level -= 1

    def _product(self, conj: Conj) -> list[Shape]:
        done: list[Shape] = []
        # (shape so far, what to apply to it, the way there, choices still to be made, whether there was a choice)
        todo: list[tuple[Shape, Conj, EvaluationPath, list[Choice], bool]] = [(Shape(), conj, (), [], False)]
        made = 0
        while todo:
            shape, more, way, choices, is_one_of = todo.pop()
            self.reader.apply(shape, more, way, choices)
            if is_one_of or made:
                shape.types = self._types_left(shape)
                if is_one_of and shape.types:
                    choices = self._open_choices(shape, choices)
                # the more it consists of, the more an alternative costs, and each step on its way
                cost = is_one_of + (len(choices) + len(shape.groups)) // MANY
                made += cost
                self._made += cost
            if not shape.types:
                continue
            if not choices:
                if shape.left:
                    finish(shape, self.strings, self._some_of, self.reader.negate.conj)
                if self._settle(shape):
                    done.append(shape)
                continue
            # what leaves little to choose first: it rules out most of the rest
            choice = min(choices, key=_breadth)
            options, way, _ = choice
            most = self.limits.alternatives
            if made > most or self._made > TOTAL * most:
                raise self._too_many(self.reader.subschemas.list[way[0]])
            types = shape.types
            rest = [other for other in choices if other is not choice]
            possible = [option for option in reversed(options) if types & self._types_of(option)]
            if made and len(possible) == 2 and self._excludes(shape, possible[1]):
                # as in a chain of conditions, of which one holds
                possible.pop()
            several = len(possible) > 1
            todo.extend([(shape.copy(), option, way, list(rest), several) for option in possible])
        return done

    def _too_many(self, subschema: Subschema) -> LimitError:
        message = f"anyOf, oneOf, not and if multiply out to too many combinations at {subschema.pointer()}"
        return LimitError("alternatives", self.limits.alternatives, message)

    def _types_of(self, conj: Conj) -> int:
        """The types that a conjunction leaves, as far as the words at its top say so."""
        found = self._types.get(conj)
        if found is None:
            found = ALL
            for at in conj:
                found &= self.reader.types_of(at)
            self._types[conj] = found
        return found

    def _open_choices(self, shape: Shape, choices: list[Choice]) -> list[Choice]:
        """The choices without those that a shape has made already: what it rules out needs no opposite."""
        return [one for one in choices if one.unless is None or not self._excludes(shape, one.unless)]

    def _excludes(self, shape: Shape, conj: Conj) -> bool:
        """Whether nothing of a shape obeys a conjunction, as far as can be told at once."""
        if self._level > PRUNING_LEVELS:
            return False
        both = shape.copy()
        choices: list[Choice] = []
        self.reader.apply(both, conj, (), choices)
        return not self._types_left(both)

    def _types_left(self, shape: Shape) -> int:
        """The types that a shape with choices still to be made can have at most: it is worth some work to see early
        that it has none. What is behind the properties is looked at from the top only, for that may lead back here."""
        types = shape.types
        if shape.strings == ():
            types &= ~STR
        if shape.numbers == ():
            types &= ~NUM
        if not types & OBJ or not shape.required:
            return types
        known = shape.looked_at
        found = dict(known)
        for name in shape.required:
            before, count = known.get(name, ((), 0))
            conj = join(before, property_conj(shape, name, self.strings, count))
            if conj != before and (conj == NEVER or self._contradicts(conj, before)):
                return types & ~OBJ
            found[name] = (conj, len(shape.groups))
        shape.looked_at = found
        return types

    def _contradicts(self, conj: Conj, before: Conj) -> bool:
        """Whether surely no value obeys a conjunction that has grown: two of its parts mostly show that."""
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
        """A conjunction that says that one of some holds."""
        if () in options:
            return ()
        key = (id(subschema), *options)
        found = self._made_choices.get(key)
        if found is None:
            found = self._made_choices[key] = self.reader.subschemas.synthesized(
                subschema, {SOME_OF: options}, "contains"
            )
        return found

    # What is left of a shape when its constraints are put together

    def _settle(self, shape: Shape) -> bool:
        types = shape.types
        if types & NUM:
            types &= self._settle_numbers(shape)
        if types & STR and not self._settle_strings(shape):
            types &= ~STR
        if types & ARR and shape.max_items is not None and shape.max_items < shape.min_items:
            types &= ~ARR
        if types & ARR and shape.unique is not None and shape.repeated is not None:
            types &= ~ARR
        if (
            types & OBJ
            and shape.max_properties is not None
            and shape.max_properties < max(shape.min_properties, len(shape.required))
        ):
            types &= ~OBJ
        shape.types = types
        return bool(types)

    def _settle_numbers(self, shape: Shape) -> int:
        """The type bits that numbers keep."""
        if shape.numbers is None:
            low, high = shape.low, shape.high
            if low is None or high is None or low < high:
                return ~0
            return ~0 if low == high and not shape.low_open and not shape.high_open else ~NUM
        shape.numbers = tuple([value for value in shape.numbers if self._is_number(shape, value)])
        return ~0 if shape.numbers else ~NUM

    @staticmethod
    def _is_number(shape: Shape, value: Decimal) -> bool:
        low, high = shape.low, shape.high
        return (
            (low is None or value > low or (value == low and not shape.low_open))
            and (high is None or value < high or (value == high and not shape.high_open))
            and bool(shape.types & (INT if is_integer(value) else FRAC))
            and has_divisors(shape, value)
        )

    def _settle_strings(self, shape: Shape) -> bool:
        if shape.strings is not None:
            if shape.min_length or shape.max_length is not None or shape.patterns:
                kept = self.strings.matching(shape.strings, shape.min_length, shape.max_length, shape.patterns)
                shape.strings = tuple(kept)
            return bool(shape.strings)
        return shape.max_length is None or shape.max_length >= shape.min_length

    # oneOf

    def exactly_one(self, subschema: Subschema, options: list[Conj]) -> list[Conj]:
        """The options of a oneOf as a choice, told apart where they overlap.

        Whether two can hold at once takes reading other schemas, which may have a oneOf in turn: so a oneOf is first
        taken for an anyOf, which it mostly is, and looked into when nothing is being read.
        """
        known = self._overlaps.get(id(subschema))
        if known is None:
            self._unchecked.append((subschema, options))
            return options
        negate = self.reader.negate
        apart = []
        for index, option in enumerate(options):
            for other in known.get(index, ()):
                option = join(option, negate.conj(subschema, options[other]))
            apart.append(option)
        return apart

    def _look_into_one_of(self) -> bool:
        """Look at every oneOf that was taken for an anyOf: whether one has branches that may hold at once."""
        found = False
        while self._unchecked:
            subschema, options = self._unchecked.pop()
            if id(subschema) not in self._overlaps:
                overlapping = self._overlaps[id(subschema)] = self._overlapping(subschema, options)
                found = found or bool(overlapping)
        return found

    def _overlapping(self, subschema: Subschema, options: list[Conj]) -> dict[int, list[int]]:
        types = []
        tags = []
        # branches that are a list of scalars overlap only where they share one
        listed: dict[Any, list[int]] = {}
        unlisted: list[int] = []
        found: dict[int, list[int]] = {}
        for second, option in enumerate(options):
            shapes = self.shapes(option)
            bits = 0
            for shape in shapes:
                bits |= shape.types
            types.append(bits)
            tags.append([self._tags(shape) for shape in shapes])
            values = _scalars(shapes)
            if values is None:
                before: Iterable[int] = range(second)
                unlisted.append(second)
            else:
                before = sorted({*unlisted, *[first for value in values for first in listed.get(value, ())]})
                for value in values:
                    listed.setdefault(value, []).append(second)
            for first in before:
                if not types[first] & bits or _tagged_apart(tags[first], tags[second]):
                    continue
                self._compared += 1
                if self._compared > COMPARED * self.limits.alternatives:
                    raise self._too_many(subschema)
                if not self.impossible(join(options[first], option), APART_DEPTH):
                    found.setdefault(first, []).append(second)
                    found.setdefault(second, []).append(first)
        return found

    def _tags(self, shape: Shape) -> dict[str, frozenset[str]]:
        """The required properties of a shape of objects that are one of some strings: they tell branches apart."""
        found: dict[str, frozenset[str]] = {}
        if shape.types == OBJ:
            for name in shape.required:
                shapes = self.shapes(property_conj(shape, name, self.strings))
                listed = [inner.strings for inner in shapes if inner.types == STR and inner.strings is not None]
                if listed and len(listed) == len(shapes):
                    found[name] = frozenset([text for texts in listed for text in texts])
        return found

    def impossible(self, conj: Conj, depth: int) -> bool:
        """Whether surely no value obeys the conjunction; looks `depth` levels down."""
        if not conj:
            return False
        key = (conj, depth)
        known = self._impossible.get(key)
        if known is None:
            # a schema that contains itself counts as possible while it is being looked at
            self._impossible[key] = False
            known = self._impossible[key] = all([self._empty(shape, depth) for shape in self.shapes(conj)])
        return known

    def _empty(self, shape: Shape, depth: int) -> bool:
        types = shape.types
        if types & NUM and shape.numbers is None:
            types &= ~NUM if self._no_number(shape) else ~0
        if types & STR and shape.strings is None and shape.patterns:
            types &= ~0 if self.strings.range(shape.min_length, shape.max_length, shape.patterns) else ~STR
        if types & ARR and depth and shape.min_items:
            for index in range(min(shape.min_items, max([len(one.prefix) for one in shape.items], default=0) + 1)):
                if self.impossible(item_conj(shape, index), depth - 1):
                    types &= ~ARR
                    break
        if types & OBJ and depth:
            for name in shape.required:
                if self.impossible(property_conj(shape, name, self.strings), depth - 1):
                    types &= ~OBJ
                    break
        return not types

    def _no_number(self, shape: Shape) -> bool:
        try:
            return not self.multiples.of(shape, self.plain_integers)
        except UnsupportedError:
            # it is refused where it is needed
            return False


def _breadth(choice: Choice) -> int:
    return len(choice.options)


def _tagged_apart(some: list[dict[str, frozenset[str]]], others: list[dict[str, frozenset[str]]]) -> bool:
    """Whether any two shapes differ in a property that both require."""
    return all(
        [
            any([name in theirs and tags.isdisjoint(theirs[name]) for name, tags in mine.items()])
            for mine in some
            for theirs in others
        ]
    )


def _scalars(shapes: list[Shape]) -> set[Any] | None:
    """The values of shapes that are nothing but listed strings and numbers, literals as type bits; None for others."""
    found: set[Any] = set()
    for shape in shapes:
        types = shape.types
        if types & (ARR | OBJ) or (types & STR and shape.strings is None) or (types & NUM and shape.numbers is None):
            return None
        if types & STR and shape.strings is not None:
            found.update(shape.strings)
        if types & NUM and shape.numbers is not None:
            found.update(shape.numbers)
        found.update([("literal", bit) for bit in (NULL, TRUE, FALSE) if types & bit])
    return found


def _merged(shapes: list[Shape]) -> list[Shape]:
    """The shapes, with those that are nothing but a list of strings made one."""
    texts: dict[str, None] = {}
    kept = []
    for shape in shapes:
        if shape.types == STR and shape.strings is not None:
            texts.update(dict.fromkeys(shape.strings))
        else:
            kept.append(shape)
    if texts:
        both = Shape()
        both.types = STR
        both.strings = tuple(texts)
        kept.append(both)
    return kept
