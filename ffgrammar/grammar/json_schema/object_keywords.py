"""The keywords of objects, but for `unevaluatedProperties` and what depends on a property."""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.json_schema.applicators import Choice, Way, names_of
from ffgrammar.grammar.json_schema.literals import count_of
from ffgrammar.grammar.json_schema.places import Place, Places
from ffgrammar.grammar.json_schema.shape import Group, Shape, join, lower_of
from ffgrammar.grammar.json_schema.strings import Strings
from ffgrammar.grammar.json_schema.text import check_names, kind_of
from ffgrammar.grammar.json_schema.unevaluated import Mark, mark

__all__ = ["ObjectKeywords"]

# They refer to each other, so the first of them that a schema has reads them all.
GROUP_WORDS = ("properties", "patternProperties", "additionalProperties")


class ObjectKeywords:
    """The part of the reader that reads these keywords."""

    places: Places
    strings: Strings
    # by the id() of a place
    _groups: dict[int, Group]

    def group(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`properties`, `patternProperties` and `additionalProperties`, when the first of them is met"""
        if self.is_first_of_group(place, word):
            group = self.read_group(place)
            shape.groups = (*shape.groups, group)
            if way[2]:
                closed = "additionalProperties" in place.schema
                mark(shape, way, lambda owner: Mark(owner, group, everything=closed))

    @staticmethod
    def is_first_of_group(place: Place, word: str) -> bool:
        """Whether a schema has no other word before this one that reads the same properties."""
        for other in GROUP_WORDS:
            if other in place.schema:
                return other == word
        return False

    def read_group(self, place: Place) -> Group:
        """The properties of a schema."""
        found = self._groups.get(id(place))
        if found is None:
            found = self._groups[id(place)] = self._read_group(place)
        return found

    def _read_group(self, place: Place) -> Group:
        child = self.places.child
        schema = place.schema
        named = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        for word, value in (("properties", named), ("patternProperties", patterns)):
            if not isinstance(value, dict):
                raise GrammarError(
                    f"{word} is an object whose values are schemas, not {kind_of(value)}", pointer=place.pointer(word)
                )
            check_names(value, place, word)
        return Group(
            {name: child(place, inner, "properties", name) for name, inner in named.items()},
            tuple(
                [
                    (
                        self.strings.pattern(pattern, place, "patternProperties", pattern),
                        child(place, inner, "patternProperties", pattern),
                    )
                    for pattern, inner in patterns.items()
                ]
            ),
            child(place, schema.get("additionalProperties", True), "additionalProperties"),
        )

    def required(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`required`"""
        if names_of(value, place, word):
            shape.require(value)

    def property_names(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`propertyNames`"""
        shape.key_names = join(shape.key_names, self.places.child(place, value, word))

    def min_properties(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minProperties`"""
        count = count_of(value, place, word)
        if count > shape.min_properties:
            shape.min_properties = count
            shape.counted_at = place

    def max_properties(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxProperties`"""
        shape.max_properties = lower_of(shape.max_properties, count_of(value, place, word))
