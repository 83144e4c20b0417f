# cython: language_level=3
"""The evaluation of a syntax tree from the bottom up, which lowering.py and look_around.py have in common.

A walk keeps a stack of its own, because trees may be nested deeper than Python recurses. Characters, texts and literal
alternatives become expressions here. What anchors and look-around mean is up to a subclass. Where the value of a part
cannot be an expression, the subclass also says what the value is instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from ffgrammar.core.turn import turn
from ffgrammar.regex.expr.store import EMPTY, ExprStore
from ffgrammar.regex.lower.utf8 import UTF8, Encoding
from ffgrammar.regex.syntax.charset import ANY, from_ranges
from ffgrammar.regex.syntax.parser import MAX_REPEAT, Node

__all__ = ["Walk", "any_text"]

V = TypeVar("V")


def any_text(store: ExprStore, encode: Encoding = UTF8, least: int = 0, most: int | None = None) -> int:
    """Any text of `least` to `most` characters (None: no bound), as the encoding spells it."""
    return store.repeat(encode.charset(store, ANY), least, most)


class Walk(Generic[V]):
    """One evaluation of a tree. A value is an expression, or a `V` where an expression does not suffice."""

    def __init__(self, store: ExprStore, encode: Encoding) -> None:
        self.store = store
        self.encode = encode

    # What a subclass defines

    def anchor(self, node: Node) -> int | V:
        """The value of ("start", ...) or ("end", ...)."""
        raise NotImplementedError

    def look(self, node: Node, value: int | V) -> int | V:
        """The value of ("look", ...), from the value of the tree inside."""
        raise NotImplementedError

    def word(self, node: Node) -> int | V:
        """The value of ("word", ...)."""
        raise NotImplementedError

    def whole(self, value: int | V) -> int:
        """A value as an expression of its own, for `and` and `not`."""
        raise NotImplementedError

    def concat(self, values: list[int | V]) -> int | V:
        """The values one after another."""
        raise NotImplementedError

    def union(self, values: list[int | V]) -> int | V:
        """Any of the values."""
        raise NotImplementedError

    def repeat(self, value: int | V, lo: int, hi: int | None) -> int | V:
        """The value lo to hi times (None: no bound), one after another."""
        raise NotImplementedError

    # The evaluation

    def value(self, root: Node) -> int | V:
        """The value of a tree."""
        values: list[int | V] = []
        # Keyed by identity, because hashing \w, a set of 800 ranges, takes 13 us. The tree keeps the sets alive.
        sets: dict[int, int] = {}
        for index, node in enumerate(self.children_first(root)):
            if index % 1024 == 1023:
                turn()
            kind = node[0]
            if kind == "set":
                members = node[1]
                expr = sets.get(id(members))
                if expr is None:
                    expr = sets[id(members)] = self.encode.charset(self.store, members)
                values.append(expr)
            elif kind == "text":
                values.append(self.encode.text(self.store, node[1]))
            elif kind in ("cat", "alt", "and"):
                count = len(node) - 1 if kind == "and" else len(node[1])
                parts = values[len(values) - count :]
                del values[len(values) - count :]
                values.append(self.joined(node, parts))
            elif kind in ("rep", "look", "not"):
                values[-1] = self.wrapped(node, values[-1])
            else:
                values.append(self.assertion(node))
        return values[0]

    def children_first(self, root: Node) -> Iterator[Node]:
        """All nodes of a tree, simplified, from the bottom up and from left to right."""
        # The list has parents first and children from right to left, so it is reversed at the end.
        order: list[Node] = []
        stack = [root]
        while stack:
            node = stack.pop()
            kind = node[0]
            if kind == "cat":
                node = ("cat", _join_texts(node[1]))
                stack.extend(node[1])
            elif kind == "alt":
                node = self.split_literals(node[1])
                stack.extend(node[1])
            elif kind == "rep":
                node = _join_repeats(node)
                stack.append(node[1])
            elif kind == "not":
                stack.append(node[1])
            elif kind == "look":
                stack.append(node[3])
            elif kind == "and":
                stack.extend(node[1:])
            order.append(node)
            if not len(order) % 1024:
                turn()
        return reversed(order)

    def joined(self, node: Node, parts: list[int | V]) -> int | V:
        """The value of a node with several children, from their values."""
        if node[0] == "cat":
            return self.concat(parts)
        if node[0] == "alt":
            return self.union([*parts, *node[2]])
        return self.store.intersect([self.whole(part) for part in parts])

    def wrapped(self, node: Node, value: int | V) -> int | V:
        """The value of a node with one child, from the value of the child."""
        if node[0] == "rep":
            return self.repeat(value, node[2], node[3])
        if node[0] == "look":
            return self.look(node, value)
        store = self.store
        return store.intersect([any_text(store, self.encode), store.complement(self.whole(value))])

    def assertion(self, node: Node) -> int | V:
        """The value of a node that matches no characters."""
        kind = node[0]
        if kind == "empty":
            return EMPTY
        if kind in ("start", "end"):
            return self.anchor(node)
        if kind == "word":
            return self.word(node)
        raise ValueError(f"unknown node {kind!r}")

    def split_literals(self, branches: Sequence[Node]) -> Node:
        """The node ("alt", branches that are not evaluated yet, finished expressions) for some branches.

        All literal texts become one expression, a trie, and all sets another.
        """
        store = self.store
        rest = []
        texts: list[str] = []
        ranges: list[tuple[int, int]] = []
        for branch in branches:
            kind = branch[0]
            if kind == "text":
                texts.append(branch[1])
            elif kind == "empty":
                texts.append("")
            elif kind == "set":
                ranges.extend(branch[1])
            else:
                rest.append(branch)
        if ranges:
            ranges.extend([(ord(text), ord(text)) for text in texts if len(text) == 1])
            texts = [text for text in texts if len(text) != 1]
        found = [self.encode.charset(store, from_ranges(ranges))] if ranges else []
        plain = [self.encode.plain(text) for text in texts]
        known = [text for text in plain if text is not None]
        if known:
            found.append(store.literals(known))
        if len(known) < len(texts):
            found.append(self.trie([text for text, spelled in zip(texts, plain, strict=True) if spelled is None]))
        return ("alt", rest, found)

    def trie(self, texts: list[str]) -> int:
        """Any of some texts whose characters have several spellings; texts that begin alike share their beginning."""
        store, encode = self.store, self.encode
        root: dict[str, Any] = {}
        for text in texts:
            at = root
            for char in text:
                at = at.setdefault(char, {})
            at[""] = {}
        order: list[dict[str, Any]] = []
        stack = [root]
        while stack:
            at = stack.pop()
            order.append(at)
            stack.extend(at.values())
        made: dict[int, int] = {}
        for at in reversed(order):
            by_tail: dict[int, list[str]] = {}
            for char, below in at.items():
                if char:
                    by_tail.setdefault(made[id(below)], []).append(char)
            branches = [EMPTY] if "" in at else []
            for tail, chars in by_tail.items():
                members = from_ranges([(ord(char), ord(char)) for char in chars])
                branches.append(store.concat([encode.charset(store, members), tail]))
            made[id(at)] = store.union(branches)
        return made[id(root)]


def _join_texts(nodes: Sequence[Node]) -> list[Node]:
    """The nodes. Each run of texts and of sets of one character is joined to one text."""
    joined: list[Node] = []
    run: list[str] = []
    for node in nodes:
        kind = node[0]
        if kind == "text":
            run.append(node[1])
            continue
        if kind == "set" and len(node[1]) == 1 and node[1][0][0] == node[1][0][1]:
            run.append(chr(node[1][0][0]))
            continue
        if run:
            joined.append(("text", "".join(run)))
            run = []
        joined.append(node)
    if run:
        joined.append(("text", "".join(run)))
    return joined


def _join_repeats(node: Node) -> Node:
    """A repeat of a repeat as one repeat, where that matches the same texts: `(a{0,9}){0,9}` becomes `a{0,81}`, but
    `(a{2})*` stays as it is.

    A derivative of nested repeats has a member for each combination of their counts, so each level of nesting
    multiplies the size of the derivative.
    """
    _, body, lo, hi = node
    while body[0] == "rep":
        _, inner, least, most = body
        # k times the body is k*least to k*most times `inner`. From k = lo on there must be no gap between these ranges.
        meet = least <= 1 or (lo > 0 and (most is None or least - 1 <= lo * (most - least)))
        if not meet and lo != hi:
            break
        upper = 0 if 0 in (hi, most) else None if hi is None or most is None else hi * most
        if lo * least > MAX_REPEAT or (upper is not None and upper > MAX_REPEAT):
            break
        body, lo, hi = inner, lo * least, upper
    return ("rep", body, lo, hi)
