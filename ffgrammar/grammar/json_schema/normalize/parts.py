# cython: language_level=3
"""What a shape asks of the parts of a value: of the item at an index, and of the value of a property."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join, join_all
from ffgrammar.grammar.json_schema.shape.constraints import Group
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.strings.strings import Strings

__all__ = ["has_only_keys", "is_absent", "item_conj", "prefix_length", "property_conj", "property_conjs", "touched"]


def item_conj(shape: Shape, index: int) -> Conj:
    """What the item at an index must obey."""
    found = [one.prefix[index] if index < len(one.prefix) else one.rest for one in shape.items]
    return join_all([conj for conj in found if conj])


def prefix_length(shape: Shape) -> int:
    """How many of the first items of an array have a schema of their own. All further items obey the same."""
    return max([len(one.prefix) for one in shape.items], default=0)


def property_conj(shape: Shape, name: str, strings: Strings, first: int = 0) -> Conj:
    """What the value of a property must obey, according to `shape.groups[first:]`."""
    found: list[Conj] = []
    for group in shape.groups[first:] if first else shape.groups:
        # (a call takes longer than looking up a name)
        conj = group.additional
        if group.patterns:
            spelled = strings.spelled(name)[1:-1]
            conj = group.of(name, [body for body, _ in group.patterns if strings.store.matches(body, spelled)])
        elif name in group.named:
            conj = group.named[name]
        if conj:
            found.append(conj)
    return join_all(found)


def is_absent(shape: Shape, strings: Strings, name: str) -> bool:
    """Whether a shape says that no object has a key."""
    return property_conj(shape, name, strings) == NEVER


def property_conjs(shape: Shape, names: Collection[str], strings: Strings) -> dict[str, Conj]:
    """What the values of several properties must obey, by name. The result may have other names, too.

    A name that is missing in the result has no constraint. The cost of a group that has only named properties does not
    depend on how many names are given. `names` is iterated once for each of the other groups.
    """
    found: dict[str, Conj] = {}
    strict: list[Group] = []
    for group in shape.groups:
        if group.patterns:
            strict.append(group)
            continue
        for name, conj in group.named.items():
            found[name] = join(found[name], conj) if name in found else conj
        if group.additional:
            for name in names:
                if name not in group.named:
                    found[name] = join(found[name], group.additional) if name in found else group.additional
    if strict:
        rest = Shape()
        rest.groups = tuple(strict)
        for name in names:
            found[name] = join(found.get(name, ()), property_conj(rest, name, strings))
    return found


def touched(shape: Shape, count: int, seen: int) -> Iterable[str]:
    """Those of the first `seen` required keys about which the groups from `count` on say something."""
    names: set[str] = set()
    for group in shape.groups[count:]:
        if group.patterns or group.additional:
            return shape.required[:seen]
        names.update(group.named)
    return [name for name in shape.required[:seen] if name in names] if names else ()


def has_only_keys(shape: Shape) -> bool:
    """Whether a shape says nothing of objects but what keys and their values obey, and which keys are required."""
    if shape.max_properties is not None or shape.min_properties > len(set(shape.required)):
        return False
    return not (shape.some_keys or shape.marks or shape.pending or shape.holed or shape.clauses)
