"""`unevaluatedProperties` and `unevaluatedItems`: constraints on properties and items that no other keyword of the
schema evaluates. A schema may apply other schemas to the same value (by `allOf` or `$ref`, for example). Then the
keywords of those schemas count, too.

A schema with one of these two keywords, or with the internal keyword that says the opposite of one, is an *owner*.
While an owner is read, every keyword that evaluates properties or items for it leaves a mark on the shape. When all
choices between alternatives are made, the marks of an owner show what is unevaluated, and its keyword becomes an
ordinary `additionalProperties` or `items`: in

    {"allOf": [{"properties": {"a": true}}], "properties": {"b": true}, "unevaluatedProperties": false}

the marks name a and b, and the keyword becomes `additionalProperties: false` beside a `properties` with a and b.
Alternatives need care, because each alternative leaves its own marks:

- All branches of an `anyOf` that hold leave their marks. So each set of branches is an alternative. The alternative
  need not say that the branches outside of the set do not hold: if more branches hold, less is unevaluated, and the
  keyword demands less. If there are many branches, a choice is made for each, whether it holds. (Where a key tells them
  apart, few sets are possible.)
- For the opposite of the keyword (some property is unevaluated and breaks the keyword's subschema), each alternative
  must say that the branches outside of its set do not hold. Only branches that may leave marks count here.
- Nothing inside `not` leaves marks.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.shape.choices import EvaluationPath
from ffgrammar.grammar.json_schema.shape.constraints import Group, Items, Mark, PendingUnevaluated, SomeKey
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.spec.internal_keywords import SOME_UNEVALUATED
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["OWNER_WORDS", "finish", "mark", "sets_of"]

# A schema with any of these is an owner.
OWNER_WORDS = frozenset(["unevaluatedProperties", "unevaluatedItems", SOME_UNEVALUATED])


def mark(shape: Shape, path: EvaluationPath, make: Callable[[int], Mark]) -> None:
    """Leave a mark for each owner for which the subschema at the end of a path evaluates properties or items. (The path
    lists these owners.)"""
    shape.marks = (*shape.marks, *[make(owner) for owner in path[2]])


def sets_of(
    options: list[Conj], annotated: list[bool], opposite: Callable[[Conj], Conj] | None, limit: int, pointer: str
) -> list[Conj]:
    """The alternatives of an `anyOf`: the sets of branches that leave marks, each as one conjunction.

    The empty set is replaced: each branch that leaves no marks is an alternative of its own.

    Args:
        options: the branches.
        annotated: for each branch, whether it may leave marks.
        opposite: makes the opposite of a branch, if each set must say that the other branches that may leave marks do
            not hold; else None.
        limit: how many sets may be made at most.
        pointer: the position of the keyword.

    Raises:
        LimitError: there are too many sets.
    """
    marking = [option for option, marks in zip(options, annotated, strict=True) if marks]
    others = [option for option, marks in zip(options, annotated, strict=True) if not marks]
    if 1 << len(marking) > limit:
        raise LimitError("alternatives", limit, "too many sets of branches may hold", f"at {pointer}")
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


def finish(
    shape: Shape,
    strings: Strings,
    some_of: Callable[[Subschema, list[Conj]], Conj],
    opposite: Callable[[Subschema, Conj], Conj],
) -> None:
    """Turn pending keywords into ordinary constraints, now that all marks are made.

    Args:
        shape: the shape, which is changed.
        strings: the string expressions of the build.
        some_of: takes a subschema and several conjunctions. Makes a conjunction, at the position of the subschema,
            which says that at least one of those conjunctions holds.
        opposite: takes a subschema and a conjunction. Makes the opposite of the conjunction, at the position of the
            subschema.
    """
    for pending in shape.pending:
        own = [one for one in shape.marks if one.owner == pending.owner]
        marks = [one for one in own if pending.of_properties == (one.group is not None)]
        if any([one.everything for one in marks]):
            if pending.some:
                shape.types = 0
            continue
        if pending.of_properties:
            _properties(shape, pending, marks, strings)
        else:
            _items(shape, pending, marks, some_of, opposite)
    shape.pending = ()
    shape.marks = ()


def _properties(shape: Shape, pending: PendingUnevaluated, marks: list[Mark], strings: Strings) -> None:
    named: dict[str, Conj] = {}
    bodies: dict[int, Conj] = {}
    for one in marks:
        assert one.group is not None
        named.update(dict.fromkeys(one.group.named, ()))
        bodies.update(dict.fromkeys([body for body, _ in one.group.patterns], ()))
    if not pending.some:
        shape.groups = (*shape.groups, Group(named, tuple(bodies.items()), pending.conj))
        return
    shape.some_key(SomeKey(strings.other_keys(named, bodies), (), pending.conj, pending.subschema))


def _items(
    shape: Shape,
    pending: PendingUnevaluated,
    marks: list[Mark],
    some_of: Callable[[Subschema, list[Conj]], Conj],
    opposite: Callable[[Subschema, Conj], Conj],
) -> None:
    length = max([one.length for one in marks], default=0)
    contained = [one.contained for one in marks if one.contained is not None]
    conj = pending.conj
    if pending.some:
        for one in contained:
            conj = join(conj, opposite(pending.subschema, one))
        shape.min_items = max(shape.min_items, length + 1)
        shape.contain(length, conj, 1, None, pending.subschema)
        return
    if contained:
        conj = some_of(pending.subschema, [*contained, conj])
    shape.items = (*shape.items, Items(((),) * length, conj))
