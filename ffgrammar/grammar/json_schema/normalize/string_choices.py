"""Many choices about strings, each as one expression.

Where a string must obey n schemas like `{"anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`, the alternatives multiply out
to 2 ** n shapes. But what the alternatives of one choice match is a union, and what all choices match is an
intersection, whose states the engine makes as it needs them. So strings get an alternative of their own, in which such
a choice is an expression. In the alternative for other types, a choice need not be made if one of its options says
nothing about these types. (20 choices between three patterns compile in 3 ms. More than 9 are too many to
multiply out.)
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschemas
from ffgrammar.grammar.json_schema.shape.choices import Choice
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import STR
from ffgrammar.grammar.json_schema.spec.internal_keywords import NOT, NOT_MULTIPLE, TYPES_LEFT, WITHOUT
from ffgrammar.grammar.json_schema.spec.keywords import KEYWORDS, Role
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["FEW", "StringChoice", "string_choices"]

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
        body: an expression of the bodies of the strings that obey it; None if all strings do.
        free_types: the other types, as bits, all of whose values obey it.
    """

    choice: Choice
    body: int | None
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
    bodies: list[int] = []
    allows_all = False
    free_types = 0
    for one in chain.from_iterable(map(shapes_of, choice.options)):
        if all([getattr(one, name) == usual for name, usual in _FREE]):
            free_types |= one.types & ~STR
        if not one.types & STR:
            continue
        if one.strings is None and not one.patterns:
            allows_all = allows_all or not (one.min_length or one.max_length is not None)
            if not shape.patterns and not allows_all:
                # Such strings may be spelled in every way, and those that match patterns in only one.
                return None
        bodies.append(strings.body_of(one))
    return StringChoice(choice, None if allows_all else strings.store.union(bodies), free_types)
