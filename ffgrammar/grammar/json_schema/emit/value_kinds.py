"""The kinds of values of one key that clauses tell apart.

n patterns that exclude each other make n + 1 kinds: the strings that match one of them, and all others. What a kind
obeys is kept short: what the others rule out anyway is left out. Most pairs of what is said exclude each other by their
types, or by their strings or ranges alone, so few conjunctions are read. (100 patterns take 0.1 s, and 0.4 s if each is
compared with each kind as a conjunction.)
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join, join_all
from ffgrammar.grammar.json_schema.emit.implied import Part
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused, Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ALL, NUM, STR
from ffgrammar.grammar.json_schema.spec.internal_keywords import TYPES_LEFT

__all__ = ["value_kinds"]

# A key whose values clauses tell apart into more kinds is refused.
MAX_KINDS = 300
# What says more than this is not read to see whether any value obeys it.
FEW = 8
# The work of a comparison, and of one of two shapes, in units of `ExprStore.count_work`.
WORK = 200
WORK_OF_SHAPES = 10


class _Said(NamedTuple):
    """What is said of values, and its opposite."""

    conj: Conj
    opposite: Conj


class _Kind(NamedTuple):
    """Values of a key.

    Attributes:
        said: what all of them obey, beside what all values of the key do.
        fails: the parts of clauses that fail with such a value.
    """

    said: tuple[_Said, ...]
    fails: frozenset[Part]

    def conj(self, base: Conj) -> Conj:
        """What the values obey; `base` is what all values of the key do."""
        return join_all([base, *[one.conj for one in self.said]])


def value_kinds(
    em: Symbols, base: Conj, always: frozenset[Part], parts: list[Part]
) -> list[tuple[Conj, frozenset[Part]]]:
    """The kinds into which parts of clauses split the values of a key: what they obey, and the parts that fail with
    them. A kind may have no values.

    Args:
        em: the emitter.
        base: what all values of the key obey.
        always: the parts that fail with all values.
        parts: further parts. None of them fails with all values of any key.

    Raises:
        ClausesRefused: there are too many kinds.
    """
    found: list[tuple[Conj, frozenset[Part]]] = []
    if len(parts) > MAX_KINDS:
        raise ClausesRefused
    for values in _by_type(em, base, parts):
        told_apart = _Comparison(em, values)
        kinds = [_Kind((), always)]
        for part in parts:
            conj = part[1]
            opposite = em.negation.conj(em.subschemas.list[conj[0]], conj)
            sides = _Said(conj, opposite), _Said(opposite, conj)
            kinds = [one for kind in kinds for one in told_apart.split(kind, *sides, part)]
            if len(found) + len(kinds) > MAX_KINDS:
                raise ClausesRefused
        found += [(kind.conj(values), kind.fails) for kind in kinds]
    return found


def _by_type(em: Symbols, base: Conj, parts: list[Part]) -> list[Conj]:
    """What values obey, for strings and for other values by themselves. (All others match all patterns, so patterns
    exclude each other only for strings.)"""
    types = 0
    for shape in em.combiner.shapes(base):
        types |= shape.types
    if len(parts) < FEW or not types & STR or types == STR:
        return [base]
    subschema = em.subschemas.list[parts[0][1][0]]
    return [join(base, em.subschemas.synthesized(subschema, {TYPES_LEFT: one}, "type")) for one in (STR, ALL & ~STR)]


class _Comparison:
    """Compares what is said of the values of one key."""

    def __init__(self, em: Symbols, base: Conj) -> None:
        self._em = em
        self._base = base
        self._known: dict[tuple[Conj, Conj], bool] = {}

    def split(self, kind: _Kind, holds: _Said, breaks: _Said, part: Part) -> list[_Kind]:
        """The values of a kind that obey a part of a clause, and those that do not."""
        failing = self._with(kind, breaks)
        if failing is None:
            return [kind]
        holding = self._with(kind, holds)
        fails = kind.fails | {part}
        if holding is None:
            return [kind._replace(fails=fails)]
        return [_Kind(holding, kind.fails), _Kind(failing, fails)]

    def _with(self, kind: _Kind, more: _Said) -> tuple[_Said, ...] | None:
        """What the values of a kind obey that also obey `more`; None if there are none."""
        if any([self._exclude(more.conj, one.conj) for one in kind.said]):
            return None
        # what follows from `more` need not be said
        left = (*[one for one in kind.said if not self._exclude(one.opposite, more.conj)], more)
        if len(left) <= FEW and self._em.combiner.impossible(_Kind(left, kind.fails).conj(self._base), 0):
            return None
        return left

    def _exclude(self, one: Conj, other: Conj) -> bool:
        """Whether no value of the key obeys two conjunctions."""
        pair = (one, other) if one < other else (other, one)
        known = self._known.get(pair)
        if known is None:
            self._em.store.count_work(WORK)
            first, second = [self._em.combiner.shapes(join(self._base, conj)) for conj in pair]
            # (of many shapes, the first two mostly have a value in common)
            known = self._known[pair] = all(self._apart_from_all(shape, second) for shape in first)
        return known

    def _apart_from_all(self, one: Shape, others: list[Shape]) -> bool:
        self._em.store.count_work(WORK_OF_SHAPES * len(others))
        return all(self._apart(one, other) for other in others)

    def _apart(self, one: Shape, other: Shape) -> bool:
        """Whether two shapes have no value in common, as far as their types, patterns and ranges show."""
        types = one.types & other.types
        if types & ~(STR | NUM) or (types & STR and not self._strings_apart(one, other)):
            return False
        return not types & NUM or _numbers_apart(one, other)

    def _strings_apart(self, one: Shape, other: Shape) -> bool:
        if one.strings is not None or other.strings is not None:
            return False
        store = self._em.store
        return bool(one.patterns and other.patterns) and store.is_nothing(
            store.intersect([*one.patterns, *other.patterns])
        )


def _numbers_apart(one: Shape, other: Shape) -> bool:
    """Whether the ranges of two shapes have no number in common."""
    for lower, higher in ((one, other), (other, one)):
        if lower.high is not None and higher.low is not None and lower.high <= higher.low:
            return lower.high < higher.low or lower.high_open or higher.low_open
    return False
