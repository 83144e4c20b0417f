"""The parts of a composition, as a tree that users make; and the same as a list, in which equal parts are one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ffgrammar.grammar.ir import GrammarIR

__all__ = ["Choice", "Literal", "Node", "Part", "Repeat", "Sequence", "SpecialToken", "Text", "Whole", "flatten"]


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a composition: `ffgrammar.compose` makes a grammar of it. It does not change.

    It is made by `sequence`, `choice_of`, `optional`, `repeat`, `text` and `special_token`.
    """

    def inner(self) -> tuple[Part, ...]:
        """The parts that it consists of."""
        return ()

    def label(self) -> object:
        """What else it is made of. Parts of one class with equal labels and equal inner parts are equal."""
        return None


@dataclass(frozen=True, eq=False)
class Literal(Part):
    """Exactly these bytes."""

    text: bytes

    def label(self) -> object:
        return self.text


@dataclass(frozen=True, eq=False)
class Text(Part):
    """Any UTF-8 text. If `until` is not empty, it ends with one of these texts, and none of them stands before."""

    until: tuple[bytes, ...] = ()

    def label(self) -> object:
        return self.until


@dataclass(frozen=True, eq=False)
class SpecialToken(Part):
    """One special token: one of `tokens`, which are names or ids; or, if `excluded`, one that is none of them."""

    tokens: tuple[str | int, ...]
    excluded: bool = False

    def label(self) -> object:
        return self.tokens, self.excluded


@dataclass(frozen=True, eq=False)
class Whole(Part):
    """A sentence of a compiled grammar.

    Attributes:
        grammar: what a front-end built.
        paused: calls a function while no matcher adds expressions to the grammar's store.
        vocabulary: the fingerprint of the vocabulary that it was compiled for.
    """

    grammar: GrammarIR
    paused: Callable[[Callable[[], Any]], Any]
    vocabulary: str

    def label(self) -> object:
        return id(self.grammar)


@dataclass(frozen=True, eq=False)
class Sequence(Part):
    """The parts, one after another."""

    parts: tuple[Part, ...]

    def inner(self) -> tuple[Part, ...]:
        return self.parts


@dataclass(frozen=True, eq=False)
class Choice(Part):
    """Any one of the parts."""

    parts: tuple[Part, ...]

    def inner(self) -> tuple[Part, ...]:
        return self.parts


@dataclass(frozen=True, eq=False)
class Repeat(Part):
    """A part, `least` to `most` times; None stands for no upper bound."""

    part: Part
    least: int
    most: int | None

    def inner(self) -> tuple[Part, ...]:
        return (self.part,)

    def label(self) -> object:
        return self.least, self.most


class Node(NamedTuple):
    """A part in the list of all parts.

    Attributes:
        part: the part; another one that is equal to it may have been dropped.
        inner: the numbers in the list of the parts that it consists of. They are smaller than its own.
    """

    part: Part
    inner: tuple[int, ...]


def flatten(root: Part) -> list[Node]:
    """All parts of a tree, each once, inner ones first. The root is the last one."""
    nodes: list[Node] = []
    # The number of each part that was met, and of each part by what it is. (The tree keeps the parts alive.)
    numbers: dict[int, int] = {}
    equal: dict[tuple[object, ...], int] = {}
    stack = [root]
    while stack:
        part = stack[-1]
        inner = part.inner()
        missing = [one for one in inner if id(one) not in numbers]
        if missing:
            stack += reversed(missing)
            continue
        stack.pop()
        if id(part) in numbers:
            continue
        parts = tuple(numbers[id(one)] for one in inner)
        number = equal.setdefault((type(part), part.label(), parts), len(nodes))
        if number == len(nodes):
            nodes.append(Node(part, parts))
        numbers[id(part)] = number
    return nodes
