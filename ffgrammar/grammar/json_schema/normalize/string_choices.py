"""Many choices about strings, each as one expression.

Where a string must obey n schemas like `{"anyOf": [{"pattern": "a"}, {"pattern": "b"}]}`, the alternatives multiply out
to 2 ** n shapes. But what the alternatives of one choice match is a union, and what all choices match is an
intersection, whose states the engine makes as it needs them. So strings get an alternative of their own, in which such
a choice is an expression. In the alternative for other types, a choice need not be made if one of its options says
nothing about these types. (20 choices between three patterns compile in 3 ms. More than 9 are too many to
multiply out.)

What choices between lengths leave is found by arithmetic: as expressions beside some patterns, lengths may have too
many states.

Strings that match a pattern, or are listed, are spelled in one way, others in every way that JSON has. So where each
choice is between patterns and lengths, strings get two alternatives: one in which all choices are made for lengths, and
one for strings that are spelled in the one way. (200 conditions on a pattern of one key, each of which bounds its
length, compile in 0.45 s. With one alternative for each choice they took 6 s.)
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

__all__ = ["FEW", "Said", "alternatives", "string_choices"]

# Ranges of lengths: the least, and the greatest or infinity.
Ranges = list[tuple[int, float]]
ALL_LENGTHS = (0, inf)

# Fewer choices are multiplied out.
FEW = 3
# The work of a look at a choice, in units of `ExprStore.count_work`.
WORK = 50
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


class Said(NamedTuple):
    """What the options of a choice say of strings.

    Attributes:
        body: an expression of the bodies of the strings that obey an option, spelled in the one way; None if the
            lengths say all.
        lengths: ranges of lengths. All strings of these lengths obey an option.
        free_types: the other types, as bits, all of whose values obey an option.
    """

    body: int | None
    lengths: Ranges
    free_types: int


def string_choices(
    choices: list[Choice],
    subschemas: Subschemas,
    strings: Strings,
    shapes_of: Callable[[Conj], list[Shape]],
    known: dict[tuple[Conj, ...], Said | None],
) -> list[tuple[Choice, Said]]:
    """Those choices whose options are simple enough, and what these say of strings; nothing if they are few.

    Args:
        choices: the choices.
        subschemas: those of the build.
        strings: the expressions of the build.
        shapes_of: returns the shapes of a conjunction.
        known: what is known already, by options.
    """
    found: list[tuple[Choice, Said]] = []
    strings.store.count_work(WORK * len(choices))
    for choice in choices:
        # (with owners, it counts which option holds: see unevaluated.py)
        if choice.key is not None or choice.path[2]:
            continue
        options = tuple(choice.options)
        if options not in known:
            known[options] = None
            if all([_has_few_words(option, subschemas, NEGATIONS) for option in options]):
                known[options] = _said(options, strings, shapes_of)
        said = known[options]
        if said is not None:
            found.append((choice, said))
    return found if len(found) >= FEW else []


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


def _said(options: tuple[Conj, ...], strings: Strings, shapes_of: Callable[[Conj], list[Shape]]) -> Said:
    """What options say of strings. Arguments as in `string_choices`."""
    texts: list[Shape] = []
    lengths: Ranges = []
    free_types = 0
    for one in chain.from_iterable(map(shapes_of, options)):
        if all([getattr(one, name) == usual for name, usual in _FREE]):
            free_types |= one.types & ~STR
        if one.types & STR:
            texts.append(one)
            if one.strings is None and not one.patterns:
                lengths.append((one.min_length, inf if one.max_length is None else one.max_length))
    if ALL_LENGTHS in lengths:
        return Said(None, [ALL_LENGTHS], free_types)
    if len(lengths) == len(texts):
        return Said(None, lengths, free_types)
    return Said(strings.store.union([strings.body_of(one) for one in texts]), lengths, free_types)


def alternatives(shape: Shape, found: list[Said]) -> list[tuple[list[int], list[tuple[int, int | None]]]]:
    """The alternatives of strings that a shape and all of some choices allow: expressions that the bodies match, and
    the ranges of lengths, which do not touch each other."""
    bodies = [said.body for said in found if said.body is not None]
    made = []
    has_pattern = bool(shape.patterns) or any([said.body is not None and not said.lengths for said in found])
    if not has_pattern:
        made.append((list[int](), _lengths_left(shape, [said.lengths for said in found])))
    if has_pattern or bodies:
        made.append((bodies, _lengths_left(shape, [said.lengths for said in found if said.body is None])))
    return made


def _lengths_left(shape: Shape, found: Iterable[Ranges]) -> list[tuple[int, int | None]]:
    left: Ranges = [(shape.min_length, inf if shape.max_length is None else shape.max_length)]
    for ranges in found:
        both = [(max(low, one[0]), min(high, one[1])) for low, high in ranges for one in left]
        left = []
        for low, high in sorted([one for one in both if one[0] <= one[1]]):
            if left and low <= left[-1][1] + 1:
                left[-1] = (left[-1][0], max(left[-1][1], high))
            else:
                left.append((low, high))
    return [(low, None if high == inf else int(high)) for low, high in left]
