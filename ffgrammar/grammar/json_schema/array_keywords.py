"""The keywords of arrays, but for `unevaluatedItems`."""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.json_schema.applicators import Choice, Way
from ffgrammar.grammar.json_schema.literals import count_of
from ffgrammar.grammar.json_schema.places import Place, Places
from ffgrammar.grammar.json_schema.shape import Conj, Items, Shape, lower_of
from ffgrammar.grammar.json_schema.text import kind_of
from ffgrammar.grammar.json_schema.unevaluated import Mark, mark

__all__ = ["ArrayKeywords", "has_prefix_items"]


def has_prefix_items(place: Place) -> bool:
    """Whether a schema has `prefixItems`, in a draft that knows the word."""
    return "prefixItems" in place.schema and place.dialect.has("prefixItems")


class ArrayKeywords:
    """The part of the reader that reads these keywords."""

    places: Places
    # by the id() of a place
    _items: dict[int, Items]

    def items(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`prefixItems` and `items`; `items` with an array and `additionalItems`"""
        if word == "items" and has_prefix_items(place):
            return
        items = self.read_items(place)
        shape.items = (*shape.items, items)
        if way[2]:
            rest = "additionalItems" if isinstance(value, list) and word == "items" else "items"
            mark(shape, way, lambda owner: Mark(owner, None, len(items.prefix), None, rest in place.schema))

    def read_items(self, place: Place) -> Items:
        """The items of a schema."""
        found = self._items.get(id(place))
        if found is None:
            found = self._items[id(place)] = self._read_items(place)
        return found

    def _read_items(self, place: Place) -> Items:
        child = self.places.child
        schema = place.schema
        rest_word = "items"
        rest = schema.get("items", True)
        if has_prefix_items(place):
            first_word, first = "prefixItems", schema["prefixItems"]
            if not isinstance(first, list):
                raise GrammarError(
                    f"prefixItems is an array of schemas, not {kind_of(first)}", pointer=place.pointer(first_word)
                )
        elif isinstance(rest, list):
            if place.resource.declared and place.draft == 2020:
                raise GrammarError(
                    "items is one schema since draft 2020-12: an array of them is called prefixItems",
                    pointer=place.pointer("items"),
                )
            first_word, first = "items", rest
            rest_word, rest = "additionalItems", schema.get("additionalItems", True)
        else:
            first_word, first = "", []
        prefix = tuple([child(place, one, first_word, str(index)) for index, one in enumerate(first)])
        return Items(prefix, child(place, rest, rest_word))

    def contains(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`contains`, `minContains` and `maxContains`"""
        conj, least, most = self.contains_of(place)
        if way[2] and place.dialect.has("prefixItems"):
            mark(shape, way, lambda owner: Mark(owner, None, 0, conj))
        if least or most is not None:
            shape.min_items = max(shape.min_items, least)
            if conj or most is not None:
                shape.contain(0, conj, least, most, place)

    def contains_of(self, place: Place) -> tuple[Conj, int, int | None]:
        """What items `contains` is about, and how many of them there must be."""
        conj = self.places.child(place, place.schema["contains"], "contains")
        least, most = 1, None
        if place.dialect.has("minContains"):
            least = count_of(place.schema.get("minContains", 1), place, "minContains")
            if "maxContains" in place.schema and place.dialect.has("maxContains"):
                most = count_of(place.schema["maxContains"], place, "maxContains")
        return conj, least, most

    def min_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minItems`"""
        shape.min_items = max(shape.min_items, count_of(value, place, word))

    def max_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxItems`"""
        shape.max_items = lower_of(shape.max_items, count_of(value, place, word))

    def unique_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`uniqueItems`"""
        if self.is_unique(place, word, value):
            shape.unique = shape.unique or place

    @staticmethod
    def is_unique(place: Place, word: str, value: Any) -> bool:
        """Whether `uniqueItems` asks for something."""
        if not isinstance(value, bool):
            raise GrammarError(f"uniqueItems is a boolean, not {kind_of(value)}", pointer=place.pointer(word))
        return value
