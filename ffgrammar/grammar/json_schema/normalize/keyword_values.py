# cython: language_level=3
"""The values of keywords, checked and parsed.

Applying a keyword and negating it both start from its value, so both use `KeywordValues`. Values that take work to
parse, and are needed more than once, are kept.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError, located
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.documents.contents import Contents
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.documents.text import check_value, kind_of
from ffgrammar.grammar.json_schema.normalize.literals import (
    Scalars,
    as_schema,
    check_names,
    count_of,
    names_of,
    number,
    pointer_to_value,
)
from ffgrammar.grammar.json_schema.numbers.decimals import MAX_DIGITS, fits
from ffgrammar.grammar.json_schema.shape.constraints import Group, Items
from ffgrammar.grammar.json_schema.shape.types import TYPES
from ffgrammar.grammar.json_schema.spec.diagnostics import Warnings
from ffgrammar.grammar.json_schema.strings.formats import APPROXIMATE, FORMATS
from ffgrammar.grammar.json_schema.strings.strings import Strings
from ffgrammar.grammar.names import shown

__all__ = ["KeywordValues", "has_prefix_items"]

# These keywords refer to each other. So those that a schema has are applied, or negated, together: when the first of
# them, in this order, is met.
GROUP_WORDS = ("properties", "patternProperties", "additionalProperties")


def has_prefix_items(subschema: Subschema) -> bool:
    """Whether a schema has `prefixItems`, in a draft that knows the word."""
    return "prefixItems" in subschema.schema and subschema.dialect.has("prefixItems")


class KeywordValues:
    """The parsed keywords of the schemas of one build.

    Attributes:
        subschemas: the subschemas.
        strings: the string expressions of the build.
    """

    def __init__(self, subschemas: Subschemas, strings: Strings, formats: str, warnings: Warnings) -> None:
        self.subschemas = subschemas
        self.strings = strings
        self._formats = formats
        self._warnings = warnings
        # by the id() of a subschema, and keyword
        self._scalars: dict[tuple[int, str], tuple[Scalars, list[Conj]]] = {}
        # by the id() of a subschema
        self._items: dict[int, Items] = {}
        self._groups: dict[int, Group] = {}
        self._contents: Contents | None = None

    # Any type

    @staticmethod
    def types(subschema: Subschema, word: str, value: Any) -> int:
        """The types that the keyword `type` names, as bits."""
        if isinstance(value, str):
            allowed = TYPES.get(value, 0)
        else:
            if not isinstance(value, list) or not value:
                raise GrammarError(
                    f"type must be the name of a type or a list of names, not {kind_of(value)}",
                    pointer=subschema.pointer(word),
                )
            allowed = 0
            for index, name in enumerate(value):
                one = TYPES.get(name, 0) if isinstance(name, str) else 0
                if not one:
                    raise _bad_type(name, subschema.pointer(word, str(index)))
                allowed |= one
        if not allowed:
            raise _bad_type(value, subschema.pointer(word))
        return allowed

    def scalars(self, subschema: Subschema, word: str, value: Any) -> tuple[Scalars, list[Conj]]:
        """The values of `enum` or `const`: the scalars, and a conjunction for each array and each object."""
        key = (id(subschema), word)
        found = self._scalars.get(key)
        if found is None:
            values = [value] if word == "const" else value
            if not isinstance(values, list):
                raise GrammarError(
                    f"enum must be an array of values, not {kind_of(value)}", pointer=subschema.pointer(word)
                )
            if not subschema.modern:
                # (what the compiler writes is a part of such a value)
                check_value(value, self.subschemas.limits, subschema.pointer(word))
            scalars = Scalars(values, subschema, word)
            compound = []
            for index, one in scalars.compound:
                tokens = pointer_to_value(word, index)
                compound.append(self.subschemas.synthesized(subschema, as_schema(one, subschema, *tokens), *tokens))
            found = self._scalars[key] = (scalars, compound)
        return found

    # Numbers and strings

    @staticmethod
    def divisor(subschema: Subschema, word: str, value: Any) -> Decimal:
        """The number of `multipleOf`."""
        divisor = number(value, subschema, word)
        if divisor <= 0:
            raise GrammarError("multipleOf must be above 0", pointer=subschema.pointer(word))
        if not fits(divisor):
            where = subschema.pointer(word)
            raise LimitError("expression_size", MAX_DIGITS, f"{divisor:.9e} has too many digits", f"at {where}")
        return divisor

    def pattern(self, subschema: Subschema, word: str, value: Any) -> int:
        """The string bodies that match `pattern`, as an expression."""
        if not isinstance(value, str):
            raise GrammarError(f"pattern must be a string, not {kind_of(value)}", pointer=subschema.pointer(word))
        with located(lambda: f"at {subschema.pointer(word)}"):
            return self.strings.pattern(value, subschema, word)

    def format(self, subschema: Subschema, word: str, value: Any) -> int | None:
        """The string bodies of `format`, as an expression; None, and a warning, when the format is not enforced."""
        if not isinstance(value, str):
            raise GrammarError(f"format must be a string, not {kind_of(value)}", pointer=subschema.pointer(word))
        if value in FORMATS and (self._formats == "enforce" or subschema.dialect.asserts_formats):
            if value in APPROXIMATE:
                self._warnings.once(subschema, word, f"the format {value!r} {APPROXIMATE[value]}", anywhere=True)
            return self.strings.format(value, subschema.draft)
        known = "" if value in FORMATS else "unknown: "
        self._warnings.once(subschema, word, f"the format {value!r} is {known}not enforced", anywhere=True)
        return None

    # Arrays

    def items(self, subschema: Subschema) -> Items:
        """What `prefixItems` and `items` say; or, if `items` is an array, what `items` and `additionalItems` say."""
        found = self._items.get(id(subschema))
        if found is None:
            found = self._items[id(subschema)] = self._parse_items(subschema)
        return found

    def _parse_items(self, subschema: Subschema) -> Items:
        subschemas = self.subschemas
        schema = subschema.schema
        rest_word = "items"
        rest = schema.get("items", True)
        if has_prefix_items(subschema):
            first_word, first = "prefixItems", schema["prefixItems"]
            if not isinstance(first, list):
                raise GrammarError(
                    f"prefixItems must be an array of schemas, not {kind_of(first)}",
                    pointer=subschema.pointer(first_word),
                )
        elif isinstance(rest, list):
            if subschema.resource.declared and subschema.draft == 2020:
                raise GrammarError(
                    "items must be one schema since draft 2020-12: an array of schemas is called prefixItems",
                    pointer=subschema.pointer("items"),
                )
            first_word, first = "items", rest
            rest_word, rest = "additionalItems", schema.get("additionalItems", True)
        else:
            first_word, first = "", []
        prefix = tuple([subschemas.child(subschema, one, (first_word, str(index))) for index, one in enumerate(first)])
        return Items(prefix, subschemas.child(subschema, rest, (rest_word,)))

    def contains(self, subschema: Subschema) -> tuple[Conj, int, int | None]:
        """The conjunction of `contains`, and how many items must obey it: at least and at most (None: no bound)."""
        self._contents = contents = self._contents or Contents(self.subschemas)
        conj = contents.first(self.subschemas.child(subschema, subschema.schema["contains"], ("contains",)))
        least, most = 1, None
        if subschema.dialect.has("minContains"):
            least = count_of(subschema.schema.get("minContains", 1), subschema, "minContains")
            if "maxContains" in subschema.schema and subschema.dialect.has("maxContains"):
                most = count_of(subschema.schema["maxContains"], subschema, "maxContains")
        return conj, least, most

    @staticmethod
    def is_unique(subschema: Subschema, word: str, value: Any) -> bool:
        """The boolean of `uniqueItems`."""
        if not isinstance(value, bool):
            raise GrammarError(f"uniqueItems must be a boolean, not {kind_of(value)}", pointer=subschema.pointer(word))
        return value

    # Objects

    @staticmethod
    def is_first_of_group(subschema: Subschema, word: str) -> bool:
        """Whether a word is the first one in GROUP_WORDS that a schema has."""
        for other in GROUP_WORDS:
            if other in subschema.schema:
                return other == word
        return False

    def group(self, subschema: Subschema) -> Group:
        """What `properties`, `patternProperties` and `additionalProperties` say."""
        found = self._groups.get(id(subschema))
        if found is None:
            found = self._groups[id(subschema)] = self._parse_group(subschema)
        return found

    def _parse_group(self, subschema: Subschema) -> Group:
        subschemas = self.subschemas
        schema = subschema.schema
        named = schema.get("properties", {})
        patterns = schema.get("patternProperties", {})
        for word, value in (("properties", named), ("patternProperties", patterns)):
            if not isinstance(value, dict):
                raise GrammarError(
                    f"{word} must be an object whose values are schemas, not {kind_of(value)}",
                    pointer=subschema.pointer(word),
                )
            check_names(value, subschema, word)
        return Group(
            {name: subschemas.child(subschema, inner, ("properties", name)) for name, inner in named.items()},
            tuple(
                [
                    (
                        self.strings.pattern(pattern, subschema, "patternProperties", pattern),
                        subschemas.child(subschema, inner, ("patternProperties", pattern)),
                    )
                    for pattern, inner in patterns.items()
                ]
            ),
            subschemas.child(subschema, schema.get("additionalProperties", True), ("additionalProperties",)),
        )

    @staticmethod
    def required(subschema: Subschema) -> list[str]:
        """The properties that a schema requires."""
        schema = subschema.schema
        return names_of(schema["required"], subschema, "required") if "required" in schema else []

    def dependencies(self, subschema: Subschema, word: str, value: Any) -> list[tuple[str, list[str], Conj]]:
        """The value of `dependentRequired`, `dependentSchemas` or `dependencies`.

        Returns:
            A list of (property, names, conjunction). An object that has the property must have these names and obey the
            conjunction.
        """
        if not isinstance(value, dict):
            raise GrammarError(f"{word} must be an object, not {kind_of(value)}", pointer=subschema.pointer(word))
        check_names(value, subschema, word)
        found: list[tuple[str, list[str], Conj]] = []
        for name, needed in value.items():
            if word == "dependentRequired" or (word == "dependencies" and isinstance(needed, list)):
                found.append((name, names_of(needed, subschema, word, name), ()))
            else:
                found.append((name, [], self.subschemas.child(subschema, needed, (word, name))))
        return found

    # Schemas put together

    def schemas(self, subschema: Subschema, word: str, value: Any) -> list[Conj]:
        """The conjunctions of the schemas of `allOf`, `anyOf` or `oneOf`."""
        if not isinstance(value, list) or not value:
            raise GrammarError(f"{word} must be an array of at least one schema", pointer=subschema.pointer(word))
        # (a C method is called where it is found: a name for it would be a Python object that wraps it)
        subschemas = self.subschemas
        return [subschemas.child(subschema, one, (word, str(index))) for index, one in enumerate(value)]

    def condition(self, subschema: Subschema) -> tuple[Conj, Conj, Conj]:
        """The conjunctions of `if`, `then` and `else`. If `then` or `else` is absent, its conjunction is ()."""
        schema, subschemas = subschema.schema, self.subschemas
        return (
            subschemas.child(subschema, schema["if"], ("if",)),
            subschemas.child(subschema, schema.get("then", True), ("then",)),
            subschemas.child(subschema, schema.get("else", True), ("else",)),
        )


def _bad_type(name: Any, pointer: str) -> GrammarError:
    known = ", ".join(TYPES)
    return GrammarError(f"{shown(name)} is not a type; the types are {known}", pointer=pointer)
