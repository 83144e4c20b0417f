# cython: language_level=3
"""The keywords of objects, except `unevaluatedProperties`, `dependentRequired` and the like (see applicators.py).
`minProperties` and `maxProperties` are negated in scalar_keywords.py."""

from __future__ import annotations

from typing import Any

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.context import Context, applies
from ffgrammar.grammar.json_schema.normalize.literals import count_of, names_of
from ffgrammar.grammar.json_schema.normalize.negation import Negation, negates
from ffgrammar.grammar.json_schema.normalize.unevaluated import mark
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.constraints import Group, Mark
from ffgrammar.grammar.json_schema.shape.shape import Shape, lower_of
from ffgrammar.grammar.json_schema.spec.internal_keywords import SOME_KEY

__all__: list[str] = []


@applies("properties", "patternProperties", "additionalProperties")
def apply_group(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    if context.values.is_first_of_group(subschema, word):
        group = context.values.group(subschema)
        shape.groups = (*shape.groups, group)
        if path[2]:
            _mark_group(shape, subschema, path, group)


def _mark_group(shape: Shape, subschema: Subschema, path: EvaluationPath, group: Group) -> None:
    # (a function of its own, so that `apply_group` does not make a closure for each schema)
    closed = "additionalProperties" in subschema.schema
    mark(shape, path, lambda owner: Mark(owner, group, everything=closed))


@negates("properties", "patternProperties", "additionalProperties")
def negate_group(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    if not negation.values.is_first_of_group(subschema, word):
        return []
    group = negation.values.group(subschema)
    strings = negation.strings
    found: list[Any] = []
    required = negation.values.required(subschema)
    for name, conj in group.named.items():
        if conj:
            wrong: dict[str, Any] = {"type": "object", "properties": {name: negation.schema(conj)}}
            if name not in required:
                wrong["required"] = [name]
            found.append(wrong)
    for body, conj in group.patterns:
        if conj:
            found.append({"type": "object", SOME_KEY: (strings.quoted(body), (), negation.conj(subschema, conj))})
    if group.additional:
        others = strings.other_keys(group.named, [body for body, _ in group.patterns])
        found.append({"type": "object", SOME_KEY: (others, (), negation.conj(subschema, group.additional))})
    return found


@applies("required")
def apply_required(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    if names_of(value, subschema, word):
        shape.require(value)


@negates("required")
def negate_required(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    # For a required property that has a schema, negate_group makes the alternative: the property is absent, or its
    # value breaks the schema.
    named: Any = {}
    if "properties" in subschema.schema:
        named = negation.values.group(subschema).named
    names = names_of(value, subschema, word)
    return [{"type": "object", "properties": {name: False}} for name in names if not named.get(name)]


@applies("propertyNames")
def apply_property_names(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.key_names = join(shape.key_names, context.subschemas.child(subschema, value, (word,)))


@negates("propertyNames")
def negate_property_names(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    wrong = negation.conj(subschema, negation.subschemas.child(subschema, value, (word,)))
    return [] if wrong == NEVER else [{"type": "object", SOME_KEY: (negation.strings.any_key, wrong, ())}]


@applies("minProperties")
def apply_min_properties(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    count = count_of(value, subschema, word)
    if count > shape.min_properties:
        shape.min_properties = count
        shape.counted_at = subschema


@applies("maxProperties")
def apply_max_properties(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.max_properties = lower_of(shape.max_properties, count_of(value, subschema, word))
