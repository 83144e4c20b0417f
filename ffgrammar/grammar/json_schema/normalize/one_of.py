# cython: language_level=3
"""`oneOf`: its branches as a choice, told apart where they overlap.

Exactly one branch must hold. So if two branches can hold at once, they overlap, and each has to exclude the other. To
find out whether two branches can hold at once, other schemas must be read, which may have a `oneOf` in turn. So a
`oneOf` is first taken for an `anyOf`, which means the same if no branches overlap, as in most schemas. Its branches are
compared later, when nothing is being read. If some overlap, the shapes are built again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.negation import Negation
from ffgrammar.grammar.json_schema.normalize.parts import property_conj
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, FALSE, NULL, NUM, OBJ, STR, TRUE
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["OneOfs", "too_many"]

# How many levels below a value are searched for a contradiction between two branches.
APART_DEPTH = 4
# One build compares at most COMPARED * `Limits.alternatives` pairs of branches.
COMPARED = 10

Shapes = Callable[[Conj], list[Shape]]


def too_many(limits: Limits, subschema: Subschema) -> LimitError:
    """The error for too many combinations of alternatives."""
    message = "anyOf, oneOf, not and if multiply out to too many combinations"
    return LimitError("alternatives", limits.alternatives, message, f"at {subschema.written_pointer()}")


class OneOfs:
    """Every `oneOf` of one build."""

    def __init__(self, negation: Negation, limits: Limits) -> None:
        self._negation = negation
        self._limits = limits
        # how many pairs of branches were compared, in all
        self._compared = 0
        # by the id() of the subschema with the `oneOf`, and then by the index of a branch: the indices of the branches
        # that overlap this branch
        self._overlaps: dict[int, dict[int, list[int]]] = {}
        self._unchecked: list[tuple[Subschema, list[Conj]]] = []

    def exactly_one(self, subschema: Subschema, options: list[Conj]) -> list[Conj]:
        """The branches of a `oneOf` as alternatives. Each excludes the branches that it overlaps.

        Until `check` has compared the branches, they are returned unchanged.
        """
        known = self._overlaps.get(id(subschema))
        if known is None:
            self._unchecked.append((subschema, options))
            return options
        apart = []
        for index, option in enumerate(options):
            for other in known.get(index, ()):
                option = join(option, self._negation.conj(subschema, options[other]))
            apart.append(option)
        return apart

    def has_unchecked(self) -> bool:
        """Whether some `oneOf` was taken for an `anyOf` and has not been checked."""
        return bool(self._unchecked)

    def check(self, shapes: Shapes, impossible: Callable[[Conj, int], bool]) -> bool:
        """Compare the branches of every `oneOf` that was taken for an `anyOf`.

        Args:
            shapes: returns the shapes of a conjunction.
            impossible: takes a conjunction and a number of levels; returns whether an examination down to that many
                levels shows that no value obeys the conjunction.

        Returns:
            Whether some branches may hold at once. If so, shapes that were made before are wrong.
        """
        found = False
        while self._unchecked:
            subschema, options = self._unchecked.pop()
            if id(subschema) not in self._overlaps:
                overlapping = self._overlaps[id(subschema)] = self._overlapping(subschema, options, shapes, impossible)
                found = found or bool(overlapping)
        return found

    def _overlapping(
        self, subschema: Subschema, options: list[Conj], shapes_of: Shapes, impossible: Callable[[Conj, int], bool]
    ) -> dict[int, list[int]]:
        types: list[int] = []
        tags = []
        candidates = _Candidates()
        found: dict[int, list[int]] = {}
        for second, option in enumerate(options):
            shapes = shapes_of(option)
            bits = 0
            for shape in shapes:
                bits |= shape.types
            types.append(bits)
            tags.append([_tags(shape, shapes_of, self._negation.strings) for shape in shapes])
            for first in candidates.add(second, _scalars(shapes)):
                if not types[first] & bits or _tagged_apart(tags[first], tags[second]):
                    continue
                self._compared += 1
                if self._compared > COMPARED * self._limits.alternatives:
                    raise too_many(self._limits, subschema)
                if not impossible(join(options[first], option), APART_DEPTH):
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


def _scalars(shapes: list[Shape]) -> set[Any] | None:
    """The values of shapes that only allow listed strings, listed numbers and literals; None if a shape allows others.

    A literal (null, true or false) is represented by the pair ("literal", its type bit).
    """
    found: set[Any] = set()
    for shape in shapes:
        types = shape.types
        if types & (ARR | OBJ) or (types & STR and shape.strings is None) or (types & NUM and shape.numbers is None):
            return None
        if types & STR and shape.strings is not None:
            found.update(shape.strings)
        if types & NUM and shape.numbers is not None:
            found.update(shape.numbers)
        found.update([("literal", bit) for bit in (NULL, TRUE, FALSE) if types & bit])
    return found
