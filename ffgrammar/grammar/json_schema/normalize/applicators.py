# cython: language_level=3
"""The keywords that put schemas together: references, `allOf`, `anyOf`, `oneOf`, `not`, `if`, `dependentRequired` and
the like, and `unevaluatedProperties` and `unevaluatedItems`."""

from __future__ import annotations

from functools import partial
from typing import Any

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.context import Context, applies
from ffgrammar.grammar.json_schema.normalize.negation import Negation, negates
from ffgrammar.grammar.json_schema.normalize.unevaluated import mark, sets_of
from ffgrammar.grammar.json_schema.shape.choices import Choice, Condition, EvaluationPath
from ffgrammar.grammar.json_schema.shape.constraints import Group, Mark, PendingUnevaluated
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.spec.internal_keywords import CONDITION, SOME_UNEVALUATED
from ffgrammar.grammar.json_schema.spec.keywords import EVALUATING

__all__: list[str] = []

# If more branches of an `anyOf` may leave marks, each is a choice of its own.
FEW_MARKING = 6

# References


@applies("$ref", "$dynamicRef", "$recursiveRef")
def apply_ref(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> Conj:
    return context.subschemas.follow(subschema, value, word)


@negates("$ref", "$dynamicRef", "$recursiveRef")
def negate_ref(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return [negation.conj(subschema, negation.subschemas.follow(subschema, value, word))]


# Several schemas


@applies("allOf")
def apply_all_of(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> list[int]:
    return [at for conj in context.values.schemas(subschema, word, value) for at in conj]


@negates("allOf")
def negate_all_of(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return [negation.conj(subschema, conj) for conj in negation.values.schemas(subschema, word, value)]


@applies("anyOf")
def apply_any_of(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    options = context.values.schemas(subschema, word, value)
    if not path[2]:
        found = context.one_keys.find(subschema, word, options)
        # (a choice even so: what it names comes after all other keys)
        choices.append(Choice(options if found is None else [found], path))
        return
    # (see unevaluated.py)
    subschemas = context.subschemas
    annotated = [any([not EVALUATING.isdisjoint(subschemas.list[at].schema) for at in conj if at]) for conj in options]
    opposite = None
    if any([SOME_UNEVALUATED in subschemas.list[owner].schema for owner in path[2]]):
        opposite = partial(context.negation.conj, subschema)
    if sum(annotated) <= FEW_MARKING:
        sets = sets_of(options, annotated, opposite, subschemas.limits.alternatives, subschema.pointer(word))
        choices.append(Choice(sets, path))
        return
    choices.append(Choice(options, (*path[:2], ())))
    for option, marks in zip(options, annotated, strict=True):
        if marks:
            without = () if opposite is None else opposite(option)
            choices.append(Choice([option, without], path, condition=Condition(option, (), ())))


@negates("anyOf")
def negate_any_of(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return [negation.none_of(subschema, negation.values.schemas(subschema, word, value))]


@applies("oneOf")
def apply_one_of(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    options = context.values.schemas(subschema, word, value)
    found = None if path[2] else context.one_keys.find(subschema, word, options)
    choices.append(Choice(context.one_ofs.exactly_one(subschema, options) if found is None else [found], path))


@negates("oneOf")
def negate_one_of(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    # either no branch holds, or two branches do
    options = negation.values.schemas(subschema, word, value)
    two = [join(first, second) for index, second in enumerate(options) for first in options[:index]]
    return [negation.none_of(subschema, options), *two]


@applies("not")
def apply_not(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    conj = context.subschemas.child(subschema, value, (word,))
    # nothing inside of `not` leaves a mark for an owner
    choices.append(Choice(context.negation.options(conj), (*path[:2], ()), conj))


@negates("not")
def negate_not(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return [negation.subschemas.child(subschema, value, (word,))]


# Conditions


@applies("if")
def apply_if(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    condition = Condition(*context.values.condition(subschema))
    if condition.then or condition.otherwise or path[2]:
        apply_condition(context, shape, subschema, CONDITION, condition, choices, path)


@applies(CONDITION)
def apply_condition(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: Any,
    value: Condition,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    when, then, otherwise = value
    options = [join(when, then), join(context.negation.conj(subschema, when), otherwise)]
    choices.append(Choice(options, path, condition=value))


@negates("if")
def negate_if(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return negate_condition(negation, subschema, CONDITION, Condition(*negation.values.condition(subschema)))


@negates(CONDITION)
def negate_condition(negation: Negation, subschema: Subschema, word: Any, value: Condition) -> list[Any]:
    when, then, otherwise = value
    return [
        join(when, negation.conj(subschema, then)),
        join(negation.conj(subschema, when), negation.conj(subschema, otherwise)),
    ]


@applies("dependencies", "dependentRequired", "dependentSchemas")
def apply_dependencies(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    synthesized = context.subschemas.synthesized
    demands: dict[tuple[str, ...], Conj] = {}
    for name, needed, then in context.values.dependencies(subschema, word, value):
        if needed or then:
            without = synthesized(subschema, {"properties": {name: False}}, word, name)
            there = synthesized(subschema, {"type": "object", "required": [name]}, word, name)
            if needed:
                demanded = demands.get(tuple(needed))
                if demanded is None:
                    demanded = synthesized(subschema, {"required": needed}, word, name)
                    demands[tuple(needed)] = demanded
                condition = Condition(there, demanded, ())
                choices.append(Choice([without, join(there, demanded)], path, condition=condition))
            else:
                # the key may be there if and only if `then` holds
                choices.append(Choice([without, join(there, then)], path, condition=Condition(then, (), without)))


@negates("dependencies", "dependentRequired", "dependentSchemas")
def negate_dependencies(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    found: list[Any] = []
    for name, needed, then in negation.values.dependencies(subschema, word, value):
        there = {"type": "object", "required": [name]}
        found.extend([{**there, "properties": {other: False}} for other in needed])
        if then:
            present = negation.subschemas.synthesized(subschema, there, word, name)
            found.append(join(present, negation.conj(subschema, then)))
    return found


# Unevaluated properties and items


@applies("unevaluatedProperties", "unevaluatedItems")
def apply_unevaluated(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    of_properties = word == "unevaluatedProperties"
    conj = context.subschemas.child(subschema, value, (word,))
    at, above, owners = path
    if conj:
        shape.pending = (*shape.pending, PendingUnevaluated(at, of_properties, conj, False, subschema))
    # the keyword evaluates everything that is left, so for all owners except this schema everything is evaluated
    about = Group({}, (), ()) if of_properties else None
    mark(shape, (at, above, owners[:-1]), lambda owner: Mark(owner, about, everything=True))


@negates("unevaluatedProperties", "unevaluatedItems")
def negate_unevaluated(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    of_properties = word == "unevaluatedProperties"
    child = negation.subschemas.child
    wrong = negation.conj(subschema, child(subschema, value, (word,)))
    if wrong == NEVER:
        return []
    # The alternative is a copy of the schema. Instead of the keyword, the copy asks that some unevaluated property or
    # item breaks the keyword's subschema. A synthesized schema would be read by draft 2020-12. The copy is an ordinary
    # child, so it keeps the draft of the schema: the other keywords keep their meaning, and leave their marks.
    others = {key: inner for key, inner in subschema.schema.items() if key != word}
    unevaluated = (of_properties, wrong, child(subschema, subschema.schema, ()))
    return [child(subschema, {**others, SOME_UNEVALUATED: unevaluated}, ())]
