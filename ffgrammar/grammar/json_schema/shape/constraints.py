# cython: language_level=3
"""The parts of a shape that are more than a number: constraints on properties and items.

`{"properties": {"a": A}, "patternProperties": {"^b": B}, "additionalProperties": C}` is one `Group`, because the three
keywords refer to each other; `{"prefixItems": [A, B], "items": C}` is one `Items`.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema

__all__ = ["Clause", "Contained", "Group", "Items", "Mark", "PendingUnevaluated", "SomeKey"]


class Group:
    """`properties`, `patternProperties` and `additionalProperties` of one schema.

    Attributes:
        named: what the values of named properties obey.
        patterns: pairs of an expression, which matches keys without quotes, and what the values of these keys obey.
        additional: what the values of all other keys obey.
    """

    def __init__(self, named: dict[str, Conj], patterns: tuple[tuple[int, Conj], ...], additional: Conj) -> None:
        self.named = named
        self.patterns = patterns
        self.additional = additional

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
        """What the value of a key that is not in `named` must obey, given the key patterns that match the key."""
        conj: Conj | None = None
        for body, value in self.patterns:
            if body in matching:
                conj = value if conj is None else join(conj, value)
        return self.additional if conj is None else conj


class Items(NamedTuple):
    """`prefixItems` and `items` of one schema: what the first items obey, one by one, and what all others obey."""

    prefix: tuple[Conj, ...]
    rest: Conj


class Contained(NamedTuple):
    """`contains`: of the items from `start` on, at least `least` and at most `most` (None: any number) obey `conj`."""

    start: int
    conj: Conj
    least: int
    most: int | None
    subschema: Subschema


class SomeKey(NamedTuple):
    """Some key matches the expression `keys`. The key, as a string, obeys `name`, and the key's value obeys `conj`."""

    keys: int
    name: Conj
    conj: Conj
    subschema: Subschema


class Clause(NamedTuple):
    """What an object must obey (see normalize/clauses.py). It holds if one of its parts does.

    Attributes:
        present: keys: this key is there.
        values: pairs of a key and a conjunction: the key is absent, or its value obeys the conjunction.
    """

    present: tuple[str, ...]
    values: tuple[tuple[str, Conj], ...]


class Mark(NamedTuple):
    """What a schema evaluated, noted for one *owner*. The owner is this schema or one around it, and it has
    `unevaluatedProperties` or `unevaluatedItems`.

    Attributes:
        owner: the number of the owner.
        group: the properties that were evaluated, by name or by pattern; None if the mark is about items.
        length: how many items from the first on were evaluated.
        contained: the items that obey this conjunction were evaluated, too; None: there is no such conjunction.
        everything: whether all properties, or all items, were evaluated.
    """

    owner: int
    group: Group | None = None
    length: int = 0
    contained: Conj | None = None
    everything: bool = False


class PendingUnevaluated(NamedTuple):
    """An `unevaluatedProperties` or `unevaluatedItems` that waits until all marks of its owner are made.

    Attributes:
        owner: the number of the owner.
        of_properties: whether it is about properties, rather than items.
        conj: what unevaluated properties or items must obey: all of them, or at least one (see `some`).
        some: True for the opposite of the keyword: at least one unevaluated property or item must obey `conj`. False:
            all of them must obey it.
        subschema: the owner.
    """

    owner: int
    of_properties: bool
    conj: Conj
    some: bool
    subschema: Subschema
