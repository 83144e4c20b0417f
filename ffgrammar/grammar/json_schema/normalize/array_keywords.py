# cython: language_level=3
"""The keywords of arrays, but for `unevaluatedItems`."""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.documents.text import kind_of
from ffgrammar.grammar.json_schema.normalize.applicators import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.normalize.literals import count_of
from ffgrammar.grammar.json_schema.normalize.shape import Conj, Items, Shape, lower_of
from ffgrammar.grammar.json_schema.normalize.unevaluated import Mark, mark

__all__ = ["ArrayKeywords", "has_prefix_items"]


def has_prefix_items(subschema: Subschema) -> bool:
    """Whether a schema has `prefixItems`, in a draft that knows the word."""
    return "prefixItems" in subschema.schema and subschema.dialect.has("prefixItems")


class ArrayKeywords:
    """The part of the reader that reads these keywords."""

    subschemas: Subschemas
    # by the id() of a place
    _items: dict[int, Items]

    def items(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`prefixItems` and `items`; `items` with an array and `additionalItems`"""
        if word == "items" and has_prefix_items(subschema):
            return
        items = self.read_items(subschema)
        shape.items = (*shape.items, items)
        if way[2]:
            rest = "additionalItems" if isinstance(value, list) and word == "items" else "items"
            mark(shape, way, lambda owner: Mark(owner, None, len(items.prefix), None, rest in subschema.schema))

    def read_items(self, subschema: Subschema) -> Items:
        """The items of a schema."""
        found = self._items.get(id(subschema))
        if found is None:
            found = self._items[id(subschema)] = self._read_items(subschema)
        return found

    def _read_items(self, subschema: Subschema) -> Items:
        child = self.subschemas.child
        schema = subschema.schema
        rest_word = "items"
        rest = schema.get("items", True)
        if has_prefix_items(subschema):
            first_word, first = "prefixItems", schema["prefixItems"]
            if not isinstance(first, list):
                raise GrammarError(
                    f"prefixItems is an array of schemas, not {kind_of(first)}", pointer=subschema.pointer(first_word)
                )
        elif isinstance(rest, list):
            if subschema.resource.declared and subschema.draft == 2020:
                raise GrammarError(
                    "items is one schema since draft 2020-12: an array of them is called prefixItems",
                    pointer=subschema.pointer("items"),
                )
            first_word, first = "items", rest
            rest_word, rest = "additionalItems", schema.get("additionalItems", True)
        else:
            first_word, first = "", []
        prefix = tuple([child(subschema, one, first_word, str(index)) for index, one in enumerate(first)])
        return Items(prefix, child(subschema, rest, rest_word))

    def contains(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`contains`, `minContains` and `maxContains`"""
        conj, least, most = self.contains_of(subschema)
        if way[2] and subschema.dialect.has("prefixItems"):
            mark(shape, way, lambda owner: Mark(owner, None, 0, conj))
        if least or most is not None:
            shape.min_items = max(shape.min_items, least)
            if conj or most is not None:
                shape.contain(0, conj, least, most, subschema)

    def contains_of(self, subschema: Subschema) -> tuple[Conj, int, int | None]:
        """What items `contains` is about, and how many of them there must be."""
        conj = self.subschemas.child(subschema, subschema.schema["contains"], "contains")
        least, most = 1, None
        if subschema.dialect.has("minContains"):
            least = count_of(subschema.schema.get("minContains", 1), subschema, "minContains")
            if "maxContains" in subschema.schema and subschema.dialect.has("maxContains"):
                most = count_of(subschema.schema["maxContains"], subschema, "maxContains")
        return conj, least, most

    def min_items(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`minItems`"""
        shape.min_items = max(shape.min_items, count_of(value, subschema, word))

    def max_items(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`maxItems`"""
        shape.max_items = lower_of(shape.max_items, count_of(value, subschema, word))

    def unique_items(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`uniqueItems`"""
        if self.is_unique(subschema, word, value):
            shape.unique = shape.unique or subschema

    @staticmethod
    def is_unique(subschema: Subschema, word: str, value: Any) -> bool:
        """Whether `uniqueItems` asks for something."""
        if not isinstance(value, bool):
            raise GrammarError(f"uniqueItems is a boolean, not {kind_of(value)}", pointer=subschema.pointer(word))
        return value
