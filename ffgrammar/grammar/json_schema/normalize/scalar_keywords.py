# cython: language_level=3
"""The keywords of any type and of scalars: `type`, `enum`, `const`, and those of numbers and strings.

For each keyword there are two functions: one applies it to a shape (see context.py), one makes the alternatives that
break it (see negation.py).
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.context import Context, applies
from ffgrammar.grammar.json_schema.normalize.literals import Scalars, count_of, number
from ffgrammar.grammar.json_schema.normalize.negation import Negation, negates
from ffgrammar.grammar.json_schema.shape.choices import Choice, EvaluationPath
from ffgrammar.grammar.json_schema.shape.shape import Shape, lower_of
from ffgrammar.grammar.json_schema.shape.types import ALL, ARR, FALSE, NULL, NUM, OBJ, STR, TRUE, TYPES
from ffgrammar.grammar.json_schema.spec.internal_keywords import NOT_MULTIPLE, TYPES_LEFT, WITHOUT
from ffgrammar.grammar.json_schema.strings.plain_patterns import listed_texts

__all__: list[str] = []

# Any type


@applies("type")
def apply_type(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    named = TYPES.get(value) if type(value) is str else None
    shape.types &= context.values.types(subschema, word, value) if named is None else named


@negates("type")
def negate_type(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    left = ALL & ~negation.values.types(subschema, word, value)
    return [{TYPES_LEFT: left}] if left else []


@applies("enum", "const")
def apply_enum(
    context: Context,
    shape: Shape,
    subschema: Subschema,
    word: str,
    value: Any,
    choices: list[Choice],
    path: EvaluationPath,
) -> None:
    scalars, compound = context.values.scalars(subschema, word, value)
    if not compound or not shape.types & (ARR | OBJ):
        _only(shape, scalars)
        return
    options = list(compound)
    if scalars.types:
        plain = [one for one in value if not isinstance(one, (list, dict))]
        options.append(context.subschemas.synthesized(subschema, {"enum": plain}, word))
    choices.append(Choice(options, path))


def _only(shape: Shape, scalars: Scalars) -> None:
    """Allow nothing but these scalars."""
    shape.types &= scalars.types
    if scalars.strings:
        old = shape.strings
        shape.strings = scalars.strings if old is None else _both(old, scalars.strings)
    if scalars.numbers:
        before = shape.numbers
        shape.numbers = scalars.numbers if before is None else _both(before, scalars.numbers)


def _both(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    wanted = set(new)
    return tuple([one for one in old if one in wanted])


@negates("enum", "const")
def negate_enum(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    scalars, compound = negation.values.scalars(subschema, word, value)
    left = ALL & ~(scalars.types & (NULL | TRUE | FALSE))
    others = negation.none_of(subschema, compound)
    found: list[Any] = []
    if scalars.numbers:
        found += _gaps(sorted(scalars.numbers))
        left &= ~NUM
    if scalars.strings:
        strings = negation.strings
        listed = strings.store.union([strings.body(text) for text in scalars.strings])
        found.append({"type": "string", WITHOUT: listed})
        left &= ~STR
    rest = negation.subschemas.synthesized(subschema, {TYPES_LEFT: left}, word)
    return [*found, join(rest, others)]


def _gaps(points: list[Decimal]) -> list[dict[Any, Any]]:
    """Schemas for the numbers below, between and above some sorted numbers."""
    found = []
    bounds: list[Decimal | None] = [None, *points, None]
    for low, high in pairwise(bounds):
        gap: dict[Any, Any] = {"type": "number"}
        if low is not None:
            gap["exclusiveMinimum"] = low
        if high is not None:
            gap["exclusiveMaximum"] = high
        found.append(gap)
    return found


# Numbers


def _is_open(subschema: Subschema, word: str) -> bool:
    """Whether a bound is exclusive because a boolean beside it says so, as in draft 4.

    `word` is the keyword that has the boolean: `exclusiveMinimum` for `minimum`, `exclusiveMaximum` for `maximum`.
    """
    return subschema.schema.get(word) is True


@applies("minimum")
def apply_minimum(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.at_least(number(value, subschema, word), _is_open(subschema, "exclusiveMinimum"))


@negates("minimum")
def negate_minimum(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    bound = number(value, subschema, word)
    opposite = "maximum" if _is_open(subschema, "exclusiveMinimum") else "exclusiveMaximum"
    return [{"type": "number", opposite: bound}]


@applies("maximum")
def apply_maximum(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.at_most(number(value, subschema, word), _is_open(subschema, "exclusiveMaximum"))


@negates("maximum")
def negate_maximum(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    bound = number(value, subschema, word)
    opposite = "minimum" if _is_open(subschema, "exclusiveMaximum") else "exclusiveMinimum"
    return [{"type": "number", opposite: bound}]


@applies("exclusiveMinimum", "exclusiveMaximum")
def apply_exclusive(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    if isinstance(value, bool):
        if subschema.draft == 4 or not subschema.resource.declared:
            return
        raise GrammarError(f"{word} must be a number since draft 6, not a boolean", pointer=subschema.pointer(word))
    bound = number(value, subschema, word)
    if word == "exclusiveMinimum":
        shape.at_least(bound, True)
    else:
        shape.at_most(bound, True)


@negates("exclusiveMinimum", "exclusiveMaximum")
def negate_exclusive(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    if isinstance(value, bool):
        return []
    return [{"type": "number", "maximum" if word == "exclusiveMinimum" else "minimum": value}]


@applies("multipleOf")
def apply_multiple_of(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    divisor = context.values.divisor(subschema, word, value)
    if divisor not in [known for known, _ in shape.divisors]:
        shape.divisors = (*shape.divisors, (divisor, subschema))


@negates("multipleOf")
def negate_multiple_of(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return [{"type": "number", NOT_MULTIPLE: negation.values.divisor(subschema, word, value)}]


# Strings


@applies("minLength")
def apply_min_length(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.min_length = max(shape.min_length, count_of(value, subschema, word))


@applies("maxLength")
def apply_max_length(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    shape.max_length = lower_of(shape.max_length, count_of(value, subschema, word))


@applies("pattern")
def apply_pattern(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    listed = listed_texts(value) if isinstance(value, str) else None
    if listed is None:
        shape.match(context.values.pattern(subschema, word, value))
    else:
        shape.strings = listed if shape.strings is None else _both(shape.strings, listed)


@negates("pattern")
def negate_pattern(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    return [{"type": "string", WITHOUT: negation.values.pattern(subschema, word, value)}]


@applies("format")
def apply_format(context: Context, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> None:
    body = context.values.format(subschema, word, value)
    if body is not None:
        shape.match(body)


@negates("format")
def negate_format(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    body = negation.values.format(subschema, word, value)
    if body is not None and value == "regex":
        # the expression does not match some valid patterns, so its opposite would accept them
        raise UnsupportedError(
            "the format 'regex' is not supported inside `not`, `oneOf` or `if`: remove it, or pass "
            "formats='annotation'",
            pointer=subschema.pointer(word),
        )
    return [] if body is None else [{"type": "string", WITHOUT: body}]


# Counts of characters. Counts of items and of properties are negated here, too.

# The type that each count is about, and the keyword that says the opposite.
_COUNTS = {
    "minLength": ("string", "maxLength"),
    "maxLength": ("string", "minLength"),
    "minItems": ("array", "maxItems"),
    "maxItems": ("array", "minItems"),
    "minProperties": ("object", "maxProperties"),
    "maxProperties": ("object", "minProperties"),
}


@negates("minLength", "minItems", "minProperties")
def negate_at_least(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    kind, opposite = _COUNTS[word]
    count = count_of(value, subschema, word)
    return [{"type": kind, opposite: count - 1}] if count else []


@negates("maxLength", "maxItems", "maxProperties")
def negate_at_most(negation: Negation, subschema: Subschema, word: str, value: Any) -> list[Any]:
    kind, opposite = _COUNTS[word]
    return [{"type": kind, opposite: count_of(value, subschema, word) + 1}]
