"""Captures by plain enumeration: every parse of a text, and of these the one that counts.

It is the definition of `Matcher.captures` as a program. The recogniser of `oracle.cfg` says where lexemes end. All
parse trees over these lexemes are listed, also those of texts that are not finished, and the least one by `preference`
is taken. A rule may not be inside itself over the same part of the text, so there are finitely many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from oracle.cfg import Recogniser

__all__ = ["TooMany", "captures"]

OPEN, STOP = "open", "stop"
# More parse trees than this are not listed.
MAX_TREES = 300


class TooMany(Exception):
    """There are too many parse trees to list."""


class Node(NamedTuple):
    """A node of a parse tree.

    Attributes:
        symbol: of the grammar.
        production: which of the nonterminal's productions, counted from 0; None for a lexeme.
        begin, end: nodes of the chain of lexemes; of a lexeme, `begin` is where its text begins. `end` is OPEN for what
            goes on at the end of the text.
        children: nodes. The last one is STOP if the text ends before the next symbol has begun.
    """

    symbol: int
    production: int | None
    begin: int
    end: Any
    children: tuple[Any, ...] = ()


class Chain:
    """The lexemes of a text.

    Attributes:
        offsets: of the places where lexemes end; the first one is 0.
        edges: the lexemes from each of these places to the next one.
        growing: the lexemes that go on at the end.
    """

    def __init__(self, recogniser: Recogniser, units: list[tuple[str, int]], ended: bool) -> None:
        """`units` are ("byte", value) and ("token", id)."""
        self.offsets = [0]
        self.edges: list[frozenset[int]] = []
        self.growing: frozenset[int] = frozenset()
        state = recogniser.start
        at = 0
        for kind, value in units:
            matched = recogniser._matched(state.live)
            moved = recogniser._advance(state.live, value) if kind == "byte" else frozenset()
            if state.running and not moved:
                self._add(at, matched)
            after = recogniser.step(state, value) if kind == "byte" else recogniser.step_token(state, value)
            assert after is not None
            if kind == "token":
                lexemes = recogniser.grammar.lexemes
                self._add(at, frozenset(one for one in range(len(lexemes)) if value in lexemes[one].tokens))
            else:
                at += 1
                if not after.running:
                    if not moved:
                        frontier = recogniser._shift(state.frontier, matched) if state.running else state.frontier
                        moved = recogniser._advance(recogniser._allowed(frontier), value)
                    self._add(at, recogniser._matched(moved))
            state = after
        if state.running:
            if ended or not any(recogniser._advance(state.live, byte) for byte in range(256)):
                self._add(at, recogniser._matched(state.live))
            else:
                self.growing = frozenset(lexeme for lexeme, _ in state.live)

    def _add(self, offset: int, lexemes: frozenset[int]) -> None:
        self.offsets.append(offset)
        self.edges.append(lexemes)


class Parses:
    """All parses of a chain of lexemes."""

    def __init__(self, recogniser: Recogniser, chain: Chain) -> None:
        self.grammar = recogniser.grammar
        self.chain = chain
        self.count = 0
        self.last = len(chain.edges)
        self.bodies: dict[int, list[tuple[int, ...]]] = {
            head: [tuple(self.grammar.productions[number][1]) for number in numbers]
            for head, numbers in recogniser._by_lhs.items()
        }
        self.empty = {2 * number for number in range(len(self.grammar.lexemes)) if recogniser._may_be_empty(number)}
        before = -1
        while before != len(self.empty):
            before = len(self.empty)
            self.empty |= {
                2 * head + 1
                for head, bodies in self.bodies.items()
                if any(all(symbol in self.empty for symbol in body) for body in bodies)
            }

    def is_skip(self, lexeme: int) -> bool:
        return bool(self.grammar.lexemes[lexeme].skip)

    def after_skips(self, at: int) -> Iterator[int]:
        """The places where skips from here on may end."""
        yield at
        while at < self.last and any(self.is_skip(lexeme) for lexeme in self.chain.edges[at]):
            at += 1
            yield at

    def closed(self, symbol: int, begin: int, end: int, banned: frozenset[int] = frozenset()) -> list[Node]:
        """All trees of a symbol from one place to another."""
        if begin == end:
            return [Node(symbol, None, begin, end)] if symbol in self.empty else []
        if not symbol & 1:
            lexeme = symbol >> 1
            return [
                Node(symbol, None, place, end)
                for place in self.after_skips(begin)
                if place == end - 1 and lexeme in self.chain.edges[place]
            ]
        if symbol in banned:
            return []
        return self.counted(
            Node(symbol, number, begin, end, children)
            for number, body in enumerate(self.bodies.get(symbol >> 1, ()))
            for children in self.closed_children(body, begin, (begin, end), banned | {symbol})
        )

    def closed_children(
        self, body: tuple[int, ...], at: int, whole: tuple[int, int], banned: frozenset[int]
    ) -> Iterator[tuple[Node, ...]]:
        if not body:
            if at == whole[1]:
                yield ()
            return
        for end in range(at, whole[1] + 1):
            for child in self.closed(body[0], at, end, banned if (at, end) == whole else frozenset()):
                for rest in self.closed_children(body[1:], end, whole, banned):
                    yield (child, *rest)

    def growing(self, symbol: int, begin: int, banned: frozenset[int] = frozenset()) -> list[Node]:
        """All trees of a symbol that has begun and goes on at the end of the text."""
        if not symbol & 1:
            is_there = symbol >> 1 in self.chain.growing and self.last in self.after_skips(begin)
            return [Node(symbol, None, self.last, OPEN)] if is_there else []
        if symbol in banned:
            return []
        return self.counted(
            Node(symbol, number, begin, OPEN, children)
            for number, body in enumerate(self.bodies.get(symbol >> 1, ()))
            for children in self.growing_children(body, begin, begin, banned | {symbol})
        )

    def growing_children(
        self, body: tuple[int, ...], at: int, begin: int, banned: frozenset[int]
    ) -> Iterator[tuple[Any, ...]]:
        if not body:
            return
        for child in self.growing(body[0], at, banned if at == begin else frozenset()):
            yield (child,)
        skipping = not self.chain.growing or any(self.is_skip(lexeme) for lexeme in self.chain.growing)
        if at > begin and skipping and self.last in self.after_skips(at):
            yield (STOP,)
        for end in range(at, self.last + 1):
            for closed in self.closed(body[0], at, end):
                for rest in self.growing_children(body[1:], end, begin, banned):
                    yield (closed, *rest)

    def counted(self, trees: Iterator[Node]) -> list[Node]:
        found = []
        for tree in trees:
            self.count += 1
            if self.count > MAX_TREES:
                raise TooMany
            found.append(tree)
        return found

    def best(self, ended: bool) -> Node | None:
        start = self.grammar.start
        trees = [] if ended else self.growing(start, 0)
        for end in range(self.last, 0, -1):
            if not trees and self.last in self.after_skips(end):
                trees = self.closed(start, 0, end)
        return min(trees, key=preference) if trees else None


def preference(tree: Node) -> Any:
    """Trees are compared by this; the least one counts."""
    if tree.production is None:
        return ()
    places: list[tuple[int, int]] = []
    for child in tree.children:
        if child == STOP:
            places.append((2, 0))
        elif child.end == OPEN:
            places.append((0, 0))
        else:
            places.append((1, -child.end) if child.end > child.begin else (3, 0))
    return tree.production, places, [preference(child) for child in tree.children if child != STOP]


def captures(
    recogniser: Recogniser, rules: int, units: list[tuple[str, int]], ended: bool
) -> list[tuple[str, int, int | None]]:
    """The captures of a text as (name, start, end): those of the nonterminals below number `rules`."""
    chain = Chain(recogniser, units, ended)
    tree = Parses(recogniser, chain).best(ended)
    found: list[tuple[str, int, int | None]] = []

    def first(node: Node) -> int | None:
        if node.production is None:
            return chain.offsets[node.begin] if node.end != node.begin else None
        starts = (first(child) for child in node.children if child != STOP)
        return next((start for start in starts if start is not None), None)

    def visit(node: Node) -> None:
        start = first(node)
        if start is not None and node.symbol & 1 and node.symbol >> 1 < rules:
            end = None if node.end == OPEN else chain.offsets[node.end]
            found.append((recogniser.grammar.names[node.symbol >> 1], start, end))
        for child in node.children:
            if child != STOP:
                visit(child)

    if tree is not None:
        visit(tree)
    return found
