"""What the keywords of a schema say, applied to a shape.

`Reader.apply` walks a schema and what is in place with it (`allOf`, `$ref`), in the order of the text. Alternatives are
handed back as choices, for combine.py to multiply out. A word that is no keyword is an annotation and warned about; a
keyword that is not enforced is refused.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.applicators import Applicators, Choice, Way, names_of
from ffgrammar.grammar.json_schema.formats import FORMATS, UNENFORCED
from ffgrammar.grammar.json_schema.literals import Scalars, as_schema, count_of, number
from ffgrammar.grammar.json_schema.negate import (
    NOT,
    REPEATED,
    SILENT,
    SOME_ITEM,
    SOME_KEY,
    TYPES_LEFT,
    WITHOUT,
    Negation,
)
from ffgrammar.grammar.json_schema.numbers import MAX_DIGITS, fits
from ffgrammar.grammar.json_schema.places import Place, Places, check_names, kind_of
from ffgrammar.grammar.json_schema.shape import (
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
    join,
)
from ffgrammar.grammar.json_schema.strings import Strings

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
        self._handlers = _handlers_of(places.draft)
        self._warned: set[str] = set()
        # by the id() of a place
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
                if "$ref" in schema and self.places.draft < 2019 and not place.modern:
                    # up to draft 7, what stands beside a reference has no meaning
                    schema = {"$ref": schema["$ref"]}
                rest = iter(schema.items())
            handlers = _HANDLERS if place.modern else self._handlers
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
        if not fits(divisor):
            where = place.pointer(word)
            raise LimitError("expression_size", MAX_DIGITS, f"at {where}: {divisor:.9e} has too many digits")
        if divisor not in [known for known, _ in shape.divisors]:
            shape.divisors = (*shape.divisors, (divisor, place))

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
        known = value in FORMATS
        if self.formats == "enforce":
            if known:
                return self.strings.format(value)
            if value in UNENFORCED:
                raise UnsupportedError(
                    f"the format {value!r} cannot be enforced: remove it, or pass formats='annotation'",
                    pointer=place.pointer(word),
                )
        if value not in self._warned:
            self._warned.add(value)
            known = known or value in UNENFORCED
            self.warn(place.pointer(word), f"the format {value!r} is {'' if known else 'unknown: '}not enforced")
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
        shape.items = (*shape.items, self.read_items(place))

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

    def contains(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> None:
        """`contains`"""
        conj = self.places.child(place, value, word)
        if self.contains_nothing(place):
            return
        shape.min_items = max(shape.min_items, 1)
        if conj:
            shape.some_items = (*shape.some_items, (0, conj, place))

    def contains_nothing(self, place: Place) -> bool:
        """Whether `contains` asks for no item at all; refuses counts that are not followed."""
        if not self.knows(place, "minContains"):
            return False
        least = count_of(place.schema.get("minContains", 1), place, "minContains")
        if "maxContains" in place.schema or least > 1:
            word = "maxContains" if "maxContains" in place.schema else "minContains"
            raise UnsupportedError(f"{word} is not supported: remove it", pointer=place.pointer(word))
        return least == 0

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
            shape.groups = (*shape.groups, self.read_group(place))

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
        choices.append(Choice(self.negate.options(value), way))

    def types_left(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """TYPES_LEFT"""
        shape.types &= value

    def without(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """WITHOUT"""
        self._body(shape, self.strings.without(value))

    def some_item(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """SOME_ITEM"""
        start, conj = value
        shape.min_items = max(shape.min_items, start + 1)
        shape.some_items = (*shape.some_items, (start, conj, place))

    def some_repeated(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """REPEATED"""
        shape.repeated = shape.repeated or value

    def some_key(self, shape: Shape, place: Place, word: Any, value: Any, *_: Any) -> None:
        """SOME_KEY"""
        expr, conj = value
        shape.min_properties = max(shape.min_properties, 1)
        shape.some_keys = (*shape.some_keys, (expr, conj, place))

    # The rest

    def warn(self, pointer: str, message: str) -> None:
        """Add to the warnings."""
        self._warnings.append(f"at {pointer}: {message}")

    def knows(self, place: Place, word: Any) -> bool:
        """Whether a word of a schema is a keyword."""
        return word in (_HANDLERS if place.modern else self._handlers)

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
                why = f"{word} is not a keyword of this schema's draft"
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
    "$ref": Reader.ref,
    "allOf": Reader.all_of,
    "anyOf": Reader.any_of,
    "oneOf": Reader.one_of,
    "not": Reader.negation,
    "if": Reader.condition,
    "contains": Reader.contains,
    **dict.fromkeys(["dependencies", "dependentRequired", "dependentSchemas"], Reader.dependencies),
    NOT: Reader.not_conj,
    TYPES_LEFT: Reader.types_left,
    WITHOUT: Reader.without,
    SOME_ITEM: Reader.some_item,
    REPEATED: Reader.some_repeated,
    SOME_KEY: Reader.some_key,
    **dict.fromkeys(
        "$dynamicRef $recursiveRef unevaluatedItems unevaluatedProperties".split(),
        Reader.refuse,
    ),
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
_UNTIL = {"dependencies": 7, "$recursiveRef": 2019}


@cache
def _handlers_of(draft: int) -> dict[Any, Any]:
    return {
        word: handler for word, handler in _HANDLERS.items() if _SINCE.get(word, 0) <= draft <= _UNTIL.get(word, draft)
    }
