# cython: language_level=3
"""The keywords of any type and of scalars: `type`, `enum`, `const`, and those of numbers and strings."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.documents.text import kind_of
from ffgrammar.grammar.json_schema.normalize.applicators import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.normalize.literals import Scalars, as_schema, count_of, number, way_to
from ffgrammar.grammar.json_schema.normalize.shape import ARR, BOOLS, INT, NULL, NUM, OBJ, STR, Conj, Shape, lower_of
from ffgrammar.grammar.json_schema.numbers.numbers import MAX_DIGITS, fits
from ffgrammar.grammar.json_schema.spec.diagnostics import Warnings
from ffgrammar.grammar.json_schema.strings.formats import APPROXIMATE, FORMATS
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["TYPES", "ScalarKeywords"]

TYPES = {
    "null": NULL,
    "boolean": BOOLS,
    "integer": INT,
    "number": NUM,
    "string": STR,
    "array": ARR,
    "object": OBJ,
}


class ScalarKeywords:
    """The part of the reader that reads these keywords.

    Attributes:
        subschemas: the subschemas.
        strings: the expressions of strings.
        formats: "enforce" or "annotation".
        warnings: what is not enforced.
    """

    subschemas: Subschemas
    strings: Strings
    formats: str
    warnings: Warnings
    # by the id() of a place, and keyword
    _scalars: dict[tuple[int, str], tuple[Scalars, list[Conj]]]

    # Any type

    def type(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`type`"""
        shape.types &= self.types(subschema, word, value)

    @staticmethod
    def types(subschema: Subschema, word: str, value: Any) -> int:
        """The types that `type` names."""
        if isinstance(value, str):
            allowed = TYPES.get(value, 0)
        else:
            if not isinstance(value, list) or not value:
                raise GrammarError(
                    f"type is the name of a type or a list of names, not {kind_of(value)}",
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

    def enum(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`enum` and `const`"""
        scalars, compound = self.scalars(subschema, word, value)
        if not compound or not shape.types & (ARR | OBJ):
            self._only(shape, scalars)
            return
        options = list(compound)
        if scalars.types:
            plain = [one for one in value if not isinstance(one, (list, dict))]
            options.append(self.subschemas.synthesized(subschema, {"enum": plain}, word))
        choices.append(Choice(options, way))

    def scalars(self, subschema: Subschema, word: str, value: Any) -> tuple[Scalars, list[Conj]]:
        """The values of `enum` or `const`: scalars, and a schema for each of the others."""
        key = (id(subschema), word)
        found = self._scalars.get(key)
        if found is None:
            values = [value] if word == "const" else value
            if not isinstance(values, list):
                raise GrammarError(f"enum is an array of values, not {kind_of(value)}", pointer=subschema.pointer(word))
            scalars = Scalars(values, subschema, word)
            compound = []
            for index, one in scalars.compound:
                way = way_to(word, index)
                compound.append(self.subschemas.synthesized(subschema, as_schema(one, subschema, *way), *way))
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

    def minimum(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`minimum`; draft 4 makes it exclusive by a boolean beside it"""
        is_open = subschema.schema.get("exclusiveMinimum") is True
        shape.at_least(number(value, subschema, word), is_open)

    def maximum(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`maximum`"""
        is_open = subschema.schema.get("exclusiveMaximum") is True
        shape.at_most(number(value, subschema, word), is_open)

    def exclusive(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`exclusiveMinimum`, `exclusiveMaximum`"""
        if isinstance(value, bool):
            if subschema.draft == 4 or not subschema.resource.declared:
                return
            raise GrammarError(f"{word} is a number since draft 6, not a boolean", pointer=subschema.pointer(word))
        bound = number(value, subschema, word)
        if word == "exclusiveMinimum":
            shape.at_least(bound, True)
        else:
            shape.at_most(bound, True)

    def multiple_of(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`multipleOf`"""
        divisor = self.divisor_of(subschema, word, value)
        if divisor not in [known for known, _ in shape.divisors]:
            shape.divisors = (*shape.divisors, (divisor, subschema))

    @staticmethod
    def divisor_of(subschema: Subschema, word: str, value: Any) -> Decimal:
        """What numbers are to be multiples of."""
        divisor = number(value, subschema, word)
        if divisor <= 0:
            raise GrammarError("multipleOf is above 0", pointer=subschema.pointer(word))
        if not fits(divisor):
            where = subschema.pointer(word)
            raise LimitError("expression_size", MAX_DIGITS, f"at {where}: {divisor:.9e} has too many digits")
        return divisor

    # Strings

    def min_length(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`minLength`"""
        shape.min_length = max(shape.min_length, count_of(value, subschema, word))

    def max_length(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`maxLength`"""
        shape.max_length = lower_of(shape.max_length, count_of(value, subschema, word))

    def pattern(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`pattern`"""
        shape.match(self.pattern_of(subschema, word, value))

    def pattern_of(self, subschema: Subschema, word: str, value: Any) -> int:
        """The bodies that match a pattern."""
        if not isinstance(value, str):
            raise GrammarError(f"pattern is a string, not {kind_of(value)}", pointer=subschema.pointer(word))
        return self.strings.pattern(value, subschema, word)

    def format(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
        """`format`"""
        body = self.format_of(subschema, word, value)
        if body is not None:
            shape.match(body)

    def format_of(self, subschema: Subschema, word: str, value: Any) -> int | None:
        """The bodies of a format; None, and a warning, when it is not enforced."""
        if not isinstance(value, str):
            raise GrammarError(f"format is a string, not {kind_of(value)}", pointer=subschema.pointer(word))
        if value in FORMATS and (self.formats == "enforce" or subschema.dialect.asserts_formats):
            if value in APPROXIMATE:
                self.warnings.once(subschema, word, f"the format {value!r} {APPROXIMATE[value]}", anywhere=True)
            return self.strings.format(value, subschema.draft)
        known = "" if value in FORMATS else "unknown: "
        self.warnings.once(subschema, word, f"the format {value!r} is {known}not enforced", anywhere=True)
        return None


def _bad_type(name: Any, pointer: str) -> GrammarError:
    known = ", ".join(TYPES)
    return GrammarError(f"{name!r} is not a type; the types are {known}", pointer=pointer)


def _both(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    wanted = set(new)
    return tuple([one for one in old if one in wanted])
