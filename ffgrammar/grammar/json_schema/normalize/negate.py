"""The opposite of a schema, as alternatives: a value breaks a schema where it breaks one of its keywords.

Each alternative is a schema again, made of the keywords that say the opposite (`minimum` for `exclusiveMaximum`, a
required property that breaks its schema for `properties`), and of a few words that no schema can spell, because they
are no strings: those below.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.applicators import names_of
from ffgrammar.grammar.json_schema.normalize.array_keywords import has_prefix_items
from ffgrammar.grammar.json_schema.normalize.literals import count_of, number
from ffgrammar.grammar.json_schema.normalize.shape import (
    ALL,
    FALSE,
    NEVER,
    NULL,
    NUM,
    STR,
    TRUE,
    Conj,
    InternalKeyword,
    join,
)
from ffgrammar.grammar.json_schema.normalize.unevaluated import SOME_LEFT

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.normalize.reader import Reader

__all__ = [
    "NOT",
    "NOT_MULTIPLE",
    "REPEATED",
    "SILENT",
    "SOME_ITEM",
    "SOME_KEY",
    "SOME_OF",
    "TYPES_LEFT",
    "WITHOUT",
    "Negation",
]

# Keywords that every value obeys. `then` and the like are read by the keyword that they go with.
SILENT = frozenset(
    """$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary additionalItems contentEncoding
    contentMediaType contentSchema default definitions deprecated description else example examples id maxContains
    minContains readOnly then title writeOnly""".split()
)

# the types left, as bits
TYPES_LEFT = InternalKeyword("types")
# a string body that does not match this expression
WITHOUT = InternalKeyword("without")
# a number that is no multiple of this one
NOT_MULTIPLE = InternalKeyword("no multiple")
# (expression of keys, conjunction, conjunction): some key of these obeys the first, and its value the second
SOME_KEY = InternalKeyword("some key")
# (index, conjunction, least, most): so many items from the index on are so
SOME_ITEM = InternalKeyword("some item")
# a list of conjunctions, one of which holds
SOME_OF = InternalKeyword("some of")
# where it is asked for: some two items are equal
REPEATED = InternalKeyword("repeated")
# the opposite of a conjunction
NOT = InternalKeyword("not")


class Negation:
    """Opposites of the schemas of one build, each worked out once."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.subschemas = reader.subschemas
        self._options: dict[int, list[Conj]] = {}
        self._schemas: dict[Conj, dict[Any, Any]] = {}

    def schema(self, conj: Conj) -> dict[Any, Any] | bool:
        """A schema that says the opposite of a conjunction."""
        if not conj:
            return False
        if conj == NEVER:
            return True
        found = self._schemas.get(conj)
        if found is None:
            found = self._schemas[conj] = {NOT: conj}
        return found

    def conj(self, subschema: Subschema, conj: Conj) -> Conj:
        """The same as a conjunction."""
        opposite = self.schema(conj)
        if isinstance(opposite, bool):
            return () if opposite else NEVER
        return self.subschemas.synthesized(subschema, opposite, "not")

    def options(self, conj: Conj) -> list[Conj]:
        """Alternatives, of which a value that does not obey the conjunction has at least one."""
        if conj == NEVER:
            return [()]
        found: list[Conj] = []
        for at in conj:
            known = self._options.get(at)
            if known is None:
                known = self._options[at] = self._opposites(at)
            found.extend(known)
        return found

    def _opposites(self, at: int) -> list[Conj]:
        subschema = self.subschemas.list[at]
        made: list[Conj] = []
        for word, value in subschema.keywords().items():
            if not self.reader.knows(subschema, word):
                continue
            maker = _MAKERS.get(word)
            if maker is not None:
                for one in maker(self, subschema, word, value):
                    made.append(
                        one if isinstance(one, tuple) else self.subschemas.synthesized(subschema, one, str(word))
                    )
            elif word not in SILENT:
                where = subschema.pointer(word) if isinstance(word, str) else subschema.pointer()
                raise UnsupportedError(f"{word} is not supported inside `not`, `oneOf` or `if`", pointer=where)
        return made

    def _child(self, subschema: Subschema, schema: Any, *tokens: str) -> Conj:
        return self.subschemas.child(subschema, schema, *tokens)

    # One method a keyword: schemas or conjunctions, each of which breaks it

    def type(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        left = ALL & ~self.reader.types(subschema, word, value)
        return [{TYPES_LEFT: left}] if left else []

    def enum(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        scalars, compound = self.reader.scalars(subschema, word, value)
        left = ALL & ~(scalars.types & (NULL | TRUE | FALSE))
        others: Conj = ()
        for one in compound:
            others = join(others, self.conj(subschema, one))
        found: list[Any] = []
        if scalars.numbers:
            # exactly the numbers between, below and above the values
            points = sorted(scalars.numbers)
            bounds: list[Decimal | None] = [None, *points, None]
            for low, high in pairwise(bounds):
                gap: dict[Any, Any] = {"type": "number"}
                if low is not None:
                    gap["exclusiveMinimum"] = low
                if high is not None:
                    gap["exclusiveMaximum"] = high
                found.append(gap)
            left &= ~NUM
        if scalars.strings:
            strings = self.reader.strings
            listed = strings.store.union([strings.body(text) for text in scalars.strings])
            found.append({"type": "string", WITHOUT: listed})
            left &= ~STR
        rest = self.subschemas.synthesized(subschema, {TYPES_LEFT: left}, word)
        return [*found, join(rest, others)]

    def minimum(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        bound = number(value, subschema, word)
        is_open = subschema.schema.get("exclusiveMinimum") is True
        return [{"type": "number", "maximum" if is_open else "exclusiveMaximum": bound}]

    def maximum(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        bound = number(value, subschema, word)
        is_open = subschema.schema.get("exclusiveMaximum") is True
        return [{"type": "number", "minimum" if is_open else "exclusiveMinimum": bound}]

    def exclusive(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        if isinstance(value, bool):
            return []
        return [{"type": "number", "maximum" if word == "exclusiveMinimum" else "minimum": value}]

    def multiple_of(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        return [{"type": "number", NOT_MULTIPLE: self.reader.divisor_of(subschema, word, value)}]

    def at_least(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        kind, opposite = _COUNTS[word]
        count = count_of(value, subschema, word)
        return [{"type": kind, opposite: count - 1}] if count else []

    def at_most(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        kind, opposite = _COUNTS[word]
        return [{"type": kind, opposite: count_of(value, subschema, word) + 1}]

    def pattern(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        return [{"type": "string", WITHOUT: self.reader.pattern_of(subschema, word, value)}]

    def format(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        body = self.reader.format_of(subschema, word, value)
        if body is not None and value == "regex":
            # some valid patterns are left out of its expression: they would be accepted here
            raise UnsupportedError(
                "the format 'regex' is not supported inside `not`, `oneOf` or `if`: remove it, or pass "
                "formats='annotation'",
                pointer=subschema.pointer(word),
            )
        return [] if body is None else [{"type": "string", WITHOUT: body}]

    def items(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        if word == "items" and has_prefix_items(subschema):
            return []
        items = self.reader.read_items(subschema)
        found: list[Any] = []
        for index, conj in enumerate(items.prefix):
            if conj:
                wrong = [*[True] * index, self.schema(conj)]
                found.append({"type": "array", "minItems": index + 1, "prefixItems": wrong})
        length = len(items.prefix)
        if items.rest == NEVER:
            found.append({"type": "array", "minItems": length + 1})
        elif items.rest:
            found.append({"type": "array", SOME_ITEM: (length, self.conj(subschema, items.rest), 1, None)})
        return found

    def unique_items(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        is_unique = self.reader.is_unique(subschema, word, value)
        return [{"type": "array", "minItems": 2, REPEATED: subschema}] if is_unique else []

    def repeated(self, subschema: Subschema, word: Any, value: Any) -> list[Any]:
        return [{"uniqueItems": True}]

    def contains(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        conj, least, most = self.reader.contains_of(subschema)
        found: list[Any] = []
        if least:
            found.append({"type": "array", SOME_ITEM: (0, conj, 0, least - 1)})
        if most is not None:
            found.append({"type": "array", SOME_ITEM: (0, conj, most + 1, None)})
        return found

    def group(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        if not self.reader.is_first_of_group(subschema, word):
            return []
        group = self.reader.read_group(subschema)
        strings = self.reader.strings
        found: list[Any] = []
        required = self.required_of(subschema)
        for name, conj in group.named.items():
            if conj:
                wrong: dict[str, Any] = {"type": "object", "properties": {name: self.schema(conj)}}
                if name not in required:
                    wrong["required"] = [name]
                found.append(wrong)
        for body, conj in group.patterns:
            if conj:
                found.append({"type": "object", SOME_KEY: (strings.quoted(body), (), self.conj(subschema, conj))})
        if group.additional:
            others = strings.other_keys(group.named, [body for body, _ in group.patterns])
            found.append({"type": "object", SOME_KEY: (others, (), self.conj(subschema, group.additional))})
        return found

    def required(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        # of a property that is required and has a schema, to lack it and to break the schema are one alternative
        named: Any = {}
        if "properties" in subschema.schema:
            named = self.reader.read_group(subschema).named
        names = names_of(value, subschema, word)
        return [{"type": "object", "properties": {name: False}} for name in names if not named.get(name)]

    def required_of(self, subschema: Subschema) -> list[str]:
        """The properties that a schema requires."""
        return names_of(subschema.schema["required"], subschema, "required") if "required" in subschema.schema else []

    def property_names(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        wrong = self.conj(subschema, self._child(subschema, value, word))
        return [] if wrong == NEVER else [{"type": "object", SOME_KEY: (self.reader.strings.any_key, wrong, ())}]

    def dependencies(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        found: list[Any] = []
        for name, needed, then in self.reader.dependencies_of(subschema, word, value):
            there = {"type": "object", "required": [name]}
            found.extend([{**there, "properties": {other: False}} for other in needed])
            if then:
                found.append(
                    join(self.subschemas.synthesized(subschema, there, word, name), self.conj(subschema, then))
                )
        return found

    def unevaluated(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        of_properties = word == "unevaluatedProperties"
        wrong = self.conj(subschema, self._child(subschema, value, word))
        if wrong == NEVER:
            return []
        # the same schema, but that something is left over and wrong: read as a schema of its own draft, for its marks
        others = {key: inner for key, inner in subschema.schema.items() if key != word}
        return [
            self._child(
                subschema, {**others, SOME_LEFT: (of_properties, wrong, self._child(subschema, subschema.schema))}
            )
        ]

    def some_left(self, subschema: Subschema, word: Any, value: Any) -> list[Any]:
        return [value[2]]

    def negated(self, subschema: Subschema, word: Any, value: Any) -> list[Any]:
        return [value]

    def some_of(self, subschema: Subschema, word: Any, value: Any) -> list[Any]:
        none: Conj = ()
        for conj in value:
            none = join(none, self.conj(subschema, conj))
        return [none]

    def ref(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        return [self.conj(subschema, self.subschemas.follow(subschema, value, word))]

    def all_of(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        return [self.conj(subschema, conj) for conj in self.reader.list_of(subschema, word, value)]

    def any_of(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        none: Conj = ()
        for conj in self.reader.list_of(subschema, word, value):
            none = join(none, self.conj(subschema, conj))
        return [none]

    def one_of(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        options = self.reader.list_of(subschema, word, value)
        two = [join(first, second) for index, second in enumerate(options) for first in options[:index]]
        return [*self.any_of(subschema, word, value), *two]

    def negation(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        return [self._child(subschema, value, word)]

    def condition(self, subschema: Subschema, word: str, value: Any) -> list[Any]:
        when, then, otherwise = self.reader.condition_of(subschema)
        return [
            join(when, self.conj(subschema, then)),
            join(self.conj(subschema, when), self.conj(subschema, otherwise)),
        ]


_COUNTS = {
    "minLength": ("string", "maxLength"),
    "maxLength": ("string", "minLength"),
    "minItems": ("array", "maxItems"),
    "maxItems": ("array", "minItems"),
    "minProperties": ("object", "maxProperties"),
    "maxProperties": ("object", "minProperties"),
}
_MAKERS: dict[Any, Any] = {
    "type": Negation.type,
    "enum": Negation.enum,
    "const": Negation.enum,
    "minimum": Negation.minimum,
    "maximum": Negation.maximum,
    "exclusiveMinimum": Negation.exclusive,
    "exclusiveMaximum": Negation.exclusive,
    "multipleOf": Negation.multiple_of,
    **dict.fromkeys(["minLength", "minItems", "minProperties"], Negation.at_least),
    **dict.fromkeys(["maxLength", "maxItems", "maxProperties"], Negation.at_most),
    "pattern": Negation.pattern,
    "format": Negation.format,
    "items": Negation.items,
    "prefixItems": Negation.items,
    "contains": Negation.contains,
    "uniqueItems": Negation.unique_items,
    REPEATED: Negation.repeated,
    "properties": Negation.group,
    "patternProperties": Negation.group,
    "additionalProperties": Negation.group,
    "required": Negation.required,
    "propertyNames": Negation.property_names,
    **dict.fromkeys(["dependencies", "dependentRequired", "dependentSchemas"], Negation.dependencies),
    **dict.fromkeys(["unevaluatedItems", "unevaluatedProperties"], Negation.unevaluated),
    SOME_LEFT: Negation.some_left,
    SOME_OF: Negation.some_of,
    NOT: Negation.negated,
    **dict.fromkeys(["$ref", "$dynamicRef", "$recursiveRef"], Negation.ref),
    "allOf": Negation.all_of,
    "anyOf": Negation.any_of,
    "oneOf": Negation.one_of,
    "not": Negation.negation,
    "if": Negation.condition,
}
