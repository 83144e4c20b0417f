"""Scalars that can be compared: in Python, 1 equals True."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, FALSE, NULL, NUM, OBJ, STR, TRUE

__all__ = ["Scalar", "merged", "scalar", "scalars", "written"]

# A string, a number, or for null, true and false the pair of "literal" and the bit of its type.
Scalar = str | Decimal | tuple[str, int]

_LITERALS: list[tuple[Any, Scalar]] = [
    (None, ("literal", NULL)),
    (True, ("literal", TRUE)),
    (False, ("literal", FALSE)),
]


def scalar(value: Any) -> Scalar | None:
    """A JSON value as a scalar; None for an array, an object or a float."""
    if type(value) is str or type(value) is Decimal:
        return value
    if type(value) is int:
        return Decimal(value)
    return next((found for literal, found in _LITERALS if value is literal), None)


def written(value: Scalar) -> Any:
    """The JSON value of a scalar."""
    return next((literal for literal, found in _LITERALS if value == found), value)


def scalars(shapes: Iterable[Shape]) -> set[Scalar] | None:
    """The values of shapes that only list strings, numbers and literals; None if a shape allows others."""
    found: set[Scalar] = set()
    for shape in shapes:
        types = shape.types
        if types & (ARR | OBJ) or (types & STR and shape.strings is None) or (types & NUM and shape.numbers is None):
            return None
        if types & STR and shape.strings is not None:
            found.update(shape.strings)
        if types & NUM and shape.numbers is not None:
            found.update(shape.numbers)
        found.update([("literal", bit) for bit in (NULL, TRUE, FALSE) if types & bit])
    return found


def merged(shapes: list[Shape]) -> list[Shape]:
    """The given shapes, with all those that only list strings merged into one."""
    texts: dict[str, None] = {}
    kept = []
    for shape in shapes:
        if shape.types == STR and shape.strings is not None and not shape.holed:
            texts.update(dict.fromkeys(shape.strings))
        else:
            kept.append(shape)
    if texts:
        both = Shape()
        both.types = STR
        both.strings = tuple(texts)
        kept.append(both)
    return kept
