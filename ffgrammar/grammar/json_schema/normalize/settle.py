# cython: language_level=3
"""Comparing the constraints of a finished shape with each other: which types may still have a value."""

from __future__ import annotations

from decimal import Decimal

from ffgrammar.grammar.json_schema.numbers.decimals import is_integer
from ffgrammar.grammar.json_schema.numbers.divisors import has_divisors
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, FRAC, INT, NUM, OBJ, STR
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["has_no_range", "settle"]


def settle(shape: Shape, strings: Strings) -> bool:
    """Drop the types whose own constraints contradict each other, and the listed values that break a constraint.

    Returns:
        Whether any type is left.
    """
    types = shape.types
    if types & NUM:
        types &= _settle_numbers(shape)
    if types & STR and not _settle_strings(shape, strings):
        types &= ~STR
    if types & ARR and shape.max_items is not None and shape.max_items < shape.min_items:
        types &= ~ARR
    if types & ARR and shape.unique is not None and shape.repeated is not None:
        types &= ~ARR
    if (
        types & OBJ
        and shape.max_properties is not None
        and shape.max_properties < max(shape.min_properties, len(shape.required))
    ):
        types &= ~OBJ
    shape.types = types
    return bool(types)


def _settle_numbers(shape: Shape) -> int:
    """A mask of the types that are kept: all types, or all but numbers if no number is left.

    Drops the listed numbers that break a constraint.
    """
    if shape.numbers is None:
        return ~NUM if has_no_range(shape) else ~0
    shape.numbers = tuple([value for value in shape.numbers if _allows_number(shape, value)])
    return ~0 if shape.numbers else ~NUM


def has_no_range(shape: Shape) -> bool:
    """Whether the bounds of a shape leave no number."""
    low, high = shape.low, shape.high
    if low is None or high is None or low < high:
        return False
    return low > high or shape.low_open or shape.high_open


def _allows_number(shape: Shape, value: Decimal) -> bool:
    low, high = shape.low, shape.high
    return (
        (low is None or value > low or (value == low and not shape.low_open))
        and (high is None or value < high or (value == high and not shape.high_open))
        and bool(shape.types & (INT if is_integer(value) else FRAC))
        and has_divisors(shape, value)
    )


def _settle_strings(shape: Shape, strings: Strings) -> bool:
    """Whether strings may be left. Drops the listed strings that break a constraint."""
    if shape.strings is not None:
        if shape.min_length or shape.max_length is not None or shape.patterns:
            kept = strings.matching(shape.strings, shape.min_length, shape.max_length, shape.patterns)
            shape.strings = tuple(kept)
        return bool(shape.strings)
    return shape.max_length is None or shape.max_length >= shape.min_length
