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
from ffgrammar.grammar.json_schema.applicators import names_of
from ffgrammar.grammar.json_schema.array_keywords import has_prefix_items
from ffgrammar.grammar.json_schema.literals import count_of, number
from ffgrammar.grammar.json_schema.places import Place
from ffgrammar.grammar.json_schema.shape import ALL, FALSE, NEVER, NULL, NUM, STR, TRUE, Conj, Word, join
from ffgrammar.grammar.json_schema.unevaluated import SOME_LEFT

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.keywords import Reader

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
TYPES_LEFT = Word("types")
# a string body that does not match this expression
WITHOUT = Word("without")
# a number that is no multiple of this one
NOT_MULTIPLE = Word("no multiple")
# (expression of keys, conjunction, conjunction): some key of these obeys the first, and its value the second
SOME_KEY = Word("some key")
# (index, conjunction, least, most): so many items from the index on are so
SOME_ITEM = Word("some item")
# a list of conjunctions, one of which holds
SOME_OF = Word("some of")
# where it is asked for: some two items are equal
REPEATED = Word("repeated")
# the opposite of a conjunction
NOT = Word("not")


class Negation:
    """Opposites of the schemas of one build, each worked out once."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.places = reader.places
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

    def conj(self, place: Place, conj: Conj) -> Conj:
        """The same as a conjunction."""
        opposite = self.schema(conj)
        if isinstance(opposite, bool):
            return () if opposite else NEVER
        return self.places.made(place, opposite, "not")

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
        place = self.places.list[at]
        made: list[Conj] = []
        for word, value in place.keywords().items():
            if not self.reader.knows(place, word):
                continue
            maker = _MAKERS.get(word)
            if maker is not None:
                for one in maker(self, place, word, value):
                    made.append(one if isinstance(one, tuple) else self.places.made(place, one, str(word)))
            elif word not in SILENT:
                where = place.pointer(word) if isinstance(word, str) else place.pointer()
                raise UnsupportedError(f"{word} is not supported inside `not`, `oneOf` or `if`", pointer=where)
        return made

    def _child(self, place: Place, schema: Any, *tokens: str) -> Conj:
        return self.places.child(place, schema, *tokens)

    # One method a keyword: schemas or conjunctions, each of which breaks it

    def type(self, place: Place, word: str, value: Any) -> list[Any]:
        left = ALL & ~self.reader.types(place, word, value)
        return [{TYPES_LEFT: left}] if left else []

    def enum(self, place: Place, word: str, value: Any) -> list[Any]:
        scalars, compound = self.reader.scalars(place, word, value)
        left = ALL & ~(scalars.types & (NULL | TRUE | FALSE))
        others: Conj = ()
        for one in compound:
            others = join(others, self.conj(place, one))
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
        rest = self.places.made(place, {TYPES_LEFT: left}, word)
        return [*found, join(rest, others)]

    def minimum(self, place: Place, word: str, value: Any) -> list[Any]:
        bound = number(value, place, word)
        is_open = place.schema.get("exclusiveMinimum") is True
        return [{"type": "number", "maximum" if is_open else "exclusiveMaximum": bound}]

    def maximum(self, place: Place, word: str, value: Any) -> list[Any]:
        bound = number(value, place, word)
        is_open = place.schema.get("exclusiveMaximum") is True
        return [{"type": "number", "minimum" if is_open else "exclusiveMinimum": bound}]

    def exclusive(self, place: Place, word: str, value: Any) -> list[Any]:
        if isinstance(value, bool):
            return []
        return [{"type": "number", "maximum" if word == "exclusiveMinimum" else "minimum": value}]

    def multiple_of(self, place: Place, word: str, value: Any) -> list[Any]:
        return [{"type": "number", NOT_MULTIPLE: self.reader.divisor_of(place, word, value)}]

    def at_least(self, place: Place, word: str, value: Any) -> list[Any]:
        kind, opposite = _COUNTS[word]
        count = count_of(value, place, word)
        return [{"type": kind, opposite: count - 1}] if count else []

    def at_most(self, place: Place, word: str, value: Any) -> list[Any]:
        kind, opposite = _COUNTS[word]
        return [{"type": kind, opposite: count_of(value, place, word) + 1}]

    def pattern(self, place: Place, word: str, value: Any) -> list[Any]:
        return [{"type": "string", WITHOUT: self.reader.pattern_of(place, word, value)}]

    def format(self, place: Place, word: str, value: Any) -> list[Any]:
        body = self.reader.format_of(place, word, value)
        if body is not None and value == "regex":
            # some valid patterns are left out of its expression: they would be accepted here
            raise UnsupportedError(
                "the format 'regex' is not supported inside `not`, `oneOf` or `if`: remove it, or pass "
                "formats='annotation'",
                pointer=place.pointer(word),
            )
        return [] if body is None else [{"type": "string", WITHOUT: body}]

    def items(self, place: Place, word: str, value: Any) -> list[Any]:
        if word == "items" and has_prefix_items(place):
            return []
        items = self.reader.read_items(place)
        found: list[Any] = []
        for index, conj in enumerate(items.prefix):
            if conj:
                wrong = [*[True] * index, self.schema(conj)]
                found.append({"type": "array", "minItems": index + 1, "prefixItems": wrong})
        length = len(items.prefix)
        if items.rest == NEVER:
            found.append({"type": "array", "minItems": length + 1})
        elif items.rest:
            found.append({"type": "array", SOME_ITEM: (length, self.conj(place, items.rest), 1, None)})
        return found

    def unique_items(self, place: Place, word: str, value: Any) -> list[Any]:
        is_unique = self.reader.is_unique(place, word, value)
        return [{"type": "array", "minItems": 2, REPEATED: place}] if is_unique else []

    def repeated(self, place: Place, word: Any, value: Any) -> list[Any]:
        return [{"uniqueItems": True}]

    def contains(self, place: Place, word: str, value: Any) -> list[Any]:
        conj, least, most = self.reader.contains_of(place)
        found: list[Any] = []
        if least:
            found.append({"type": "array", SOME_ITEM: (0, conj, 0, least - 1)})
        if most is not None:
            found.append({"type": "array", SOME_ITEM: (0, conj, most + 1, None)})
        return found

    def group(self, place: Place, word: str, value: Any) -> list[Any]:
        if not self.reader.is_first_of_group(place, word):
            return []
        group = self.reader.read_group(place)
        strings = self.reader.strings
        found: list[Any] = []
        required = self.required_of(place)
        for name, conj in group.named.items():
            if conj:
                wrong: dict[str, Any] = {"type": "object", "properties": {name: self.schema(conj)}}
                if name not in required:
                    wrong["required"] = [name]
                found.append(wrong)
        for body, conj in group.patterns:
            if conj:
                found.append({"type": "object", SOME_KEY: (strings.quoted(body), (), self.conj(place, conj))})
        if group.additional:
            others = strings.other_keys(group.named, [body for body, _ in group.patterns])
            found.append({"type": "object", SOME_KEY: (others, (), self.conj(place, group.additional))})
        return found

    def required(self, place: Place, word: str, value: Any) -> list[Any]:
        # of a property that is required and has a schema, to lack it and to break the schema are one alternative
        named: Any = {}
        if "properties" in place.schema:
            named = self.reader.read_group(place).named
        names = names_of(value, place, word)
        return [{"type": "object", "properties": {name: False}} for name in names if not named.get(name)]

    def required_of(self, place: Place) -> list[str]:
        """The properties that a schema requires."""
        return names_of(place.schema["required"], place, "required") if "required" in place.schema else []

    def property_names(self, place: Place, word: str, value: Any) -> list[Any]:
        wrong = self.conj(place, self._child(place, value, word))
        return [] if wrong == NEVER else [{"type": "object", SOME_KEY: (self.reader.strings.any_key, wrong, ())}]

    def dependencies(self, place: Place, word: str, value: Any) -> list[Any]:
        found: list[Any] = []
        for name, needed, then in self.reader.dependencies_of(place, word, value):
            there = {"type": "object", "required": [name]}
            found.extend([{**there, "properties": {other: False}} for other in needed])
            if then:
                found.append(join(self.places.made(place, there, word, name), self.conj(place, then)))
        return found

    def unevaluated(self, place: Place, word: str, value: Any) -> list[Any]:
        of_properties = word == "unevaluatedProperties"
        wrong = self.conj(place, self._child(place, value, word))
        if wrong == NEVER:
            return []
        # the same schema, but that something is left over and wrong: read as a schema of its own draft, for its marks
        others = {key: inner for key, inner in place.schema.items() if key != word}
        return [self._child(place, {**others, SOME_LEFT: (of_properties, wrong, self._child(place, place.schema))})]

    def some_left(self, place: Place, word: Any, value: Any) -> list[Any]:
        return [value[2]]

    def negated(self, place: Place, word: Any, value: Any) -> list[Any]:
        return [value]

    def some_of(self, place: Place, word: Any, value: Any) -> list[Any]:
        none: Conj = ()
        for conj in value:
            none = join(none, self.conj(place, conj))
        return [none]

    def ref(self, place: Place, word: str, value: Any) -> list[Any]:
        return [self.conj(place, self.places.follow(place, value, word))]

    def all_of(self, place: Place, word: str, value: Any) -> list[Any]:
        return [self.conj(place, conj) for conj in self.reader.list_of(place, word, value)]

    def any_of(self, place: Place, word: str, value: Any) -> list[Any]:
        none: Conj = ()
        for conj in self.reader.list_of(place, word, value):
            none = join(none, self.conj(place, conj))
        return [none]

    def one_of(self, place: Place, word: str, value: Any) -> list[Any]:
        options = self.reader.list_of(place, word, value)
        two = [join(first, second) for index, second in enumerate(options) for first in options[:index]]
        return [*self.any_of(place, word, value), *two]

    def negation(self, place: Place, word: str, value: Any) -> list[Any]:
        return [self._child(place, value, word)]

    def condition(self, place: Place, word: str, value: Any) -> list[Any]:
        when, then, otherwise = self.reader.condition_of(place)
        return [join(when, self.conj(place, then)), join(self.conj(place, when), self.conj(place, otherwise))]


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
