# cython: language_level=3
"""Checked values of a schema: numbers, counts, lists of names, and the values of `enum` and `const`.

Each function that may raise takes the subschema and the parts of the JSON pointer from there to the value, for its
error message.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.turn import turn
from ffgrammar.grammar.json_schema.documents.text import kind_of
from ffgrammar.grammar.json_schema.numbers.decimals import MAX_DIGITS, fits
from ffgrammar.grammar.json_schema.shape.types import FALSE, NULL, NUM, STR, TRUE
from ffgrammar.grammar.json_schema.spec.located import Located

# A larger count is replaced by this one. No text reaches either of them, because a text has fewer than 2**31 bytes.
MAX_COUNT = 0xFFFFFFF0

__all__ = ["Scalars", "as_schema", "check_names", "count_of", "names_of", "number", "pointer_to_value"]


def check_names(names: Iterable[Any], subschema: Located, *tokens: str) -> None:
    """Raise unless all keys of a dict are strings, as they are in JSON."""
    for name in names:
        if not isinstance(name, str):
            raise GrammarError(f"a key must be a string, not {name!r:.40}", pointer=subschema.pointer(*tokens))


def number(value: Any, subschema: Located, *tokens: str) -> Decimal:
    """A JSON number, exactly; a float stands for the decimal that repr() writes."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        what = tokens[-1] if tokens else "this"
        raise GrammarError(f"{what} must be a number, not {kind_of(value)}", pointer=subschema.pointer(*tokens))
    # (a subclass of float may have a repr() that is not a plain number)
    exact = Decimal(float.__repr__(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise GrammarError(f"{value} is not a JSON number", pointer=subschema.pointer(*tokens))
    return exact


def count_of(value: Any, subschema: Located, word: str) -> int:
    """A number of characters, items or properties; at most MAX_COUNT."""
    if type(value) is int and 0 <= value <= MAX_COUNT:
        return value
    exact = number(value, subschema, word)
    if exact < 0 or exact != exact.to_integral_value():
        raise GrammarError(f"{word} must be a whole number from 0 up, not {exact:.9g}", pointer=subschema.pointer(word))
    return int(min(exact, Decimal(MAX_COUNT)))


def names_of(value: Any, subschema: Located, *words: str) -> list[str]:
    """A list of property names. `words` are the keyword, and the parts of the JSON pointer from there to the list."""
    if not isinstance(value, list) or not all([isinstance(name, str) for name in value]):
        raise GrammarError(f"{words[0]} must be an array of property names", pointer=subschema.pointer(*words))
    return value


def pointer_to_value(word: str, index: int) -> tuple[str, ...]:
    """The parts of the JSON pointer to a value of `enum` or `const`."""
    return (word,) if word == "const" else (word, str(index))


class Scalars:
    """The values of `enum` or `const`, sorted by type.

    Attributes:
        types: the type bits of the scalars.
        strings, numbers: the strings and the numbers, without duplicates.
        compound: the arrays and objects, each with its index.
    """

    __slots__ = ("compound", "numbers", "strings", "types")

    def __init__(self, values: list[Any], subschema: Located, word: str) -> None:
        self.types = 0
        strings: dict[str, None] = {}
        numbers: dict[Decimal, None] = {}
        self.compound: list[tuple[int, Any]] = []
        for index, value in enumerate(values):
            if index % 256 == 255:
                turn()
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
                exact = number(value, subschema, *pointer_to_value(word, index))
                if not fits(exact):
                    where = subschema.pointer(*pointer_to_value(word, index))
                    raise LimitError("expression_size", MAX_DIGITS, f"{exact:.9e} has too many digits", f"at {where}")
                numbers[exact] = None
        if strings:
            self.types |= STR
        if numbers:
            self.types |= NUM
        self.strings = tuple(strings)
        self.numbers = tuple(numbers)


def as_schema(value: Any, subschema: Located, *tokens: str) -> dict[str, Any]:
    """A schema that allows exactly this array or object."""
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
