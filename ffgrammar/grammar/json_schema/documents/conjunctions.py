# cython: language_level=3
"""Conjunctions: sets of subschemas, by number, all of which a value must obey.

A conjunction is a sorted tuple of subschema numbers (see subschemas.py). () allows every value. The numbers are names:
merging two conjunctions reads no schema, and there are finitely many of them, so merging recursive schemas ends.
"""

from __future__ import annotations

__all__ = ["NEVER", "Conj", "join"]

Conj = tuple[int, ...]
# Number 0 is the schema `false`.
NEVER: Conj = (0,)


def join(a: Conj, b: Conj) -> Conj:
    """Both conjunctions at once."""
    if a == b or not b:
        return a
    if not a:
        return b
    if a == NEVER or b == NEVER:
        return NEVER
    return tuple(sorted({*a, *b}))
