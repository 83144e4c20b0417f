"""What the keywords of a schema say, applied to a shape.

`Reader.apply` walks a schema and what is in place with it (`allOf`, `$ref`), in the order of the text. Alternatives are
handed back as choices, for combine.py to multiply out. A keyword that is not known is an annotation and warned about;
one that is known and not read here is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.formats import FORMATS, UNENFORCED
from ffgrammar.grammar.json_schema.literals import Scalars, as_schema, number
from ffgrammar.grammar.json_schema.places import Place, Places, kind_of
from ffgrammar.grammar.json_schema.shape import (
    ARR,
    BOOLS,
    INT,
    NEVER,
    NULL,
    NUM,
    OBJ,
    STR,
    Conj,
    Group,
    Items,
    Shape,
    join,
)
from ffgrammar.grammar.json_schema.strings import Strings

__all__ = ["Choice", "Reader", "Way"]

TYPES = {
    "null": NULL,
    "boolean": BOOLS,
    "integer": INT,
    "number": NUM,
    "string": STR,
    "array": ARR,
    "object": OBJ,
}

# The places that contain the one being read: (place number, those above it); () at the top.
Way = tuple[Any, ...]


class Choice(NamedTuple):
    """Alternatives, at least one of which must hold, and the way to where they stand."""

    options: list[Conj]
    way: Way


class Reader:
    """Reads the schemas of one build."""

    def __init__(self, places: Places, strings: Strings, formats: str, warn: Callable[[str, str], None]) -> None:
        self.places = places
        self.strings = strings
        self.formats = formats
        self.warn = warn
        # how oneOf becomes a choice; combine.py sets it, since it takes reading other schemas
        self.exactly_one: Callable[[Place, list[Conj]], list[Conj]] = lambda place, options: options
        self._handlers = _handlers_of(places.draft)
        self._warned: set[str] = set()
        self._groups: dict[int, Group] = {}
        self._items: dict[int, Items] = {}
        self._scalars: dict[tuple[int, str], tuple[Scalars, list[Conj]]] = {}

    def apply(self, shape: Shape, conj: Conj, way: Way, choices: list[Choice]) -> None:
        """Apply the schemas of a conjunction to a shape; alternatives are added to choices."""
        places = self.places.list
        done: set[int] = set()
        # what is left to read: (place number, way to it, its remaining keywords or None)
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
                if at in done:
                    continue
                done.add(at)
                if "$ref" in schema and self.places.draft < 2019:
                    # up to draft 7, what stands beside a reference has no meaning
                    schema = {"$ref": schema["$ref"]}
                rest = iter(schema.items())
            handlers = _HANDLERS if at in self.places.modern else self._handlers
            for word, value in rest:
                handler = handlers.get(word, _unknown)
                if handler is None:
                    continue
                more = handler(self, shape, place, word, value, choices, (at, way))
                if more:
                    stack.append((at, way, rest))
                    stack.extend([(inner, (at, way), None) for inner in reversed(more)])
                    break

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

    # Types and literal values

    def type(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`type`"""
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
        shape.types &= allowed

    def enum(
        self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way
    ) -> None:
        """`enum` and `const`"""
        key = (way[0], word)
        found = self._scalars.get(key)
        if found is None:
            values = [value] if word == "const" else value
            if not isinstance(values, list):
                raise GrammarError(f"enum is an array of values, not {kind_of(value)}", pointer=place.pointer(word))
            scalars = Scalars(values, place.pointer(word))
            compound = []
            for index, one in scalars.compound:
                tokens = (word,) if word == "const" else (word, str(index))
                compound.append(self.places.made(place, as_schema(one), *tokens))
            found = self._scalars[key] = (scalars, compound)
        scalars, compound = found
        if not compound or not shape.types & (ARR | OBJ):
            self._only(shape, scalars)
            return
        options = list(compound)
        if scalars.types:
            plain = [one for one in value if not isinstance(one, (list, dict))]
            options.append(self.places.made(place, {"enum": plain}, word))
        choices.append(Choice(options, way))

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
            declared = isinstance(self.places.root.root, dict) and "$schema" in self.places.root.root
            if self.places.draft == 4 or not declared:
                return
            raise GrammarError(f"{word} is a number since draft 6, not a boolean", pointer=place.pointer(word))
        bound = number(value, place.pointer(word))
        if word == "exclusiveMinimum":
            shape.at_least(bound, True)
        else:
            shape.at_most(bound, True)

    def multiple_of(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`multipleOf`"""
        divisor = number(value, place.pointer(word))
        if divisor <= 0:
            raise GrammarError("multipleOf is above 0", pointer=place.pointer(word))
        if divisor not in [known for known, _ in shape.divisors]:
            shape.divisors = (*shape.divisors, (divisor, place))

    # Strings

    def min_length(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minLength`"""
        shape.min_length = max(shape.min_length, _count(value, place, word))

    def max_length(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxLength`"""
        shape.max_length = _least(shape.max_length, _count(value, place, word))

    def pattern(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`pattern`"""
        if not isinstance(value, str):
            raise GrammarError(f"pattern is a string, not {kind_of(value)}", pointer=place.pointer(word))
        # a pattern that no string can meet, because strings are not allowed, need not be one that can be read
        if shape.types & STR:
            self._body(shape, self.strings.pattern(value, place.pointer(word)))

    def format(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`format`"""
        if not isinstance(value, str):
            raise GrammarError(f"format is a string, not {kind_of(value)}", pointer=place.pointer(word))
        known = value in FORMATS
        if self.formats == "enforce":
            if known:
                if shape.types & STR:
                    self._body(shape, self.strings.format(value))
                return
            if value in UNENFORCED:
                raise UnsupportedError(
                    f"the format {value!r} cannot be enforced: remove it, or pass formats='annotation'",
                    pointer=place.pointer(word),
                )
        if value not in self._warned:
            self._warned.add(value)
            known = known or value in UNENFORCED
            self.warn(place.pointer(word), f"the format {value!r} is {'' if known else 'unknown: '}not enforced")

    @staticmethod
    def _body(shape: Shape, body: int) -> None:
        if body not in shape.patterns:
            shape.patterns = (*shape.patterns, body)

    # Arrays

    def items(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`prefixItems` and `items`; `items` with an array and `additionalItems`"""
        if word == "items" and "prefixItems" in place.schema:
            return
        found = self._items.get(way[0])
        if found is None:
            found = self._items[way[0]] = self._read_items(place)
        shape.items = (*shape.items, found)

    def _read_items(self, place: Place) -> Items:
        child = self.places.child
        schema = place.schema
        rest_word = "items"
        rest = schema.get("items", True)
        if "prefixItems" in schema:
            first_word, first = "prefixItems", schema["prefixItems"]
            if not isinstance(first, list):
                raise GrammarError(
                    f"prefixItems is an array of schemas, not {kind_of(first)}", pointer=place.pointer(first_word)
                )
        elif isinstance(rest, list):
            declared = isinstance(self.places.root.root, dict) and "$schema" in self.places.root.root
            if declared and self.places.draft == 2020:
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

    def min_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minItems`"""
        shape.min_items = max(shape.min_items, _count(value, place, word))

    def max_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxItems`"""
        shape.max_items = _least(shape.max_items, _count(value, place, word))

    def unique_items(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`uniqueItems`: known to hold where an array has at most one item"""
        if not isinstance(value, bool):
            raise GrammarError(f"uniqueItems is a boolean, not {kind_of(value)}", pointer=place.pointer(word))
        if value:
            shape.unique = shape.unique or place

    # Objects

    def group(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`properties`, `patternProperties` and `additionalProperties`, when the first of them is met"""
        schema = place.schema
        for other in _GROUP_WORDS:
            if other in schema:
                if other != word:
                    return
                break
        found = self._groups.get(way[0])
        if found is None:
            found = self._groups[way[0]] = self._read_group(place)
        shape.groups = (*shape.groups, found)

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

    def required(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`required`"""
        if not isinstance(value, list) or not all([type(name) is str for name in value]):
            raise GrammarError("required is an array of property names", pointer=place.pointer(word))
        if value:
            shape.require(value)

    def property_names(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`propertyNames`"""
        shape.key_names = join(shape.key_names, self.places.child(place, value, word))

    def min_properties(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`minProperties`"""
        count = _count(value, place, word)
        if count > shape.min_properties:
            shape.min_properties = count
            shape.counted_at = place

    def max_properties(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`maxProperties`"""
        shape.max_properties = _least(shape.max_properties, _count(value, place, word))

    # Combinations

    def ref(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> Conj:
        """`$ref`"""
        return self.places.follow(place, value, word)

    def all_of(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> list[int]:
        """`allOf`"""
        return [at for conj in self._list(place, word, value) for at in conj]

    def any_of(
        self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way
    ) -> None:
        """`anyOf`"""
        choices.append(Choice(self._list(place, word, value), way))

    def one_of(
        self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way
    ) -> None:
        """`oneOf`"""
        choices.append(Choice(self.exactly_one(place, self._list(place, word, value)), way))

    def _list(self, place: Place, word: str, value: Any) -> list[Conj]:
        if not isinstance(value, list) or not value:
            raise GrammarError(f"{word} is an array of at least one schema", pointer=place.pointer(word))
        child = self.places.child
        return [child(place, one, word, str(index)) for index, one in enumerate(value)]

    # The rest

    def refuse(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """A keyword that is understood, but not enforced."""
        raise UnsupportedError(
            f"{word} is not supported: remove it, or say the same with other keywords", pointer=place.pointer(word)
        )

    def unknown(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """Not a keyword: an annotation."""
        if not word.startswith("x-") and word not in self._warned:
            self._warned.add(word)
            if word in _HANDLERS:
                why = f"{word} is not a keyword of this schema's draft"
            else:
                why = f"{word!r} is not a keyword of JSON Schema"
            self.warn(place.pointer(word), f"{why}: ignored")


def _bad_type(name: Any, pointer: str) -> GrammarError:
    known = ", ".join(TYPES)
    return GrammarError(f"{name!r} is not a type; the types are {known}", pointer=pointer)


def _count(value: Any, place: Place, word: str) -> int:
    """A number of characters, items or properties."""
    if type(value) is int and value >= 0:
        return value
    exact = number(value, place.pointer(word))
    if exact < 0 or exact != exact.to_integral_value():
        raise GrammarError(f"{word} is a whole number from 0 up, not {value}", pointer=place.pointer(word))
    return int(exact)


def _least(old: int | None, new: int) -> int:
    return new if old is None else min(old, new)


def _both(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    wanted = set(new)
    return tuple([one for one in old if one in wanted])


_GROUP_WORDS = ("properties", "patternProperties", "additionalProperties")
# None: says nothing about the value, or is read by the keyword that it goes with
_HANDLERS: dict[str, Any] = {
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
    "$ref": Reader.ref,
    "allOf": Reader.all_of,
    "anyOf": Reader.any_of,
    "oneOf": Reader.one_of,
    **dict.fromkeys(
        """$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSchemas if not unevaluatedItems
        unevaluatedProperties""".split(),
        Reader.refuse,
    ),
    **dict.fromkeys(
        """$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $schema $vocabulary additionalItems contentEncoding
        contentMediaType contentSchema default definitions deprecated description else example examples id maxContains
        minContains readOnly then title writeOnly""".split()
    ),
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
    "unevaluatedItems": 2019,
    "unevaluatedProperties": 2019,
    "$recursiveRef": 2019,
    "prefixItems": 2020,
    "$dynamicRef": 2020,
}
_UNTIL = {"dependencies": 7, "$recursiveRef": 2019}


@lru_cache(maxsize=None)
def _handlers_of(draft: int) -> dict[str, Any]:
    return {
        word: handler
        for word, handler in _HANDLERS.items()
        if _SINCE.get(word, 0) <= draft <= _UNTIL.get(word, draft)
    }
