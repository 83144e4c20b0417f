"""The parts of a composition, as a tree that users make; and the same as a list, in which equal parts are one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ffgrammar.grammar.ir import GrammarIR

__all__ = [
    "Capture",
    "Choice",
    "Literal",
    "Node",
    "Part",
    "Repeat",
    "Sequence",
    "SpecialToken",
    "Text",
    "Whole",
    "flatten",
    "texts",
]


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """A part of a composition: `ffgrammar.compose` makes a grammar of it. It does not change.

    It is made by `sequence`, `choice_of`, `optional`, `repeat`, `text`, `special_token` and `capture`.
    """

    def __repr__(self) -> str:
        # (a part may be nested to any depth, and a grammar in it is large)
        return f"<ffgrammar.Part: {type(self).__name__}>"

    def __copy__(self) -> Part:
        return self

    def __deepcopy__(self, memo: object) -> Part:
        return self

    def inner(self) -> tuple[Part, ...]:
        """The parts that it consists of."""
        return ()

    def label(self) -> object:
        """What else it is made of. Parts of one class with equal labels and equal inner parts are equal."""
        return None


@dataclass(frozen=True, eq=False, repr=False)
class Literal(Part):
    """Exactly these bytes."""

    text: bytes

    def label(self) -> object:
        return self.text


@dataclass(frozen=True, eq=False, repr=False)
class Text(Part):
    """Any UTF-8 text.

    Attributes:
        until: if there are any, the text ends with the first place where one of them is complete.
        stops: these, and others that are not in the text, also not where it ends.
        most: how many characters it may have, without the one of `until` with which it ends; None for no bound.
    """

    until: tuple[bytes, ...] = ()
    stops: frozenset[bytes] = frozenset()
    most: int | None = None

    def label(self) -> object:
        return self.until, self.stops, self.most


@dataclass(frozen=True, eq=False, repr=False)
class SpecialToken(Part):
    """One special token: one of `tokens`, which are names or ids; or, if `excluded`, one that is none of them."""

    tokens: tuple[str | int, ...]
    excluded: bool = False

    def label(self) -> object:
        return self.tokens, self.excluded


@dataclass(frozen=True, eq=False, repr=False)
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

    def __reduce__(self) -> str:
        raise TypeError("a part with a grammar in it cannot be pickled: pickle what ffgrammar.compose makes of it")

    def label(self) -> object:
        return id(self.grammar)


@dataclass(frozen=True, eq=False, repr=False)
class Sequence(Part):
    """The parts, one after another."""

    parts: tuple[Part, ...]

    def inner(self) -> tuple[Part, ...]:
        return self.parts


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Part):
    """Any one of the parts."""

    parts: tuple[Part, ...]

    def inner(self) -> tuple[Part, ...]:
        return self.parts


@dataclass(frozen=True, eq=False, repr=False)
class Repeat(Part):
    """A part, `least` to `most` times; None stands for no upper bound."""

    part: Part
    least: int
    most: int | None

    def inner(self) -> tuple[Part, ...]:
        return (self.part,)

    def label(self) -> object:
        return self.least, self.most


@dataclass(frozen=True, eq=False, repr=False)
class Capture(Part):
    """A part whose places in a text are known by a name. It has the texts of the part."""

    name: str
    part: Part

    def inner(self) -> tuple[Part, ...]:
        return (self.part,)

    def label(self) -> object:
        return self.name


# How deep alternatives are taken apart.
MOST_FACTORED = 20
# A sequence of more parts than this is not made one with the sequence that it is a part of. So a tree of n parts costs
# O(n) steps, whatever its depth, and a sequence that is there twice does not double the text.
MOST_JOINED = 64


def texts(root: Part) -> Iterator[bytes]:
    """The texts in a tree of parts: those that stand there, and those that end a free text."""
    waiting, seen = [root], {id(root)}
    while waiting:
        part = waiting.pop()
        if isinstance(part, Literal):
            yield part.text
        elif isinstance(part, Text):
            yield from part.until
        for one in part.inner():
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)


class Node(NamedTuple):
    """A part in the list of all parts.

    Attributes:
        part: the part; another one that is equal to it may have been dropped.
        inner: the numbers in the list of the parts that it consists of. They are smaller than its own.
    """

    part: Part
    inner: tuple[int, ...]


def flatten(root: Part) -> tuple[list[Node], bool]:
    """All parts of a tree, each once, inner ones first; and whether any has a name. The root is the last one.

    Where alternatives begin or end with the same parts, these are taken out: `a b c | a d c` becomes `a (b | d) c`. So
    the next byte decides more often which part reads on. Names are left out: `composition/outline.py` keeps them.
    """
    flattened = _Flattened()
    return flattened.of(root), flattened.has_names


class _Flattened:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        # The number of each part that was met, and of each part by what it is. (The tree keeps the parts alive.)
        self.numbers: dict[int, int] = {}
        self.equal: dict[tuple[object, ...], int] = {}
        self.has_names = False

    def of(self, root: Part) -> list[Node]:
        stack = [root]
        while stack:
            part = stack[-1]
            inner = part.inner()
            missing = [one for one in inner if id(one) not in self.numbers]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if isinstance(part, Capture):
                self.numbers[id(part)] = self.numbers[id(part.part)]
                self.has_names = True
            elif id(part) not in self.numbers:
                self.numbers[id(part)] = self.add(part, tuple(self.numbers[id(one)] for one in inner))
        return self.used(self.numbers[id(root)])

    def used(self, root: int) -> list[Node]:
        """The parts that a root consists of, and the root."""
        found = {root}
        for number in range(root, -1, -1):
            if number in found:
                found.update(self.nodes[number].inner)
        order = {number: place for place, number in enumerate(sorted(found))}
        return [Node(self.nodes[one].part, tuple(order[inner] for inner in self.nodes[one].inner)) for one in order]

    def add(self, part: Part, inner: tuple[int, ...]) -> int:
        """The number of a part, which is added unless there is an equal one."""
        if isinstance(part, Choice):
            return self.choice([self.in_turn(one) for one in inner], MOST_FACTORED)
        if isinstance(part, Sequence):
            return self.sequence(tuple(one for many in inner for one in self.in_turn(many)))
        return self.node(part, inner)

    def node(self, part: Part, inner: tuple[int, ...]) -> int:
        key = (type(part), part.label(), inner)
        number = self.equal.setdefault(key, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(Node(part, inner))
        return number

    def in_turn(self, number: int) -> tuple[int, ...]:
        """A part as parts one after another."""
        node = self.nodes[number]
        return node.inner if isinstance(node.part, Sequence) and len(node.inner) <= MOST_JOINED else (number,)

    def sequence(self, inner: tuple[int, ...]) -> int:
        return inner[0] if len(inner) == 1 else self.node(Sequence(()), inner)

    def choice(self, ways: list[tuple[int, ...]], depth: int) -> int:
        """The number of a choice between sequences; `depth` bounds how often the rest is taken apart."""
        ways = list(dict.fromkeys(ways))
        for last in (False, True) if depth else ():
            groups: dict[object, list[tuple[int, ...]]] = {}
            for way in ways:
                groups.setdefault(way[-1 if last else 0] if way else None, []).append(way)
            ways = [group[0] if len(group) == 1 else self.factored(group, last, depth) for group in groups.values()]
        if len(ways) == 1:
            return self.sequence(ways[0])
        return self.node(Choice(()), tuple(self.sequence(way) for way in ways))

    def factored(self, ways: list[tuple[int, ...]], last: bool, depth: int) -> tuple[int, ...]:
        """Sequences with the same first or last part, as one sequence."""
        if last:
            return (self.choice([way[:-1] for way in ways], depth - 1), ways[0][-1])
        common = 1
        while all(len(way) > common and way[common] == ways[0][common] for way in ways):
            common += 1
        return (*ways[0][:common], self.choice([way[common:] for way in ways], depth - 1))
