# cython: language_level=3
"""What the keywords of a schema say, applied to a shape.

`Reader.apply` walks a schema and what is in place with it (`allOf`, `$ref`), in the order of the text. Alternatives are
handed back as choices, for combine.py to multiply out. A word that is no keyword is an annotation and warned about.

The methods for the keywords are in scalar_keywords.py, array_keywords.py, object_keywords.py and applicators.py; those
for the words of negate.py are here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.grammar.json_schema.documents.dialects import Dialect
from ffgrammar.grammar.json_schema.documents.resources import Resource
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.documents.text import check_names
from ffgrammar.grammar.json_schema.normalize.applicators import Applicators, Choice, EvaluationPath
from ffgrammar.grammar.json_schema.normalize.array_keywords import ArrayKeywords
from ffgrammar.grammar.json_schema.normalize.negate import (
    NOT,
    NOT_MULTIPLE,
    REPEATED,
    SILENT,
    SOME_ITEM,
    SOME_KEY,
    SOME_OF,
    TYPES_LEFT,
    WITHOUT,
    Negation,
)
from ffgrammar.grammar.json_schema.normalize.object_keywords import ObjectKeywords
from ffgrammar.grammar.json_schema.normalize.scalar_keywords import TYPES, ScalarKeywords
from ffgrammar.grammar.json_schema.normalize.shape import ALL, ARR, OBJ, Conj, Shape, SomeKey
from ffgrammar.grammar.json_schema.normalize.unevaluated import OWNERS, SOME_LEFT, PendingUnevaluated
from ffgrammar.grammar.json_schema.spec.diagnostics import Warnings
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["Reader"]


class Reader(ScalarKeywords, ArrayKeywords, ObjectKeywords, Applicators):
    """Reads the schemas of one build."""

    def __init__(self, subschemas: Subschemas, strings: Strings, formats: str, warnings: Warnings) -> None:
        self.subschemas = subschemas
        self.strings = strings
        self.formats = formats
        self.warnings = warnings
        self.negate = Negation(self)
        self._tables: dict[Resource, dict[Any, Any]] = {}
        # words that are no keywords
        self._annotations: set[str] = set()
        self._scalars = {}
        self._items = {}
        self._groups = {}

    def close(self) -> None:
        """Let go of those who hold on to this."""
        del self.exactly_one, self.negate

    def apply(self, shape: Shape, conj: Conj, way: EvaluationPath, choices: list[Choice]) -> None:
        """Apply the schemas of a conjunction to a shape; alternatives are added to choices."""
        subschemas = self.subschemas.list
        # a place is read once for each of the owners that it evaluates for (see unevaluated.py)
        done: set[Any] = set()
        # what is left to read: (place number, way to it, None), or, once begun, (its number, its way, other keywords)
        stack: list[tuple[int, EvaluationPath, Any]] = [(at, way, None) for at in reversed(conj)]
        while stack:
            at, way, rest = stack.pop()
            if not at:
                shape.types = 0
                return
            subschema = subschemas[at]
            if rest is None:
                if way:
                    self._refuse_circle(at, way)
                key = (at, way[2]) if way and way[2] else at
                if key in done:
                    continue
                done.add(key)
                way = (at, way, self._owners(subschema, at, way))
                rest = iter(subschema.keywords().items())
            handlers = self._table(subschema)
            for word, value in rest:
                handler = handlers.get(word, _unknown)
                if handler is None:
                    continue
                more = handler(self, shape, subschema, word, value, choices, way)
                if more:
                    stack.append((at, way, rest))
                    stack.extend([(inner, way, None) for inner in reversed(more)])
                    break

    @staticmethod
    def _owners(subschema: Subschema, at: int, way: EvaluationPath) -> tuple[int, ...]:
        """For which owners a place evaluates: those that it stands under, and itself. What is made here does not."""
        if subschema.modern:
            return ()
        owners: tuple[int, ...] = way[2] if way else ()
        return owners if OWNERS.isdisjoint(subschema.schema) else (*owners, at)

    def _refuse_circle(self, at: int, way: EvaluationPath) -> None:
        depth = 0
        limit = self.subschemas.limits.nesting
        while way:
            depth += 1
            if way[0] == at:
                raise GrammarError(
                    "the references here lead in a circle: none of them ever reaches a part of the value",
                    pointer=self.subschemas.list[at].pointer(),
                )
            way = way[1]
        if depth > limit:
            where = self.subschemas.list[at].pointer()
            raise LimitError("nesting", limit, f"schemas that apply to one value are nested too deep at {where}")

    def plain_type(self, conj: Conj) -> str | None:
        """The name of a type, if that is all that a conjunction says."""
        if len(conj) != 1:
            return None
        subschema = self.subschemas.list[conj[0]]
        name = subschema.schema.get("type") if conj[0] else None
        if type(name) is not str or name not in TYPES:
            return None
        handlers = self._table(subschema)
        for word in subschema.schema:
            if handlers.get(word, _unknown) is not None and word != "type":
                return None
        return name if "type" in handlers else None

    def types_of(self, at: int) -> int:
        """The types that a place names, whatever else it says."""
        if not at:
            return 0
        subschema = self.subschemas.list[at]
        schema = subschema.keywords()
        if TYPES_LEFT in schema:
            return int(schema[TYPES_LEFT])
        return (
            self.types(subschema, "type", schema["type"]) if "type" in schema and self.knows(subschema, "type") else ALL
        )

    # Words of negate.py

    def not_conj(
        self, shape: Shape, subschema: Subschema, word: Any, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """NOT"""
        choices.append(Choice(self.negate.options(value), way, value))

    def some_of(
        self, shape: Shape, subschema: Subschema, word: Any, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """SOME_OF"""
        choices.append(Choice(value, way))

    def some_left(
        self, shape: Shape, subschema: Subschema, word: Any, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """SOME_LEFT"""
        of_properties, conj, _ = value
        shape.types &= OBJ if of_properties else ARR
        shape.left = (*shape.left, PendingUnevaluated(way[0], of_properties, conj, True, subschema))

    def types_left(self, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
        """TYPES_LEFT"""
        shape.types &= value

    def without(self, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
        """WITHOUT"""
        shape.match(self.strings.without(value))

    def not_multiple(self, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
        """NOT_MULTIPLE"""
        if value not in [known for known, _ in shape.not_divisors]:
            shape.not_divisors = (*shape.not_divisors, (value, subschema))

    def some_item(self, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
        """SOME_ITEM"""
        start, conj, least, most = value
        shape.min_items = max(shape.min_items, start + least)
        shape.contain(start, conj, least, most, subschema)

    def some_repeated(self, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
        """REPEATED"""
        shape.repeated = shape.repeated or value

    def some_key(self, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
        """SOME_KEY"""
        keys, name, conj = value
        shape.some_key(SomeKey(keys, name, conj, subschema))

    # The rest

    def _table(self, subschema: Subschema) -> dict[Any, Any]:
        """The keywords of the dialect that a place is written in."""
        if subschema.modern:
            return _HANDLERS
        found = self._tables.get(subschema.resource)
        if found is None:
            found = self._tables[subschema.resource] = _handlers_of(subschema.resource.dialect)
        return found

    def knows(self, subschema: Subschema, word: Any) -> bool:
        """Whether a word of a schema is a keyword."""
        return word in self._table(subschema)

    def unknown(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """Not a keyword: an annotation. A word is looked at once: large schemas repeat theirs thousands of times."""
        if word in self._annotations:
            return
        check_names((word,), subschema)
        self._annotations.add(word)
        if not word.startswith("x-"):
            if word in _HANDLERS:
                what = "vocabularies" if word in subschema.dialect.off else "draft"
                why = f"{word} is not a keyword of this schema's {what}"
            else:
                why = f"{word!r} is not a keyword of JSON Schema"
            self.warnings.once(subschema, word, f"{why}: ignored")


# None: says nothing about the value, or is read by the keyword that it goes with
_HANDLERS: dict[Any, Any] = {
    "type": Reader.type,
    "enum": Reader.enum,
    "const": Reader.enum,
    "minimum": Reader.minimum,
    "maximum": Reader.maximum,
    "exclusiveMinimum": Reader.exclusive,
    "exclusiveMaximum": Reader.exclusive,
    "multipleOf": Reader.multiple_of,
    "minLength": Reader.min_length,
    "maxLength": Reader.max_length,
    "pattern": Reader.pattern,
    "format": Reader.format,
    "items": Reader.items,
    "prefixItems": Reader.items,
    "minItems": Reader.min_items,
    "maxItems": Reader.max_items,
    "uniqueItems": Reader.unique_items,
    "properties": Reader.group,
    "patternProperties": Reader.group,
    "additionalProperties": Reader.group,
    "required": Reader.required,
    "propertyNames": Reader.property_names,
    "minProperties": Reader.min_properties,
    "maxProperties": Reader.max_properties,
    **dict.fromkeys(["$ref", "$dynamicRef", "$recursiveRef"], Reader.ref),
    "allOf": Reader.all_of,
    "anyOf": Reader.any_of,
    "oneOf": Reader.one_of,
    "not": Reader.negation,
    "if": Reader.condition,
    "contains": Reader.contains,
    **dict.fromkeys(["dependencies", "dependentRequired", "dependentSchemas"], Reader.dependencies),
    **dict.fromkeys(["unevaluatedItems", "unevaluatedProperties"], Reader.unevaluated),
    NOT: Reader.not_conj,
    SOME_OF: Reader.some_of,
    SOME_LEFT: Reader.some_left,
    TYPES_LEFT: Reader.types_left,
    WITHOUT: Reader.without,
    NOT_MULTIPLE: Reader.not_multiple,
    SOME_ITEM: Reader.some_item,
    REPEATED: Reader.some_repeated,
    SOME_KEY: Reader.some_key,
    **dict.fromkeys(SILENT),
}
_unknown = Reader.unknown


@cache
def _handlers_of(dialect: Dialect) -> dict[Any, Any]:
    return {word: handler for word, handler in _HANDLERS.items() if dialect.has(word)}
