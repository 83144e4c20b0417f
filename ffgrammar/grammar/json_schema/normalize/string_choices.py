"""Many choices about strings, each as one expression.

Where a string must obey n schemas like `{"anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`, the alternatives multiply out
to 2 ** n shapes. But what the alternatives of one choice match is a union, and what all choices match is an
intersection, whose states the engine makes as it needs them. So strings get an alternative of their own, in which such
a choice is an expression. In the alternative for other types, a choice need not be made if one of its options says
nothing about these types. (20 choices between three patterns compile in 3 ms. More than 9 are too many to
multiply out.)

What choices between lengths leave is found by arithmetic: as expressions beside some patterns, lengths may have too
many states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from math import inf
from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschemas
from ffgrammar.grammar.json_schema.shape.choices import Choice
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import STR
from ffgrammar.grammar.json_schema.spec.internal_keywords import NOT, NOT_MULTIPLE, TYPES_LEFT, WITHOUT
from ffgrammar.grammar.json_schema.spec.keywords import KEYWORDS, Role
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["FEW", "StringChoice", "lengths_left", "string_choices"]

# Fewer choices are multiplied out.
FEW = 3
# How deep `not` may be nested in an option.
NEGATIONS = 2
# The keywords that an option may have. (With others, its shapes may take long to make.)
_WORDS = {row.word for row in KEYWORDS if row.role is Role.ANNOTATION} | {
    *("type", "const", "enum", "pattern", "format", "minLength", "maxLength", "not", NOT, WITHOUT, TYPES_LEFT),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", NOT_MULTIPLE),
}
# The fields of a shape that say nothing of strings, and these fields of a shape that allows all values.
_NOT_OF_STRINGS = """low high divisors not_divisors numbers items min_items max_items contained unique repeated groups
required min_properties max_properties key_names some_keys clauses marks pending holed""".split()
_FREE = [(name, getattr(Shape(), name)) for name in _NOT_OF_STRINGS]


class StringChoice(NamedTuple):
    """What a choice says of strings.

    Attributes:
        choice: the choice.
        body: an expression of the bodies of the strings that obey it; None if all strings of some lengths do.
        lengths: the ranges of these lengths.
        free_types: the other types, as bits, all of whose values obey it.
    """

    choice: Choice
    body: int | None
    lengths: list[tuple[int, float]]
    free_types: int


def string_choices(
    shape: Shape,
    choices: list[Choice],
    subschemas: Subschemas,
    strings: Strings,
    shapes_of: Callable[[Conj], list[Shape]],
) -> list[StringChoice]:
    """What choices say of strings, for those choices whose options are simple enough; nothing if these are few.

    Args:
        shape: the shape that has the choices. It allows strings.
        choices: the choices.
        subschemas: those of the build.
        strings: the expressions of the build.
        shapes_of: returns the shapes of a conjunction.
    """
    plain = [choice for choice in choices if choice.key is None and _is_about_scalars(choice, subschemas)]
    if len(plain) < FEW:
        return []
    found = [_said(shape, choice, strings, shapes_of) for choice in plain]
    known = [one for one in found if one is not None]
    return known if len(known) >= FEW else []


def _is_about_scalars(choice: Choice, subschemas: Subschemas) -> bool:
    # (with owners, it counts which option holds: see unevaluated.py)
    return not choice.path[2] and all([_has_few_words(option, subschemas, NEGATIONS) for option in choice.options])


def _has_few_words(conj: Conj, subschemas: Subschemas, negations: int) -> bool:
    """Whether a conjunction has only the keywords of _WORDS, also inside `not`, nested at most `negations` deep."""
    for at in conj if conj != NEVER else ():
        subschema = subschemas.list[at]
        keywords = subschema.keywords()
        if not _WORDS.issuperset(keywords):
            return False
        if NOT in keywords or "not" in keywords:
            inner = keywords[NOT] if NOT in keywords else subschemas.child(subschema, keywords["not"], ("not",))
            if not negations or not _has_few_words(inner, subschemas, negations - 1):
                return False
    return True


def _said(
    shape: Shape, choice: Choice, strings: Strings, shapes_of: Callable[[Conj], list[Shape]]
) -> StringChoice | None:
    """What a choice says of strings; None if no expression of bodies says it. Arguments as in `string_choices`."""
    texts: list[Shape] = []
    lengths: list[tuple[int, float]] = []
    free_types = 0
    for one in chain.from_iterable(map(shapes_of, choice.options)):
        if all([getattr(one, name) == usual for name, usual in _FREE]):
            free_types |= one.types & ~STR
        if one.types & STR:
            texts.append(one)
            if one.strings is None and not one.patterns:
                lengths.append((one.min_length, inf if one.max_length is None else one.max_length))
    if (0, inf) in lengths:
        lengths = [(0, inf)]
    elif len(lengths) < len(texts):
        if lengths and not shape.patterns:
            # Such strings may be spelled in every way, and those that match patterns in only one.
            return None
        body = strings.store.union([strings.body_of(one) for one in texts])
        return StringChoice(choice, body, [(0, inf)], free_types)
    return StringChoice(choice, None, lengths, free_types)


def lengths_left(shape: Shape, found: Iterable[StringChoice]) -> list[tuple[int, int | None]]:
    """The ranges of lengths that a shape and all of some choices allow. They do not touch each other."""
    left: list[tuple[int, float]] = [(shape.min_length, inf if shape.max_length is None else shape.max_length)]
    for said in found:
        both = [(max(low, one[0]), min(high, one[1])) for low, high in said.lengths for one in left]
        left = []
        for low, high in sorted([one for one in both if one[0] <= one[1]]):
            if left and low <= left[-1][1] + 1:
                left[-1] = (left[-1][0], max(left[-1][1], high))
            else:
                left.append((low, high))
    return [(low, None if high == inf else int(high)) for low, high in left]
