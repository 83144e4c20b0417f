# cython: language_level=3
"""The properties that an object may have: the input of ordered.py and unordered.py.

A schema may demand that some key matches an expression, and that its value obeys a conjunction (`SomeKey` in
shape/constraints.py). Such a demand is called a *want*.
"""

from __future__ import annotations

__all__ = ["Body", "Item", "Members"]

# Symbols, one after another: the right-hand side of a production.
Body = tuple[int, ...]
# A named property: the symbols of its key, colon and value; whether it is required; whether it is listed, which means
# that some `properties` names it, not only `required`. It is a plain tuple, because a large schema has tens of
# thousands of properties, and a plain tuple is made four times as fast as a named one.
Item = tuple[Body, bool, bool]


class Members:
    """The properties that an object may have.

    Attributes:
        items: the named properties.
        others: the bodies of all other properties: key, colon and value. There is one for each class of keys.
        kinds: the other properties that meet wants. Each is a pair: the wants that it meets, as bits; and its body.
        wanted: all wants, as bits. Each must be met by some property.
        least, most: bounds of the number of properties, as far as it must be counted; most None: no bound.
    """

    def __init__(
        self,
        items: list[Item],
        others: list[Body],
        kinds: list[tuple[int, Body]],
        wanted: int,
        least: int,
        most: int | None,
    ) -> None:
        self.items = items
        self.others = others
        self.kinds = kinds
        self.wanted = wanted
        self.least = least
        self.most = most

    def counted_kinds(self) -> list[tuple[int, Body]]:
        """All properties beside the named ones. Each is a pair: the wants that it meets, as bits; and its body."""
        return [*[(0, body) for body in self.others], *self.kinds]
