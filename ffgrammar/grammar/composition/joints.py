"""What may follow each part of a composition, and where two parts could read the same text.

A lexeme ends where no lexeme beside it can go on. This loses no text if

- the next byte or special token always decides which part reads on: where several may come, no two begin with the
  same one;
- a part that could go on with a byte is never followed by something that begins with that byte.

This is LL(1) parsing, over bytes. Where it is so, all lexemes of the composition may compete as those of one grammar
do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ffgrammar.grammar.composition.parts import Choice, Node, Repeat
from ffgrammar.grammar.composition.parts import Sequence as PartSequence

__all__ = ["FAMILIES", "FREE", "NAMES", "TEXTS", "Edges", "Joints", "find_joints"]

# What a part begins with is an int. Bit b stands for byte b. If the part begins with a fixed text, bit TEXTS + b stands
# for its first byte instead; if it begins with a free text, bit FREE + b. The bits from FAMILIES on stand for families
# of free texts. Those from NAMES on stand for special tokens, for the fixed texts themselves, and for the ends of free
# texts.
# A *fixed text* is a literal that is no beginning of another one. When all its bytes have come, it is known which one
# it is. So two of them may begin with the same byte.
# A *family of free texts* has the same stops: texts that end one of its members, or are not in it. All members end at
# the first stop, and it is known then which of them it is: those that end with this stop. So two of them may begin with
# the same byte, if they do not end with the same stop.
TEXTS = 256
FREE = 512
FAMILIES = 768
NAMES = 1024
_BYTES = (1 << 256) - 1


def _bytes(found: int) -> int:
    """The bytes in a set."""
    return (found | found >> TEXTS | found >> FREE) & _BYTES


def _meet(one: int, other: int) -> bool:
    """Whether two parts may begin with the same special token or text."""
    if (one & other) >> NAMES or one & _bytes(other) or other & _bytes(one) & _BYTES:
        return True
    one_free, other_free = one >> FREE & _BYTES, other >> FREE & _BYTES
    if one_free & (other >> TEXTS) or other_free & (one >> TEXTS & _BYTES):
        return True
    families = (one | other) >> FAMILIES & _BYTES
    return bool(one_free & other_free and families & (families - 1))


@dataclass(frozen=True)
class Edges:
    """How a leaf of the tree begins and ends.

    Attributes:
        family: what its lexemes belong to. Lexemes of one family never lose a text to each other.
        first: what its texts begin with.
        nullable: whether the empty text is one of its texts.
        going_on: finds the bytes with which it, or another leaf of its family, may go on after one of its texts.
        extends: the bytes with which another lexeme of it may begin after one of its texts.
        exclusive: it must not share its place with another part of its own family.
    """

    family: Any = None
    first: int = 0
    nullable: bool = False
    going_on: Callable[[], int] = int
    extends: int = 0
    exclusive: bool = False


@dataclass(frozen=True)
class Joints:
    """What is known of the joints of a composition.

    Attributes:
        open_ended: the leaves which could go on with a byte that may follow them: by number, the bytes that may follow.
        shared: whether there is a place where two parts may begin with the same byte or special token.
    """

    open_ended: dict[int, int]
    shared: bool


def find_joints(nodes: Sequence[Node], edges: dict[int, Edges]) -> Joints:
    """The joints of a composition.

    Args:
        nodes: its parts, as `flatten` lists them.
        edges: of each leaf, by its number.
    """
    first: list[int] = []
    nullable: list[bool] = []
    for number, node in enumerate(nodes):
        if number in edges:
            first.append(edges[number].first)
            nullable.append(edges[number].nullable)
        elif isinstance(node.part, PartSequence):
            first.append(_before(node.inner, first, nullable, 0))
            nullable.append(all(nullable[inner] for inner in node.inner))
        elif isinstance(node.part, Repeat):
            (inner,) = node.inner
            first.append(first[inner] if node.part.most != 0 else 0)
            nullable.append(nullable[inner] or node.part.least == 0)
        else:
            union = 0
            for inner in node.inner:
                union |= first[inner]
            first.append(union)
            nullable.append(any(nullable[inner] for inner in node.inner))
    follow = _follow(nodes, first, nullable)
    open_ended = {}
    shared = False
    for number, edge in edges.items():
        after = follow[number]
        if (edge.exclusive and _meet(after, edge.first)) or (_bytes(after) and _bytes(after) & edge.going_on()):
            open_ended[number] = _bytes(after)
        shared |= _meet(after, edge.extends)
    for number, node in enumerate(nodes):
        again = isinstance(node.part, Repeat) and (node.part.most is None or node.part.most > 1)
        shared |= (again or nullable[number]) and _meet(first[number], follow[number])
        shared |= isinstance(node.part, Choice) and _overlap(node.inner, first, edges)
    return Joints(open_ended, shared)


def _overlap(inner: Sequence[int], first: Sequence[int], edges: dict[int, Edges]) -> bool:
    """Whether two alternatives begin with the same byte or special token. Leaves of one family may: what follows them
    is the same."""
    families: dict[object, int] = {}
    for one in inner:
        key = (edges[one].family,) if one in edges and edges[one].family is not None else one
        families[key] = families.get(key, 0) | first[one]
    union = 0
    for found in families.values():
        if _meet(union, found):
            return True
        union |= found
    return False


def _before(inner: Sequence[int], first: Sequence[int], nullable: Sequence[bool], follow: int) -> int:
    """What a sequence begins with if `follow` comes after it."""
    for one in reversed(inner):
        follow = first[one] | follow if nullable[one] else first[one]
    return follow


def _follow(nodes: Sequence[Node], first: Sequence[int], nullable: Sequence[bool]) -> list[int]:
    """By part, what may follow it."""
    follow = [0] * len(nodes)
    # Whatever contains a part comes after it in the list.
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        after = follow[number]
        if isinstance(node.part, PartSequence):
            for one in reversed(node.inner):
                follow[one] |= after
                after = _before((one,), first, nullable, after)
        elif isinstance(node.part, Repeat):
            again = node.part.most is None or node.part.most > 1
            follow[node.inner[0]] |= after | (first[number] if again else 0)
        else:
            for one in node.inner:
                follow[one] |= after
    return follow
