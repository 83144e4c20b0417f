# cython: language_level=3
"""The keywords of arrays, except `unevaluatedItems` (see applicators.py). `minItems` and `maxItems` are negated in
scalar_keywords.py."""

from __future__ import annotations

from typing import Any

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.context import Context, applies
from ffgrammar.grammar.json_schema.normalize.keyword_values import has_prefix_items
from ffgrammar.grammar.json_schema.normalize.literals import count_of
from ffgrammar.grammar.json_schema.normalize.negation import Negation, negates
from ffgrammar.grammar.json_schema.normalize.unevaluated import mark
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.constraints import Mark
from ffgrammar.grammar.json_schema.shape.shape import Shape, lower_of
from ffgrammar.grammar.json_schema.spec.internal_keywords import REPEATED, SOME_ITEM

__all__: list[str] = []


@applies("items", "prefixItems")
def apply_items(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    if word == "items" and has_prefix_items(subschema):
        return
    items = context.values.items(subschema)
    shape.items = (*shape.items, items)
    if path[2]:
        rest = "additionalItems" if isinstance(value, list) and word == "items" else "items"
        mark(shape, path, lambda owner: Mark(owner, None, len(items.prefix), None, rest in subschema.schema))


@negates("items", "prefixItems")
def negate_items(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    if word == "items" and has_prefix_items(subschema):
        return []
    items = negation.values.items(subschema)
    found: list[Any] = []
    for index, conj in enumerate(items.prefix):
        if conj:
            wrong = [*[True] * index, negation.schema(conj)]
            found.append({"type": "array", "minItems": index + 1, "prefixItems": wrong})
    length = len(items.prefix)
    if items.rest == NEVER:
        found.append({"type": "array", "minItems": length + 1})
    elif items.rest:
        found.append({"type": "array", SOME_ITEM: (length, negation.conj(subschema, items.rest), 1, None)})
    return found


@applies("contains")
def apply_contains(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    conj, least, most = context.values.contains(subschema)
    # since draft 2020-12, an item that obeys `contains` counts as evaluated
    if path[2] and subschema.dialect.has("prefixItems"):
        mark(shape, path, lambda owner: Mark(owner, None, 0, conj))
    if least or most is not None:
        shape.min_items = max(shape.min_items, least)
        if conj or most is not None:
            shape.contain(0, conj, least, most, subschema)


@negates("contains")
def negate_contains(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    conj, least, most = negation.values.contains(subschema)
    found: list[Any] = []
    if least:
        found.append({"type": "array", SOME_ITEM: (0, conj, 0, least - 1)})
    if most is not None:
        found.append({"type": "array", SOME_ITEM: (0, conj, most + 1, None)})
    return found


@applies("minItems")
def apply_min_items(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.min_items = max(shape.min_items, count_of(value, subschema, word))


@applies("maxItems")
def apply_max_items(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.max_items = lower_of(shape.max_items, count_of(value, subschema, word))


@applies("uniqueItems")
def apply_unique_items(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    if context.values.is_unique(subschema, word, value):
        shape.unique = shape.unique or subschema


@negates("uniqueItems")
def negate_unique_items(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    is_unique = negation.values.is_unique(subschema, word, value)
    return [{"type": "array", "minItems": 2, REPEATED: subschema}] if is_unique else []
