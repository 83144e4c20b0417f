# cython: language_level=3
"""`oneOf`: its branches as a choice, told apart where they overlap.

Exactly one branch must hold. So if two branches can hold at once, they overlap, and each has to exclude the other. To
find out whether two branches can hold at once, other schemas must be read, which may have a `oneOf` in turn. So a
`oneOf` is first taken for an `anyOf`, which means the same if no branches overlap, as in most schemas. Its branches are
compared later, when nothing is being read. If some overlap, the shapes are built again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join, join_all
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.kinds import FEW, Kind, Kinds
from ffgrammar.grammar.json_schema.normalize.negation import Negation
from ffgrammar.grammar.json_schema.normalize.parts import property_conj
from ffgrammar.grammar.json_schema.shape.scalars import scalars
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import OBJ, STR
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["Examiner", "OneOfs", "too_many"]

# How many levels below a value are searched for a contradiction between two branches.
APART_DEPTH = 4
# One build compares at most COMPARED * `Limits.alternatives` pairs of branches.
COMPARED = 10

# How many times the values that do not show a kind are told apart by another key.
MAX_LEVEL = 3

Shapes = Callable[[Conj], list[Shape]]
# A part of a branch, as a conjunction beside the branch, and conjunctions that it excludes.
_Part = tuple[Conj, list[Conj]]
_WHOLE: list[_Part] = [((), [])]


def too_many(limits: Limits, subschema: Subschema) -> LimitError:
    """The error for too many combinations of alternatives."""
    message = "anyOf, oneOf, not and if multiply out to too many combinations"
    return LimitError("alternatives", limits.alternatives, message, f"at {subschema.written_pointer()}")


class Examiner(Protocol):
    """What the branches of a `oneOf` are compared with."""

    def shapes(self, conj: Conj) -> list[Shape]:
        """The shapes of a conjunction."""
        ...

    def impossible(self, conj: Conj, depth: int) -> bool:
        """Whether surely no value obeys a conjunction; examines properties and items down to `depth` levels."""
        ...


class OneOfs:
    """Every `oneOf` of one build."""

    def __init__(self, negation: Negation, limits: Limits) -> None:
        self._negation = negation
        self._limits = limits
        self._kinds: Kinds | None = None
        # how many pairs of branches were compared, in all
        self._compared = 0
        # by the id() of the subschema with the `oneOf`: the alternatives that stand for its branches; None if the
        # branches themselves do
        self._alternatives: dict[int, list[Conj] | None] = {}
        self._unchecked: list[tuple[Subschema, list[Conj]]] = []

    def exactly_one(self, subschema: Subschema, options: list[Conj]) -> list[Conj]:
        """The branches of a `oneOf` as alternatives. Each excludes the branches that it overlaps.

        Until `check` has compared the branches, they are returned unchanged.
        """
        known = self._alternatives.get(id(subschema), options)
        if known is options:
            self._unchecked.append((subschema, options))
        return options if known is None else known

    def has_unchecked(self) -> bool:
        """Whether some `oneOf` was taken for an `anyOf` and has not been checked."""
        return bool(self._unchecked)

    def check(self, examiner: Examiner) -> bool:
        """Compare the branches of every `oneOf` that was taken for an `anyOf`.

        Args:
            examiner: makes the shapes of the branches, and looks for contradictions between branches.

        Returns:
            Whether some branches may hold at once. If so, shapes that were made before are wrong.
        """
        found = False
        while self._unchecked:
            subschema, options = self._unchecked.pop()
            if id(subschema) not in self._alternatives:
                made = self._made(subschema, options, examiner)
                self._alternatives[id(subschema)] = made
                found = found or made is not None
        return found

    def _made(self, subschema: Subschema, options: list[Conj], examiner: Examiner) -> list[Conj] | None:
        """The alternatives of a `oneOf`; None if no branches overlap."""
        parts = self._apart(subschema, options, options, examiner, 0)
        if all([one == _WHOLE for one in parts]):
            return None
        return [
            self._without(subschema, join(option, part), others)
            for option, some in zip(options, parts, strict=True)
            for part, others in some
        ]

    def _apart(
        self, subschema: Subschema, options: list[Conj], denied: list[Conj], examiner: Examiner, level: int
    ) -> list[list[_Part]]:
        """For each of several branches, its parts that obey no other branch.

        Args:
            subschema: the one with the `oneOf`.
            options: the branches.
            denied: for each branch, what a part of another one excludes.
            examiner: makes the shapes of the branches, and looks for contradictions between branches.
            level: how many keys are known to be absent.
        """
        shapes_of, impossible = examiner.shapes, examiner.impossible
        shapes = [shapes_of(option) for option in options]
        kinds: dict[int, Kind] = {}
        if len(options) >= FEW and level < MAX_LEVEL:
            self._kinds = self._kinds or Kinds(self._negation.subschemas, self._negation.strings)
            kinds = self._kinds.find(subschema, shapes, shapes_of)

        def overlap(one: int, other: int) -> bool:
            self._compared += 1
            if self._compared > COMPARED * self._limits.alternatives:
                raise too_many(self._limits, subschema)
            return not impossible(join(options[one], options[other]), APART_DEPTH)

        overlaps = self._overlapping(shapes, kinds, shapes_of, overlap)
        rests = self._rests(subschema, options, denied, kinds, examiner, level)
        found = []
        for index in range(len(options)):
            others = [denied[other] for other in overlaps.get(index, ())]
            found.append([(part, [*others, *more]) for part, more in rests.get(index, _WHOLE)])
        return found

    def _rests(
        self,
        subschema: Subschema,
        options: list[Conj],
        denied: list[Conj],
        kinds: Mapping[int, Kind],
        examiner: Examiner,
        level: int,
    ) -> dict[int, list[_Part]]:
        """The parts of each kind that obey no other kind. The values that do not show a kind are branches again."""
        classes: dict[Any, list[int]] = {}
        for index, kind in kinds.items():
            if kind.hidden is not None:
                classes.setdefault(kind.rest, []).append(index)
        # one branch of each class of equal rests
        first = [members[0] for members in classes.values()]
        hidden = [join(options[index], kinds[index].hidden or ()) for index in first]
        # (A rest of which all values obey two branches has no parts.)
        is_alone = [len(members) == 1 for members in classes.values()]
        parts: dict[int, list[_Part]] = {}
        if any(is_alone):
            some = self._apart(subschema, hidden, [denied[index] for index in first], examiner, level + 1)
            parts = {index: one for index, one, alone in zip(first, some, is_alone, strict=True) if alone}
        found: dict[int, list[_Part]] = {}
        for index, kind in kinds.items():
            rest = parts.get(index, [])
            if kind.hidden is None or rest == _WHOLE:
                found[index] = _WHOLE
                continue
            found[index] = [] if kind.shown == NEVER else [(kind.shown or (), [])]
            found[index] += [(join(kind.hidden, part), others) for part, others in rest]
        return found

    def _without(self, subschema: Subschema, conj: Conj, others: list[Conj]) -> Conj:
        """A conjunction, and that none of others holds."""
        return join_all([conj, *[self._negation.conj(subschema, other) for other in others]])

    def _overlapping(
        self,
        shapes: list[list[Shape]],
        kinds: Mapping[int, Kind],
        shapes_of: Shapes,
        overlap: Callable[[int, int], bool],
    ) -> dict[int, list[int]]:
        """By the index of a branch: the branches that it overlaps. Two kinds are not compared here."""
        types: list[int] = []
        tags = []
        candidates = _Candidates()
        found: dict[int, list[int]] = {}
        if len(kinds) == len(shapes):
            return found
        for second, of_second in enumerate(shapes):
            bits = 0
            for shape in of_second:
                bits |= shape.types
            types.append(bits)
            tags.append([_tags(shape, shapes_of, self._negation.strings) for shape in of_second])
            for first in candidates.add(second, scalars(of_second)):
                if first in kinds and second in kinds:
                    continue
                if not types[first] & bits or _tagged_apart(tags[first], tags[second]):
                    continue
                if overlap(first, second):
                    found.setdefault(first, []).append(second)
                    found.setdefault(second, []).append(first)
        return found


class _Candidates:
    """Which branches are worth comparing. Two branches that only list scalars overlap only if they share a scalar."""

    def __init__(self) -> None:
        self._listed: dict[Any, list[int]] = {}
        self._unlisted: list[int] = []

    def add(self, branch: int, values: set[Any] | None) -> Iterable[int]:
        """Add a branch. Returns the earlier branches to compare it with.

        Args:
            branch: the index of the branch.
            values: its scalars, if it only lists scalars; else None.
        """
        if values is None:
            self._unlisted.append(branch)
            return range(branch)
        before = sorted({*self._unlisted, *[first for value in values for first in self._listed.get(value, ())]})
        for value in values:
            self._listed.setdefault(value, []).append(branch)
        return before


def _tags(shape: Shape, shapes_of: Shapes, strings: Strings) -> dict[str, frozenset[str]]:
    """For each required property whose value must be one of some listed strings: these strings.

    Such properties often tell branches apart. The result is empty if the shape allows other values than objects.
    """
    found: dict[str, frozenset[str]] = {}
    if shape.types == OBJ:
        for name in shape.required:
            shapes = shapes_of(property_conj(shape, name, strings))
            listed = [inner.strings for inner in shapes if inner.types == STR and inner.strings is not None]
            if listed and len(listed) == len(shapes):
                found[name] = frozenset([text for texts in listed for text in texts])
    return found


def _tagged_apart(some: list[dict[str, frozenset[str]]], others: list[dict[str, frozenset[str]]]) -> bool:
    """Whether two branches surely do not overlap, given what `_tags` returns for each of their shapes.

    This is so if every two shapes, one of the first branch and one of the second, both require some property for which
    they list no common string.
    """
    return all(
        [
            any([name in theirs and tags.isdisjoint(theirs[name]) for name, tags in mine.items()])
            for mine in some
            for theirs in others
        ]
    )
