# cython: language_level=3
"""The normal form of a schema without alternatives: what it asks of each JSON type.

JSON types are disjoint, so one shape holds the constraints of all of them side by side, and a conjunction of schemas
is one shape to which their keywords are applied one after another. A schema with alternatives is a list of shapes.

Subschemas stay names: a *conjunction* is a sorted tuple of place numbers (see
grammar/json_schema/documents/subschemas.py); () allows everything. Names are finite in number, so merging recursive
schemas comes to an end.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
    from ffgrammar.grammar.json_schema.normalize.unevaluated import Mark, PendingUnevaluated

__all__ = [
    "ALL",
    "ARR",
    "BOOLS",
    "FALSE",
    "FRAC",
    "INT",
    "NEVER",
    "NULL",
    "NUM",
    "OBJ",
    "STR",
    "TRUE",
    "Conj",
    "Contained",
    "Group",
    "InternalKeyword",
    "Items",
    "Shape",
    "SomeKey",
    "join",
    "lower_of",
]

NULL, FALSE, TRUE, INT, FRAC, STR, ARR, OBJ = (1 << bit for bit in range(8))
BOOLS = FALSE | TRUE
# a number is an integer or has a fraction; `type: number` is both bits
NUM = INT | FRAC
ALL = 255

Conj = tuple[int, ...]
# place 0 is the schema `false`
NEVER: Conj = (0,)


def join(a: Conj, b: Conj) -> Conj:
    """Both conjunctions at once."""
    if a == b or not b:
        return a
    if not a:
        return b
    if a == NEVER or b == NEVER:
        return NEVER
    return tuple(sorted({*a, *b}))


def lower_of(old: int | None, new: int) -> int:
    """The lower one of two upper bounds; None: no bound."""
    return new if old is None else min(old, new)


class InternalKeyword:
    """A keyword that only schemas made here can have: it equals nothing but itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class Group(NamedTuple):
    """`properties`, `patternProperties` and `additionalProperties` of one schema: they refer to each other."""

    named: dict[str, Conj]
    # (body of the keys, conjunction of the values)
    patterns: tuple[tuple[int, Conj], ...]
    additional: Conj

    def of(self, name: str, matching: Container[int]) -> Conj:
        """What the value of a key must obey, given the key patterns that match it."""
        conj = self.named.get(name)
        if not self.patterns:
            return self.additional if conj is None else conj
        for body, value in self.patterns:
            if body in matching:
                conj = value if conj is None else join(conj, value)
        return self.additional if conj is None else conj

    def of_other(self, matching: Container[int]) -> Conj:
        """The same for a key that is not one of the named ones."""
        conj: Conj | None = None
        for body, value in self.patterns:
            if body in matching:
                conj = value if conj is None else join(conj, value)
        return self.additional if conj is None else conj


class Items(NamedTuple):
    """`prefixItems` and `items` of one schema."""

    prefix: tuple[Conj, ...]
    rest: Conj


class Contained(NamedTuple):
    """Of the items from an index on, least to most (None: no bound) obey a conjunction."""

    start: int
    conj: Conj
    least: int
    most: int | None
    subschema: Subschema


class SomeKey(NamedTuple):
    """Some key of an expression has a value that obeys a conjunction; and the key, as a string, obeys one, too."""

    keys: int
    name: Conj
    conj: Conj
    subschema: Subschema


_NOT_LOOKED_AT: Mapping[str, tuple[Conj, int]] = MappingProxyType({})


class Shape:
    """Constraints on each JSON type. Attribute values are never changed in place, so a copy is shallow."""

    def __init__(self) -> None:
        # the types that are left
        self.types: int = ALL
        # numbers: bounds, each open (exclusive) or not; divisors, and what must not be one; the only values allowed
        self.low: Decimal | None = None
        self.low_open: bool = False
        self.high: Decimal | None = None
        self.high_open: bool = False
        self.divisors: tuple[tuple[Decimal, Subschema], ...] = ()
        self.not_divisors: tuple[tuple[Decimal, Subschema], ...] = ()
        self.numbers: tuple[Decimal, ...] | None = None
        # strings: length in code points; expressions of the text between the quotes; the only values allowed
        self.min_length: int = 0
        self.max_length: int | None = None
        self.patterns: tuple[int, ...] = ()
        self.strings: tuple[str, ...] | None = None
        # arrays
        self.items: tuple[Items, ...] = ()
        self.min_items: int = 0
        self.max_items: int | None = None
        # of the items, so many are so
        self.contained: tuple[Contained, ...] = ()
        # where it is asked for that no two items are equal, or that some two are
        self.unique: Subschema | None = None
        self.repeated: Subschema | None = None
        # objects
        self.groups: tuple[Group, ...] = ()
        self.required: tuple[str, ...] = ()
        self.min_properties: int = 0
        self.max_properties: int | None = None
        # where min_properties is asked for
        self.counted_at: Subschema | None = None
        self.key_names: Conj = ()
        self.some_keys: tuple[SomeKey, ...] = ()
        # what was asked of properties when combine.py looked whether that can be, and by how many groups
        self.looked_at: Mapping[str, tuple[Conj, int]] = _NOT_LOOKED_AT
        # what unevaluated.py puts into the words above when all is read
        self.marks: tuple[Mark, ...] = ()
        self.left: tuple[PendingUnevaluated, ...] = ()

    def copy(self) -> Shape:
        """An independent copy."""
        other = Shape()
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
        other.looked_at = self.looked_at
        other.marks = self.marks
        other.left = self.left
        return other

    def at_least(self, bound: Decimal, is_open: bool) -> None:
        """Raise the lower bound of numbers."""
        if self.low is None or bound > self.low or (bound == self.low and is_open):
            self.low, self.low_open = bound, is_open

    def at_most(self, bound: Decimal, is_open: bool) -> None:
        """Lower the upper bound of numbers."""
        if self.high is None or bound < self.high or (bound == self.high and is_open):
            self.high, self.high_open = bound, is_open

    def match(self, body: int) -> None:
        """Ask for strings that match an expression."""
        if body not in self.patterns:
            self.patterns = (*self.patterns, body)

    def require(self, names: list[str]) -> None:
        """Ask for these keys."""
        self.required = tuple(dict.fromkeys([*self.required, *names]))

    def contain(self, start: int, conj: Conj, least: int, most: int | None, subschema: Subschema) -> None:
        """Ask for items that obey a conjunction."""
        one = Contained(start, conj, least, most, subschema)
        if not any([one[:4] == other[:4] for other in self.contained]):
            self.contained = (*self.contained, one)

    def some_key(self, one: SomeKey) -> None:
        """Ask for a key."""
        self.min_properties = max(self.min_properties, 1)
        if not any([one[:3] == other[:3] for other in self.some_keys]):
            self.some_keys = (*self.some_keys, one)
