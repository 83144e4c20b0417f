# cython: language_level=3
"""Shapes: the normal form of a schema without alternatives.

JSON types are disjoint, so one shape holds the constraints on all of them side by side. A conjunction of schemas
becomes one shape, to which the keywords of the schemas are applied one after another. A schema with alternatives
becomes a list of shapes. For example, `{"type": ["string", "integer"], "minLength": 2, "minimum": 5}` becomes one
shape:

    types = STR | INT, min_length = 2, low = 5

What a property or an item must obey stays a conjunction of subschema numbers in the shape. Its subschemas are read only
when the property or the item itself is examined or emitted. So the shape of a recursive schema is finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.shape.constraints import (
    Clause,
    Contained,
    Group,
    Items,
    Mark,
    PendingUnevaluated,
    SomeKey,
)
from ffgrammar.grammar.json_schema.shape.types import ALL, ARR

__all__ = ["NOTHING_CHECKED", "Shape", "lower_of"]


def lower_of(old: int | None, new: int) -> int:
    """The lower of two upper bounds; `old` None: there was no bound."""
    return new if old is None else min(old, new)


# The value of `Shape.checked` where nothing was checked yet.
NOTHING_CHECKED: tuple[int, int, Mapping[str, Conj]] = (0, 0, MappingProxyType({}))


class Shape:
    """Constraints on each JSON type. Attribute values are never changed in place, so a copy is shallow.

    Each attribute must be listed in shape.pxd, in `__init__` and in `copy`. A test fails if an attribute
    is missing from one of the three.
    """

    def __init__(self) -> None:
        # the types that a value may have
        self.types: int = ALL
        # numbers: the bounds, each open (exclusive) or not
        self.low: Decimal | None = None
        self.low_open: bool = False
        self.high: Decimal | None = None
        self.high_open: bool = False
        # what a number must be a multiple of, and what it must not be a multiple of; each with the subschema that
        # demands it
        self.divisors: tuple[tuple[Decimal, Subschema], ...] = ()
        self.not_divisors: tuple[tuple[Decimal, Subschema], ...] = ()
        # the only numbers allowed; None: all
        self.numbers: tuple[Decimal, ...] | None = None
        # strings: the length in code points
        self.min_length: int = 0
        self.max_length: int | None = None
        # expressions that the body of a string (the text between its quotes) must match
        self.patterns: tuple[int, ...] = ()
        # the only strings allowed; None: all
        self.strings: tuple[str, ...] | None = None
        # arrays
        self.items: tuple[Items, ...] = ()
        self.min_items: int = 0
        self.max_items: int | None = None
        self.contained: tuple[Contained, ...] = ()
        # the subschema that demands that all items differ
        self.unique: Subschema | None = None
        # the subschema that demands that two items are equal
        self.repeated: Subschema | None = None
        # objects
        self.groups: tuple[Group, ...] = ()
        self.required: tuple[str, ...] = ()
        self.min_properties: int = 0
        self.max_properties: int | None = None
        # the subschema that demands min_properties
        self.counted_at: Subschema | None = None
        self.key_names: Conj = ()
        self.some_keys: tuple[SomeKey, ...] = ()
        # what was not multiplied out (see normalize/clauses.py)
        self.clauses: tuple[Clause, ...] = ()
        # how many groups and how many required properties combine.py last checked for contradictions, and by these
        # properties the conjunctions that came from these groups
        self.checked: tuple[int, int, Mapping[str, Conj]] = NOTHING_CHECKED
        # by index: the conjunction of an item that combine.py last checked
        self.checked_items: tuple[Conj, ...] = ()
        # what unevaluated.py turns into groups, items and the like when everything is read
        self.marks: tuple[Mark, ...] = ()
        self.pending: tuple[PendingUnevaluated, ...] = ()
        # whether it is also the shape of a hole (see emit/links.py), about which nothing is known
        self.holed: bool = False

    def copy(self) -> Shape:
        """An independent copy."""
        other: Shape = Shape.__new__(Shape)
        other.types = self.types
        other.low = self.low
        other.low_open = self.low_open
        other.high = self.high
        other.high_open = self.high_open
        other.divisors = self.divisors
        other.not_divisors = self.not_divisors
        other.numbers = self.numbers
        other.min_length = self.min_length
        other.max_length = self.max_length
        other.patterns = self.patterns
        other.strings = self.strings
        other.items = self.items
        other.min_items = self.min_items
        other.max_items = self.max_items
        other.contained = self.contained
        other.unique = self.unique
        other.repeated = self.repeated
        other.groups = self.groups
        other.required = self.required
        other.min_properties = self.min_properties
        other.max_properties = self.max_properties
        other.counted_at = self.counted_at
        other.key_names = self.key_names
        other.some_keys = self.some_keys
        other.clauses = self.clauses
        other.checked = self.checked
        other.checked_items = self.checked_items
        other.marks = self.marks
        other.pending = self.pending
        other.holed = self.holed
        return other

    def at_least(self, bound: Decimal, is_open: bool) -> None:
        """Raise the lower bound of numbers to `bound`, unless the old bound is higher."""
        if self.low is None or bound > self.low or (bound == self.low and is_open):
            self.low, self.low_open = bound, is_open

    def at_most(self, bound: Decimal, is_open: bool) -> None:
        """Lower the upper bound of numbers to `bound`, unless the old bound is lower."""
        if self.high is None or bound < self.high or (bound == self.high and is_open):
            self.high, self.high_open = bound, is_open

    def match(self, body: int) -> None:
        """Require that the bodies of strings match an expression."""
        if body not in self.patterns:
            self.patterns = (*self.patterns, body)

    def require(self, names: list[str]) -> None:
        """Require these keys."""
        if len(names) == 1:
            # (most schemas require one more key than those before)
            if names[0] not in self.required:
                self.required = (*self.required, names[0])
        else:
            self.required = tuple(dict.fromkeys([*self.required, *names]))

    def contain(self, start: int, conj: Conj, least: int, most: int | None, subschema: Subschema) -> None:
        """Require that at least `least` and at most `most` items from an index on obey a conjunction."""
        others = []
        for one in self.contained:
            if one.start == start and one.conj == conj:
                # both count the same items
                least, subschema = max(least, one.least), one.subschema
                most = one.most if most is None else lower_of(one.most, most)
            else:
                others.append(one)
        if most is not None and least > most:
            self.types &= ~ARR
        self.contained = (*others, Contained(start, conj, least, most, subschema))

    def some_key(self, one: SomeKey) -> None:
        """Require that some key, and its value, are as `one` describes."""
        self.min_properties = max(self.min_properties, 1)
        if not any([one[:3] == other[:3] for other in self.some_keys]):
            self.some_keys = (*self.some_keys, one)
