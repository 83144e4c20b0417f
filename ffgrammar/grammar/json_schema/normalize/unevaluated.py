"""`unevaluatedProperties` and `unevaluatedItems`: what the keywords beside them, and the schemas in place with them,
say nothing about.

While a schema with one of them (the *owner*) is read, everything that evaluates properties or items on behalf of it
leaves a mark on the shape. When all choices are made, the marks of an owner say what is left, and the keyword becomes
an ordinary `additionalProperties` or `items`. That takes alternatives to tell which annotations they bring:

- Of the branches of an `anyOf`, all those that hold count. More of them only leave less over, so each set of branches
  is an alternative, and nobody has to say that the others do not hold.
- The opposite (some property is left over and breaks the schema) is not so patient: there the others must not hold.
- What `not` holds leaves no marks.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.normalize.shape import Conj, Group, InternalKeyword, Items, Shape, SomeKey, join

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
    from ffgrammar.grammar.json_schema.normalize.applicators import EvaluationPath
    from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["EVALUATING", "OWNERS", "SOME_LEFT", "Mark", "PendingUnevaluated", "finish", "mark", "sets_of"]

# The opposite, (of properties, conjunction, the schema): some property or item is left over, and obeys the conjunction.
SOME_LEFT = InternalKeyword("some left")

WORDS = ("unevaluatedProperties", "unevaluatedItems")
OWNERS = frozenset([*WORDS, SOME_LEFT])
# A schema without any of these marks nothing.
EVALUATING = frozenset(
    """properties patternProperties additionalProperties unevaluatedProperties prefixItems items contains
    unevaluatedItems allOf anyOf oneOf if then else dependencies dependentSchemas
    $ref $dynamicRef $recursiveRef""".split()
)


class Mark(NamedTuple):
    """What a schema evaluated on behalf of an owner.

    Attributes:
        owner: the number of its place.
        group: properties it named; None if this is about items.
        length: so many items from the first on.
        contained: items that obey this; None when not said by that.
        everything: all properties, or all items.
    """

    owner: int
    group: Group | None = None
    length: int = 0
    contained: Conj | None = None
    everything: bool = False


class PendingUnevaluated(NamedTuple):
    """A keyword that waits for the marks.

    Attributes:
        owner: the number of its place.
        of_properties: whether it is about properties, or about items.
        conj: what must hold for all that is left over; with `some`, for some of it.
        place: where it stands.
    """

    owner: int
    of_properties: bool
    conj: Conj
    some: bool
    subschema: Subschema


def mark(shape: Shape, way: EvaluationPath, made: Callable[[int], Mark]) -> None:
    """Leave a mark for every owner that what is read here evaluates for."""
    shape.marks = (*shape.marks, *[made(owner) for owner in way[2]])


def sets_of(
    options: list[Conj], annotated: list[bool], opposite: Callable[[Conj], Conj] | None, limit: int, where: str
) -> list[Conj]:
    """The options of an `anyOf`, as sets of those that hold and leave marks.

    Args:
        options: its branches.
        annotated: which of them may leave marks.
        opposite: where all that hold must be known: makes the opposite of a branch.
        limit: as many sets are made at most.
        where: pointer to the keyword.
    """
    marking = [option for option, marks in zip(options, annotated, strict=True) if marks]
    others = [option for option, marks in zip(options, annotated, strict=True) if not marks]
    if 1 << len(marking) > limit:
        raise LimitError("alternatives", limit, f"too many sets of branches may hold at {where}")
    found = []
    for size in range(len(marking) + 1):
        for chosen in combinations(range(len(marking)), size):
            conj: Conj = ()
            for index, option in enumerate(marking):
                if index in chosen:
                    conj = join(conj, option)
                elif opposite is not None:
                    conj = join(conj, opposite(option))
            found.extend([conj] if chosen else [join(conj, other) for other in others])
    return found


def finish(shape: Shape, strings: Strings, some_of: Callable[[Subschema, list[Conj]], Conj], opposite: Any) -> None:
    """Put what waits for marks into ordinary words, now that all marks are there."""
    for left in shape.left:
        own = [one for one in shape.marks if one.owner == left.owner]
        marks = [one for one in own if left.of_properties == (one.group is not None)]
        if any([one.everything for one in marks]):
            if left.some:
                shape.types = 0
            continue
        if left.of_properties:
            _properties(shape, left, marks, strings)
        else:
            _items(shape, left, marks, some_of, opposite)
    shape.left = ()
    shape.marks = ()


def _properties(shape: Shape, left: PendingUnevaluated, marks: list[Mark], strings: Strings) -> None:
    named: dict[str, Conj] = {}
    bodies: dict[int, Conj] = {}
    for one in marks:
        assert one.group is not None
        named.update(dict.fromkeys(one.group.named, ()))
        bodies.update(dict.fromkeys([body for body, _ in one.group.patterns], ()))
    if not left.some:
        shape.groups = (*shape.groups, Group(named, tuple(bodies.items()), left.conj))
        return
    shape.some_key(SomeKey(strings.other_keys(named, bodies), (), left.conj, left.subschema))


def _items(
    shape: Shape,
    left: PendingUnevaluated,
    marks: list[Mark],
    some_of: Callable[[Subschema, list[Conj]], Conj],
    opposite: Any,
) -> None:
    length = max([one.length for one in marks], default=0)
    contained = [one.contained for one in marks if one.contained is not None]
    conj = left.conj
    if left.some:
        for one in contained:
            conj = join(conj, opposite(left.subschema, one))
        shape.min_items = max(shape.min_items, length + 1)
        shape.contain(length, conj, 1, None, left.subschema)
        return
    if contained:
        conj = some_of(left.subschema, [*contained, conj])
    shape.items = (*shape.items, Items(((),) * length, conj))
