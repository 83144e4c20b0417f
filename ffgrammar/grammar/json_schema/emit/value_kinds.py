"""The kinds of values of one key that clauses tell apart.

n patterns that exclude each other make n + 1 kinds: the strings that match one of them, and all others. What a kind
obeys is kept short: what the others rule out anyway is left out. Most pairs of what is said exclude each other by their
types, or by their strings alone, so few conjunctions are read. (100 patterns take 0.1 s, and 0.4 s if each is compared
with each kind as a conjunction.)
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join, join_all
from ffgrammar.grammar.json_schema.emit.implied import Part
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused, Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import STR

__all__ = ["Kind", "value_kinds"]

# A key whose values clauses tell apart into more kinds is refused.
MAX_KINDS = 256
# What says more than this is not read to see whether any value obeys it.
FEW = 8
# The work of a comparison, in units of `ExprStore.count_work`.
WORK = 200


class _Said(NamedTuple):
    """What is said of values.

    Attributes:
        conj: the values obey this.
        opposite: the values that the key may have, and that do not obey it.
    """

    conj: Conj
    opposite: Conj


class Kind(NamedTuple):
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


def value_kinds(em: Symbols, name: str, base: Conj, kind: Kind, tested: list[Conj]) -> list[Kind]:
    """The kinds into which parts of clauses split the values of a kind. Some may have no values.

    Args:
        em: the emitter.
        name: the key.
        base: what all values of the key obey.
        kind: the values.
        tested: parts of clauses ask whether values obey these.

    Raises:
        ClausesRefused: there are too many kinds.
    """
    told_apart = _Comparison(em, base)
    kinds = [kind]
    for conj in tested:
        opposite = em.negation.conj(em.subschemas.list[conj[0]], conj)
        sides = _Said(conj, join(base, opposite)), _Said(opposite, join(base, conj))
        kinds = [part for one in kinds for part in told_apart.split(one, *sides, (name, conj))]
        if len(kinds) > MAX_KINDS:
            raise ClausesRefused
    return kinds


class _Comparison:
    """Compares what is said of the values of one key."""

    def __init__(self, em: Symbols, base: Conj) -> None:
        self._em = em
        self._base = base
        self._known: dict[tuple[Conj, Conj], bool] = {}

    def split(self, kind: Kind, holds: _Said, breaks: _Said, part: Part) -> list[Kind]:
        """The values of a kind that obey a part of a clause, and those that do not."""
        failing = self._with(kind, breaks)
        if failing is None:
            return [kind]
        holding = self._with(kind, holds)
        fails = kind.fails | {part}
        if holding is None:
            return [kind._replace(fails=fails)]
        return [Kind(holding, kind.fails), Kind(failing, fails)]

    def _with(self, kind: Kind, more: _Said) -> tuple[_Said, ...] | None:
        """What the values of a kind obey that also obey `more`; None if there are none."""
        said = join(self._base, more.conj)
        if any([self._exclude(said, one.conj) for one in kind.said]):
            return None
        # what follows from `more` need not be said
        left = (*[one for one in kind.said if not self._exclude(one.opposite, more.conj)], more)
        if len(left) <= FEW and self._em.combiner.impossible(Kind(left, kind.fails).conj(self._base), 0):
            return None
        return left

    def _exclude(self, one: Conj, other: Conj) -> bool:
        """Whether no value obeys two conjunctions, of which one says what all values of the key obey."""
        pair = (one, other)
        known = self._known.get(pair)
        if known is None:
            self._em.store.count_work(WORK)
            shapes = self._em.combiner.shapes
            known = self._known[pair] = all([self._apart(x, y) for x in shapes(one) for y in shapes(other)])
        return known

    def _apart(self, one: Shape, other: Shape) -> bool:
        """Whether two shapes have no value in common, as far as their types and strings show."""
        types = one.types & other.types
        if types != STR or one.strings is not None or other.strings is not None:
            return not types
        highs = [shape.max_length for shape in (one, other) if shape.max_length is not None]
        low = max(one.min_length, other.min_length)
        return not self._em.strings.range(low, min(highs, default=None), (*one.patterns, *other.patterns))
