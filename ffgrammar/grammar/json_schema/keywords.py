"""What the keywords of a schema say, applied to a shape.

`Reader.apply` walks a schema and what is in place with it (`allOf`, `$ref`), in the order of the text. Alternatives are
handed back as choices, for combine.py to multiply out. A word that is no keyword is an annotation and warned about; a
keyword that is not enforced is refused.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.applicators import Applicators, Choice, Way, names_of
from ffgrammar.grammar.json_schema.dialects import Dialect
from ffgrammar.grammar.json_schema.formats import APPROXIMATE, FORMATS
from ffgrammar.grammar.json_schema.literals import Scalars, as_schema, count_of, number
from ffgrammar.grammar.json_schema.negate import (
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
from ffgrammar.grammar.json_schema.numbers import MAX_DIGITS, fits
from ffgrammar.grammar.json_schema.places import Place, Places
from ffgrammar.grammar.json_schema.resources import Resource
from ffgrammar.grammar.json_schema.shape import (
    ALL,
    ARR,
    BOOLS,
    INT,
    NULL,
    NUM,
    OBJ,
    STR,
    Conj,
    Group,
    Items,
    Shape,
    SomeKey,
    join,
)
from ffgrammar.grammar.json_schema.strings import Strings
from ffgrammar.grammar.json_schema.text import check_names, kind_of
from ffgrammar.grammar.json_schema.unevaluated import OWNERS, SOME_LEFT, Left, Mark, mark

__all__ = ["Reader"]

TYPES = {
    "null": NULL,
    "boolean": BOOLS,
    "integer": INT,
    "number": NUM,
    "string": STR,
    "array": ARR,
    "object": OBJ,
}


class Reader(Applicators):
    """Reads the schemas of one build."""

    def __init__(self, places: Places, strings: Strings, formats: str, warnings: list[str]) -> None:
        self.places = places
        self.strings = strings
        self.formats = formats
        self._warnings = warnings
        self.negate = Negation(self)
        self._warned: set[Any] = set()
        self._tables: dict[Resource, dict[Any, Any]] = {}
        # by the id() of a place
        self._groups: dict[int, Group] = {}
        self._items: dict[int, Items] = {}
        self._scalars: dict[tuple[int, str], tuple[Scalars, list[Conj]]] = {}

    def close(self) -> None:
        """Let go of those who hold on to this."""
        del self.exactly_one, self.negate

    def apply(self, shape: Shape, conj: Conj, way: Way, choices: list[Choice]) -> None:
        """Apply the schemas of a conjunction to a shape; alternatives are added to choices."""
        places = self.places.list
        # a place is read once for each of the owners that it evaluates for (see unevaluated.py)
        done: set[Any] = set()
        # what is left to read: (place number, way to it, None), or, once begun, (its number, its way, other keywords)
        stack: list[tuple[int, Way, Any]] = [(at, way, None) for at in reversed(conj)]
        while stack:
            at, way, rest = stack.pop()
            if not at:
                shape.types = 0
                return
            place = places[at]
            schema = place.schema
            if rest is None:
                if way:
                    self._refuse_circle(at, way)
                key = (at, way[2]) if way and way[2] else at
                if key in done:
                    continue
                done.add(key)
                if "$ref" in schema and place.draft < 2019:
                    # up to draft 7, what stands beside a reference has no meaning
                    schema = {"$ref": schema["$ref"]}
                way = (at, way, self._owners(place, at, way))
                rest = iter(schema.items())
            handlers = self._table(place)
            for word, value in rest:
                handler = handlers.get(word, _unknown)
                if handler is None:
                    continue
                more = handler(self, shape, place, word, value, choices, way)
                if more:
                    stack.append((at, way, rest))
                    stack.extend([(inner, way, None) for inner in reversed(more)])
                    break

    @staticmethod
    def _owners(place: Place, at: int, way: Way) -> tuple[int, ...]:
        """For which owners a place evaluates: those that it stands under, and itself. What is made here does not."""
        if place.modern:
            return ()
        owners: tuple[int, ...] = way[2] if way else ()
        return owners if OWNERS.isdisjoint(place.schema) else (*owners, at)

    def _refuse_circle(self, at: int, way: Way) -> None:
        depth = 0
        limit = self.places.limits.nesting
        while way:
            depth += 1
            if way[0] == at:
                raise GrammarError(
                    "the references here lead in a circle: none of them ever reaches a part of the value",
                    pointer=self.places.list[at].pointer(),
                )
            way = way[1]
        if depth > limit:
            where = self.places.list[at].pointer()
            raise LimitError("nesting", limit, f"schemas that apply to one value are nested too deep at {where}")

    def plain_type(self, conj: Conj) -> str | None:
        """The name of a type, if that is all that a conjunction says."""
        if len(conj) != 1:
            return None
        place = self.places.list[conj[0]]
        name = place.schema.get("type") if conj[0] else None
        if type(name) is not str or name not in TYPES:
            return None
        handlers = self._table(place)
        for word in place.schema:
            if handlers.get(word, _unknown) is not None and word != "type":
                return None
        return name if "type" in handlers else None

    # Types and literal values

    def types_of(self, at: int) -> int:
        """The types that a place names, whatever else it says."""
        if not at:
            return 0
        place = self.places.list[at]
        schema = place.schema
        if TYPES_LEFT in schema:
            return int(schema[TYPES_LEFT])
        return self.types(place, "type", schema["type"]) if "type" in schema and self.knows(place, "type") else ALL

    def type(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`type`"""
        shape.types &= self.types(place, word, value)

    @staticmethod
    def types(place: Place, word: str, value: Any) -> int:
        """The types that `type` names."""
        if type(value) is str:
            allowed = TYPES.get(value, 0)
        else:
            if not isinstance(value, list) or not value:
                raise GrammarError(
                    f"type is the name of a type or a list of names, not {kind_of(value)}", pointer=place.pointer(word)
                )
            allowed = 0
            for index, name in enumerate(value):
                one = TYPES.get(name, 0) if isinstance(name, str) else 0
                if not one:
                    raise _bad_type(name, place.pointer(word, str(index)))
                allowed |= one
        if not allowed:
            raise _bad_type(value, place.pointer(word))
        return allowed

    def enum(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`enum` and `const`"""
        scalars, compound = self.scalars(place, word, value)
        if not compound or not shape.types & (ARR | OBJ):
            self._only(shape, scalars)
            return
        options = list(compound)
        if scalars.types:
            plain = [one for one in value if not isinstance(one, (list, dict))]
            options.append(self.places.made(place, {"enum": plain}, word))
        choices.append(Choice(options, way))

    def scalars(self, place: Place, word: str, value: Any) -> tuple[Scalars, list[Conj]]:
        """The values of `enum` or `const`: scalars, and a schema for each of the others."""
        key = (id(place), word)
        found = self._scalars.get(key)
        if found is None:
            values = [value] if word == "const" else value
            if not isinstance(values, list):
                raise GrammarError(f"enum is an array of values, not {kind_of(value)}", pointer=place.pointer(word))

            def tokens(index: int) -> tuple[str, ...]:
                return (word,) if word == "const" else (word, str(index))

            scalars = Scalars(values, lambda index: place.pointer(*tokens(index)))
            compound = []
            for index, one in scalars.compound:
                schema = as_schema(one, place.pointer(*tokens(index)))
                compound.append(self.places.made(place, schema, *tokens(index)))
            found = self._scalars[key] = (scalars, compound)
        return found

    @staticmethod
    def _only(shape: Shape, scalars: Scalars) -> None:
        shape.types &= scalars.types
        if scalars.strings:
            old = shape.strings
            shape.strings = scalars.strings if old is None else _both(old, scalars.strings)
        if scalars.numbers:
            before = shape.numbers
            shape.numbers = scalars.numbers if before is None else _both(before, scalars.numbers)

    # Numbers

    def minimum(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minimum`; draft 4 makes it exclusive by a boolean beside it"""
        is_open = place.schema.get("exclusiveMinimum") is True
        shape.at_least(number(value, place.pointer(word)), is_open)

    def maximum(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maximum`"""
        is_open = place.schema.get("exclusiveMaximum") is True
        shape.at_most(number(value, place.pointer(word)), is_open)

    def exclusive(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`exclusiveMinimum`, `exclusiveMaximum`"""
        if isinstance(value, bool):
            if place.draft == 4 or not place.resource.declared:
                return
            raise GrammarError(f"{word} is a number since draft 6, not a boolean", pointer=place.pointer(word))
        bound = number(value, place.pointer(word))
        if word == "exclusiveMinimum":
            shape.at_least(bound, True)
        else:
            shape.at_most(bound, True)

    def multiple_of(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`multipleOf`"""
        divisor = self.divisor_of(place, word, value)
        if divisor not in [known for known, _ in shape.divisors]:
            shape.divisors = (*shape.divisors, (divisor, place))

    @staticmethod
    def divisor_of(place: Place, word: str, value: Any) -> Decimal:
        """What numbers are to be multiples of."""
        divisor = number(value, place.pointer(word))
        if divisor <= 0:
            raise GrammarError("multipleOf is above 0", pointer=place.pointer(word))
        if not fits(divisor):
            where = place.pointer(word)
            raise LimitError("expression_size", MAX_DIGITS, f"at {where}: {divisor:.9e} has too many digits")
        return divisor

    # Strings

    def min_length(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minLength`"""
        shape.min_length = max(shape.min_length, count_of(value, place, word))

    def max_length(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxLength`"""
        shape.max_length = _least(shape.max_length, count_of(value, place, word))

    def pattern(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`pattern`"""
        self._body(shape, self.pattern_of(place, word, value))

    def pattern_of(self, place: Place, word: str, value: Any) -> int:
        """The bodies that match a pattern."""
        if not isinstance(value, str):
            raise GrammarError(f"pattern is a string, not {kind_of(value)}", pointer=place.pointer(word))
        return self.strings.pattern(value, place.pointer(word))

    def format(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`format`"""
        body = self.format_of(place, word, value)
        if body is not None:
            self._body(shape, body)

    def format_of(self, place: Place, word: str, value: Any) -> int | None:
        """The bodies of a format; None, and a warning, when it is not enforced."""
        if not isinstance(value, str):
            raise GrammarError(f"format is a string, not {kind_of(value)}", pointer=place.pointer(word))
        if value in FORMATS and (self.formats == "enforce" or place.dialect.asserts_formats):
            if value in APPROXIMATE:
                self.warn_once(place.pointer(word), f"the format {value!r} {APPROXIMATE[value]}", anywhere=True)
            return self.strings.format(value, place.draft)
        known = "" if value in FORMATS else "unknown: "
        self.warn_once(place.pointer(word), f"the format {value!r} is {known}not enforced", anywhere=True)
        return None

    @staticmethod
    def _body(shape: Shape, body: int) -> None:
        if body not in shape.patterns:
            shape.patterns = (*shape.patterns, body)

    # Arrays

    def items(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`prefixItems` and `items`; `items` with an array and `additionalItems`"""
        if word == "items" and self.has_prefix_items(place):
            return
        items = self.read_items(place)
        shape.items = (*shape.items, items)
        if way[2]:
            rest = "additionalItems" if isinstance(value, list) and word == "items" else "items"
            mark(shape, way, lambda owner: Mark(owner, None, len(items.prefix), None, rest in place.schema))

    def has_prefix_items(self, place: Place) -> bool:
        """Whether a schema has `prefixItems`, in a draft that knows the word."""
        return "prefixItems" in place.schema and self.knows(place, "prefixItems")

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
        if self.has_prefix_items(place):
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
        if way[2] and self.knows(place, "prefixItems"):
            mark(shape, way, lambda owner: Mark(owner, None, 0, conj))
        if least or most is not None:
            shape.min_items = max(shape.min_items, least)
            if conj or most is not None:
                shape.contain(0, conj, least, most, place)

    def contains_of(self, place: Place) -> tuple[Conj, int, int | None]:
        """What items `contains` is about, and how many of them there must be."""
        conj = self.places.child(place, place.schema["contains"], "contains")
        least, most = 1, None
        if self.knows(place, "minContains"):
            least = count_of(place.schema.get("minContains", 1), place, "minContains")
            if "maxContains" in place.schema and self.knows(place, "maxContains"):
                most = count_of(place.schema["maxContains"], place, "maxContains")
        return conj, least, most

    def min_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minItems`"""
        shape.min_items = max(shape.min_items, count_of(value, place, word))

    def max_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxItems`"""
        shape.max_items = _least(shape.max_items, count_of(value, place, word))

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

    # Objects

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
        for other in _GROUP_WORDS:
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
            check_names(value, place.pointer(word))
        return Group(
            {name: child(place, inner, "properties", name) for name, inner in named.items()},
            tuple(
                [
                    (
                        self.strings.pattern(pattern, place.pointer("patternProperties", pattern)),
                        child(place, inner, "patternProperties", pattern),
                    )
                    for pattern, inner in patterns.items()
                ]
            ),
            child(place, schema.get("additionalProperties", True), "additionalProperties"),
        )

    def unevaluated(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`unevaluatedProperties`, `unevaluatedItems`"""
        of_properties = word == "unevaluatedProperties"
        conj = self.places.child(place, value, word)
        at, above, owners = way
        if conj:
            shape.left = (*shape.left, Left(at, of_properties, conj, False, place))
        # for all others that it stands under, nothing is left over
        about = Group({}, (), ()) if of_properties else None
        mark(shape, (at, above, owners[:-1]), lambda owner: Mark(owner, about, everything=True))

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
        shape.max_properties = _least(shape.max_properties, count_of(value, place, word))

    # Words of negate.py

    def not_conj(self, shape: Shape, place: Place, word: Any, value: Any, choices: list[Choice], way: Way) -> None:
        """NOT"""
        choices.append(Choice(self.negate.options(value), way, value))

    def some_of(self, shape: Shape, place: Place, word: Any, value: Any, choices: list[Choice], way: Way) -> None:
        """SOME_OF"""
        choices.append(Choice(value, way))

    def some_left(self, shape: Shape, place: Place, word: Any, value: Any, choices: list[Choice], way: Way) -> None:
        """SOME_LEFT"""
        of_properties, conj, _ = value
        shape.types &= OBJ if of_properties else ARR
        shape.left = (*shape.left, Left(way[0], of_properties, conj, True, place))

    def types_left(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """TYPES_LEFT"""
        shape.types &= value

    def without(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """WITHOUT"""
        self._body(shape, self.strings.without(value))

    def not_multiple(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """NOT_MULTIPLE"""
        if value not in [known for known, _ in shape.not_divisors]:
            shape.not_divisors = (*shape.not_divisors, (value, place))

    def some_item(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """SOME_ITEM"""
        start, conj, least, most = value
        shape.min_items = max(shape.min_items, start + least)
        shape.contain(start, conj, least, most, place)

    def some_repeated(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """REPEATED"""
        shape.repeated = shape.repeated or value

    def some_key(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """SOME_KEY"""
        keys, name, conj = value
        shape.some_key(SomeKey(keys, name, conj, place))

    # The rest

    def warn(self, pointer: str, message: str) -> None:
        """Add to the warnings."""
        self._warnings.append(f"at {pointer}: {message}")

    def warn_once(self, pointer: str, message: str, *, anywhere: bool = False) -> None:
        """Add to the warnings what comes up several times at a place; or, if `anywhere`, at several places."""
        key = message if anywhere else (pointer, message)
        if key not in self._warned:
            self._warned.add(key)
            self.warn(pointer, message)

    def _table(self, place: Place) -> dict[Any, Any]:
        """The keywords of the dialect that a place is written in."""
        if place.modern:
            return _HANDLERS
        found = self._tables.get(place.resource)
        if found is None:
            found = self._tables[place.resource] = _handlers_of(place.resource.dialect)
        return found

    def knows(self, place: Place, word: Any) -> bool:
        """Whether a word of a schema is a keyword."""
        return word in self._table(place)

    def refuse(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """A keyword that is understood, but not enforced."""
        raise UnsupportedError(
            f"{word} is not supported: remove it, or say the same with other keywords", pointer=place.pointer(word)
        )

    def unknown(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """Not a keyword: an annotation. A word is looked at once: large schemas repeat theirs thousands of times."""
        if word in self._warned:
            return
        check_names((word,), place.pointer())
        self._warned.add(word)
        if not word.startswith("x-"):
            if word in _HANDLERS:
                what = "vocabularies" if word in place.dialect.off else "draft"
                why = f"{word} is not a keyword of this schema's {what}"
            else:
                why = f"{word!r} is not a keyword of JSON Schema"
            self.warn(place.pointer(word), f"{why}: ignored")


def _bad_type(name: Any, pointer: str) -> GrammarError:
    known = ", ".join(TYPES)
    return GrammarError(f"{name!r} is not a type; the types are {known}", pointer=pointer)


def _least(old: int | None, new: int) -> int:
    return new if old is None else min(old, new)


def _both(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    wanted = set(new)
    return tuple([one for one in old if one in wanted])


_GROUP_WORDS = ("properties", "patternProperties", "additionalProperties")
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

# the first draft in which a word is a keyword, and the last
_SINCE = {
    "const": 6,
    "contains": 6,
    "propertyNames": 6,
    "if": 7,
    "dependentRequired": 2019,
    "dependentSchemas": 2019,
    "minContains": 2019,
    "maxContains": 2019,
    "unevaluatedItems": 2019,
    "unevaluatedProperties": 2019,
    "$recursiveRef": 2019,
    "prefixItems": 2020,
    "$dynamicRef": 2020,
}
_UNTIL = {"$recursiveRef": 2019}


@cache
def _handlers_of(dialect: Dialect) -> dict[Any, Any]:
    draft = dialect.draft
    return {
        word: handler
        for word, handler in _HANDLERS.items()
        if _SINCE.get(word, 0) <= draft <= _UNTIL.get(word, draft) and word not in dialect.off
    }
