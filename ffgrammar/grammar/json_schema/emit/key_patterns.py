"""The patterns that tell apart the keys beside the named ones: which of them may match one key together.

n patterns that exclude each other make n + 1 kinds of keys, and n patterns that may stand anywhere in a key make 2^n.
Two patterns that demand the same of values are one pattern. What two patterns exclude is found for the two alone. So
the emptiness of large intersections is asked only for kinds that several patterns match.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["KeyPattern", "matching_sets", "patterns_of"]

# Every two patterns are compared if there are at most this many.
MAX_COMPARED = 200


class KeyPattern(NamedTuple):
    """A pattern of keys.

    Attributes:
        body: one of the expressions of `Group.patterns` that mean it.
        keys: the expression of the keys that match it, with their quotes.
        number: its number among the patterns.
        excludes: the numbers of patterns that match no key that this one matches, as bits.
    """

    body: int
    keys: int
    number: int
    excludes: int


def patterns_of(em: Symbols, shape: Shape, depth: int) -> list[KeyPattern]:
    """The patterns of a shape that demand something different of values. `depth` is how deep the object is nested."""
    store = em.store
    bodies = dict.fromkeys([body for group in shape.groups for body, _ in group.patterns])
    alike: dict[object, list[int]] = {}
    for body in bodies:
        alike.setdefault(_demands(em, shape, body, depth) if len(bodies) > 1 else None, []).append(body)
    keys = [store.union([em.strings.quoted(body) for body in some]) for some in alike.values()]
    excludes = [0] * len(keys)
    for second in range(len(keys) if len(keys) <= MAX_COMPARED else 0):
        for first in range(second):
            if store.is_nothing(store.intersect([keys[first], keys[second]])):
                excludes[first] |= 1 << second
                excludes[second] |= 1 << first
    firsts = [some[0] for some in alike.values()]
    return [KeyPattern(*fields) for fields in zip(firsts, keys, range(len(keys)), excludes, strict=True)]


def _demands(em: Symbols, shape: Shape, body: int, depth: int) -> tuple[tuple[int, ...], ...]:
    """By group: the symbols of what it demands of the values of keys that match a pattern."""
    found = []
    for group in shape.groups:
        conjs = [conj for one, conj in group.patterns if one == body]
        found.append(tuple([em.never if conj == NEVER else em.symbol(conj, depth + 1) for conj in conjs]))
    return tuple(found)


def matching_sets(patterns: list[KeyPattern], most: int) -> list[int] | None:
    """The sets of patterns of which no two exclude each other, as bits; None if there are more than `most`."""
    found = [0]
    for pattern in patterns:
        found += [some | 1 << pattern.number for some in found if not some & pattern.excludes]
        if len(found) > most:
            return None
    return found
