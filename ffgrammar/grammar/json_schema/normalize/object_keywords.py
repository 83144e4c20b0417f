# cython: language_level=3
"""The keywords of objects, but for `unevaluatedProperties` and what depends on a property."""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.documents.text import check_names, kind_of
from ffgrammar.grammar.json_schema.normalize.applicators import Choice, EvaluationPath, names_of
from ffgrammar.grammar.json_schema.normalize.literals import count_of
from ffgrammar.grammar.json_schema.normalize.shape import Group, Shape, join, lower_of
from ffgrammar.grammar.json_schema.normalize.unevaluated import Mark, mark
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["ObjectKeywords"]

# They refer to each other, so the first of them that a schema has reads them all.
GROUP_WORDS = ("properties", "patternProperties", "additionalProperties")


class ObjectKeywords:
    """The part of the reader that reads these keywords."""

    subschemas: Subschemas
    strings: Strings
    # by the id() of a place
    _groups: dict[int, Group]

    def group(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`properties`, `patternProperties` and `additionalProperties`, when the first of them is met"""
        if self.is_first_of_group(subschema, word):
            group = self.read_group(subschema)
            shape.groups = (*shape.groups, group)
            if way[2]:
                closed = "additionalProperties" in subschema.schema
                mark(shape, way, lambda owner: Mark(owner, group, everything=closed))

    @staticmethod
    def is_first_of_group(subschema: Subschema, word: str) -> bool:
        """Whether a schema has no other word before this one that reads the same properties."""
        for other in GROUP_WORDS:
            if other in subschema.schema:
                return other == word
        return False

    def read_group(self, subschema: Subschema) -> Group:
        """The properties of a schema."""
        found = self._groups.get(id(subschema))
        if found is None:
            found = self._groups[id(subschema)] = self._read_group(subschema)
        return found

    def _read_group(self, subschema: Subschema) -> Group:
        child = self.subschemas.child
        schema = subschema.schema
        named = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        for word, value in (("properties", named), ("patternProperties", patterns)):
            if not isinstance(value, dict):
                raise GrammarError(
                    f"{word} is an object whose values are schemas, not {kind_of(value)}",
                    pointer=subschema.pointer(word),
                )
            check_names(value, subschema, word)
        return Group(
            {name: child(subschema, inner, "properties", name) for name, inner in named.items()},
            tuple(
                [
                    (
                        self.strings.pattern(pattern, subschema, "patternProperties", pattern),
                        child(subschema, inner, "patternProperties", pattern),
                    )
                    for pattern, inner in patterns.items()
                ]
            ),
            child(subschema, schema.get("additionalProperties", True), "additionalProperties"),
        )

    def required(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`required`"""
        if names_of(value, subschema, word):
            shape.require(value)

    def property_names(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`propertyNames`"""
        shape.key_names = join(shape.key_names, self.subschemas.child(subschema, value, word))

    def min_properties(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`minProperties`"""
        count = count_of(value, subschema, word)
        if count > shape.min_properties:
            shape.min_properties = count
            shape.counted_at = subschema

    def max_properties(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`maxProperties`"""
        shape.max_properties = lower_of(shape.max_properties, count_of(value, subschema, word))
