"""What an object may have: the input of ordered.py and unordered.py."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Body", "Item", "Members"]

# Symbols, one after another: the right side of a production.
Body = tuple[int, ...]
# A named property: its key, colon and value; whether every object has it; whether some `properties` names it, and not
# only `required`. A plain tuple is made four times as fast as a named one, and a large schema has tens of thousands.
Item = tuple[Body, bool, bool]


class Members(NamedTuple):
    """What an object may have.

    Attributes:
        items: the named properties.
        others: key, colon and value of all other properties, by what the values must obey.
        kinds: those of the other properties that meet wants: the wants that one meets, as bits, and its body.
        wanted: all wants, as bits: each must be met by some property.
        least, most: the number of properties; most None: no bound.
    """

    items: list[Item]
    others: list[Body]
    kinds: list[tuple[int, Body]]
    wanted: int
    least: int
    most: int | None

    def counted_kinds(self) -> list[tuple[int, Body]]:
        """All other properties, with the wants that they meet."""
        return [*[(0, body) for body in self.others], *self.kinds]
