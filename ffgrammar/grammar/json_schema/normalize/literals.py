# cython: language_level=3
"""`enum` and `const`: literal values, told apart by JSON type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.documents.text import check_names
from ffgrammar.grammar.json_schema.normalize.shape import FALSE, NULL, NUM, STR, TRUE
from ffgrammar.grammar.json_schema.numbers.numbers import MAX_DIGITS, fits

# Counts above this are cut to it: no text that long fits into memory.
MAX_COUNT = 0xFFFFFFF0

__all__ = ["Scalars", "as_schema", "count_of", "number", "way_to"]


def number(value: Any, subschema: Subschema, *tokens: str) -> Decimal:
    """A JSON number of a schema, exact, tokens being the way to it; a float means the decimal that repr() writes."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise GrammarError("a number is needed here", pointer=subschema.pointer(*tokens))
    # (of subclasses of float, repr() may write more than the number)
    exact = Decimal(float.__repr__(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise GrammarError(f"{value} is not a JSON number", pointer=subschema.pointer(*tokens))
    return exact


def count_of(value: Any, subschema: Subschema, word: str) -> int:
    """A number of characters, items or properties."""
    if type(value) is int and 0 <= value <= MAX_COUNT:
        return value
    exact = number(value, subschema, word)
    if exact < 0 or exact != exact.to_integral_value():
        raise GrammarError(f"{word} is a whole number from 0 up, not {exact:.9g}", pointer=subschema.pointer(word))
    return int(min(exact, Decimal(MAX_COUNT)))


def way_to(word: str, index: int) -> tuple[str, ...]:
    """The way to a value of `enum` or `const`."""
    return (word,) if word == "const" else (word, str(index))


class Scalars:
    """The scalars among the values of `enum` or `const`, and the arrays and objects beside them."""

    __slots__ = ("compound", "numbers", "strings", "types")

    def __init__(self, values: list[Any], subschema: Subschema, word: str) -> None:
        self.types = 0
        strings: dict[str, None] = {}
        numbers: dict[Decimal, None] = {}
        self.compound: list[tuple[int, Any]] = []
        for index, value in enumerate(values):
            if isinstance(value, str):
                strings[value] = None
            elif value is None:
                self.types |= NULL
            elif value is True:
                self.types |= TRUE
            elif value is False:
                self.types |= FALSE
            elif isinstance(value, (list, dict)):
                self.compound.append((index, value))
            else:
                exact = number(value, subschema, *way_to(word, index))
                if not fits(exact):
                    where = subschema.pointer(*way_to(word, index))
                    message = f"at {where}: {exact:.9e} has too many digits"
                    raise LimitError("expression_size", MAX_DIGITS, message)
                numbers[exact] = None
        if strings:
            self.types |= STR
        if numbers:
            self.types |= NUM
        self.strings = tuple(strings)
        self.numbers = tuple(numbers)


def as_schema(value: Any, subschema: Subschema, *tokens: str) -> dict[str, Any]:
    """A schema that allows just this array or object, tokens being the way to it."""
    if isinstance(value, list):
        return {
            "type": "array",
            "prefixItems": [{"const": item} for item in value],
            "minItems": len(value),
            "maxItems": len(value),
        }
    check_names(value, subschema, *tokens)
    return {
        "type": "object",
        "properties": {key: {"const": item} for key, item in value.items()},
        "required": list(value),
        "additionalProperties": False,
    }
