# cython: language_level=3
"""The keywords that only the compiler writes (see spec/internal_keywords.py)."""

from __future__ import annotations

from typing import Any

from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.context import Context, applies
from ffgrammar.grammar.json_schema.normalize.negation import Negation, negates
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.constraints import PendingUnevaluated, SomeKey
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, OBJ
from ffgrammar.grammar.json_schema.spec.internal_keywords import (
    HOLE,
    NOT,
    NOT_MULTIPLE,
    REPEATED,
    SOME_ITEM,
    SOME_KEY,
    SOME_OF,
    SOME_UNEVALUATED,
    TYPES_LEFT,
    WITHOUT,
)

__all__: list[str] = []


@applies(NOT)
def apply_not_conj(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: Any,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    choices.append(Choice(context.negation.options(value), path, value))


@negates(NOT)
def negate_not_conj(negation: Negation, subschema: Subschema, word: Any, value: Any) -> list[Any]:
    return [value]


@applies(HOLE)
def apply_hole(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    shape.holed = True


@negates(HOLE)
def negate_hole(negation: Negation, subschema: Subschema, word: Any, value: Any) -> list[Any]:
    return [{HOLE: True}]


@applies(SOME_OF)
def apply_some_of(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: Any,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    choices.append(Choice(value, path))


@negates(SOME_OF)
def negate_some_of(negation: Negation, subschema: Subschema, word: Any, value: Any) -> list[Any]:
    return [negation.none_of(subschema, value)]


@applies(SOME_UNEVALUATED)
def apply_some_unevaluated(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: Any,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    of_properties, conj, _ = value
    shape.types &= OBJ if of_properties else ARR
    shape.pending = (*shape.pending, PendingUnevaluated(path[0], of_properties, conj, True, subschema))


@negates(SOME_UNEVALUATED)
def negate_some_unevaluated(negation: Negation, subschema: Subschema, word: Any, value: Any) -> list[Any]:
    return [value[2]]


@applies(REPEATED)
def apply_repeated(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    shape.repeated = shape.repeated or value


@negates(REPEATED)
def negate_repeated(negation: Negation, subschema: Subschema, word: Any, value: Any) -> list[Any]:
    return [{"uniqueItems": True}]


@applies(TYPES_LEFT)
def apply_types_left(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    shape.types &= value


@applies(WITHOUT)
def apply_without(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    shape.match(context.strings.without(value))


@applies(NOT_MULTIPLE)
def apply_not_multiple(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    if value not in [known for known, _ in shape.not_divisors]:
        shape.not_divisors = (*shape.not_divisors, (value, subschema))


@applies(SOME_ITEM)
def apply_some_item(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    start, conj, least, most = value
    shape.min_items = max(shape.min_items, start + least)
    shape.contain(start, conj, least, most, subschema)


@applies(SOME_KEY)
def apply_some_key(context: Context, shape: Shape, subschema: Subschema, word: Any, value: Any, *_: Any) -> None:
    keys, name, conj = value
    shape.some_key(SomeKey(keys, name, conj, subschema))
