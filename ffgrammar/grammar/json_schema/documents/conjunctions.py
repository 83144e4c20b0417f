# cython: language_level=3
"""Conjunctions: sets of subschemas, by number, all of which a value must obey.

A conjunction is a sorted tuple of subschema numbers (see subschemas.py). () allows every value. Two conjunctions are
joined by their numbers alone, so no schema is read for this. Because there are finitely many sets of numbers, joining
comes to an end even for recursive schemas.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["NEVER", "Conj", "as_bits", "join", "join_all"]

Conj = tuple[int, ...]
# Number 0 is the schema `false`.
NEVER: Conj = (0,)


def join(a: Conj, b: Conj) -> Conj:
    """The conjunction that a value obeys if it obeys both `a` and `b`."""
    if a == b or not b:
        return a
    if not a:
        return b
    if a == NEVER or b == NEVER:
        return NEVER
    return tuple(sorted({*a, *b}))


def join_all(conjs: list[Conj]) -> Conj:
    """The conjunction of what several say. (Joined one by one, n of them would cost n * n.)"""
    if len(conjs) <= 2:
        return join(conjs[0], conjs[1]) if len(conjs) == 2 else conjs[0] if conjs else ()
    numbers: set[int] = set()
    numbers.update(*conjs)
    return NEVER if 0 in numbers else tuple(sorted(numbers))


def as_bits(subschemas: Iterable[Any]) -> int:
    """The numbers of subschemas as the bits of an int. A subschema may be a tuple that begins with its number."""
    found = 0
    for at in subschemas:
        found |= 1 << (at if type(at) is int else at[0])
    return found
