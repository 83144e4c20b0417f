"""What may follow each part of a composition, and where two parts could read the same text.

A lexeme ends where no lexeme beside it can go on. This loses no text if

- the next byte always decides which part reads on: where several parts may come, no two begin with the same byte;
- a part that could go on with a byte is never followed by something that begins with that byte.

This is LL(1) parsing, over bytes. What a part begins with is kept by *family*: lexemes of one family never lose a text to
each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ffgrammar.grammar.composition.parts import Choice, Node, Repeat
from ffgrammar.grammar.composition.parts import Sequence as PartSequence

__all__ = ["Edges", "Joints", "find_joints"]

# Sets of bytes, as ints in which bit b stands for byte b, by family.
Bytes = dict[object, int]


@dataclass(frozen=True)
class Edges:
    """How a leaf of the tree begins and ends.

    Attributes:
        family: what its lexemes belong to.
        first: the bytes that its texts begin with.
        nullable: whether the empty text is one of its texts.
        going_on: the bytes with which it may go on after one of its texts.
        exclusive: it must not share its place with another part of its own family.
    """

    family: object = None
    first: int = 0
    nullable: bool = False
    going_on: int = 0
    exclusive: bool = False


@dataclass(frozen=True)
class Joints:
    """What is known of the joints of a composition.

    Attributes:
        open_ended: the numbers of the leaves which could go on with a byte that may follow them.
        shared: the numbers of the nodes where two parts may begin with the same byte.
    """

    open_ended: frozenset[int]
    shared: frozenset[int]


def find_joints(nodes: Sequence[Node], edges: dict[int, Edges]) -> Joints:
    """The joints of a composition.

    Args:
        nodes: its parts, as `flatten` lists them.
        edges: of each leaf, by its number.
    """
    first: list[Bytes] = []
    nullable: list[bool] = []
    shared = set()
    for number, node in enumerate(nodes):
        if number in edges:
            edge = edges[number]
            first.append({edge.family: edge.first} if edge.first else {})
            nullable.append(edge.nullable)
        elif isinstance(node.part, PartSequence):
            follow, empty = _before(node.inner, first, nullable, {})
            first.append(follow)
            nullable.append(empty)
        elif isinstance(node.part, Repeat):
            (inner,) = node.inner
            first.append(first[inner] if node.part.most != 0 else {})
            nullable.append(nullable[inner] or node.part.least == 0)
        else:
            first.append({})
            for inner in node.inner:
                if _meet(first[number], first[inner]):
                    shared.add(number)
                _add(first[number], first[inner])
            nullable.append(any(nullable[inner] for inner in node.inner))
    follow_of = _follow(nodes, first, nullable)
    open_ended = set()
    for number, edge in edges.items():
        union = 0
        for found in follow_of[number].values():
            union |= found
        if union & edge.going_on or edge.exclusive and follow_of[number].get(edge.family, 0) & edge.first:
            open_ended.add(number)
    for number in range(len(nodes)):
        if nullable[number] and _meet(first[number], follow_of[number]):
            shared.add(number)
    return Joints(frozenset(open_ended), frozenset(shared))


def _before(inner: Sequence[int], first: list[Bytes], nullable: list[bool], follow: Bytes) -> tuple[Bytes, bool]:
    """What a sequence begins with if `follow` comes after it, and whether all of it derives the empty text."""
    found = follow
    empty = True
    for one in reversed(inner):
        if nullable[one]:
            found = dict(found)
            _add(found, first[one])
        else:
            found = first[one]
            empty = False
    return found, empty


def _follow(nodes: Sequence[Node], first: list[Bytes], nullable: list[bool]) -> list[Bytes]:
    """By part, what may follow it."""
    follow: list[Bytes] = [{} for _ in nodes]
    # Whatever contains a part comes after it in the list.
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        after = follow[number]
        if isinstance(node.part, PartSequence):
            for one in reversed(node.inner):
                _add(follow[one], after)
                after = _before((one,), first, nullable, after)[0]
        elif isinstance(node.part, Repeat):
            if node.part.most is None or node.part.most > 1:
                _add(follow[node.inner[0]], first[number])
            _add(follow[node.inner[0]], after)
        elif isinstance(node.part, Choice):
            for one in node.inner:
                _add(follow[one], after)
    return follow


def _add(found: Bytes, more: Bytes) -> None:
    for family, members in more.items():
        found[family] = found.get(family, 0) | members


def _meet(one: Bytes, other: Bytes) -> bool:
    """Whether two families begin with the same byte."""
    if len(one) > len(other):
        one, other = other, one
    if not one:
        return False
    # (one union of all families, because there may be thousands)
    union = 0
    for members in other.values():
        union |= members
    for family, members in one.items():
        if members & union and any(
            members & beside for another, beside in other.items() if another != family
        ):
            return True
    return False
