"""Syntax trees evaluated bottom up, with an explicit stack: they may be nested deeper than Python recurses.

What is plain becomes an expression here. What anchors and look-around mean is up to a subclass: lowering.py,
look_around.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ffgrammar.regex.expr.store import EMPTY, ExprStore
from ffgrammar.regex.lower.utf8 import UTF8, Encoding
from ffgrammar.regex.syntax.charset import ANY, from_ranges
from ffgrammar.regex.syntax.parser import MAX_REPEAT, Node

__all__ = ["Walk", "any_text"]

V = TypeVar("V")


def any_text(store: ExprStore, encode: Encoding = UTF8) -> int:
    """Any text at all, as the encoding spells it."""
    return store.repeat(encode.charset(store, ANY), 0, None)


class Walk(Generic[V]):
    """One evaluation of a tree, bottom up; a value is an expression, or what a subclass makes of the rest."""

    def __init__(self, store: ExprStore, encode: Encoding) -> None:
        self.store = store
        self.encode = encode

    # What a subclass says

    def anchor(self, node: Node) -> int | V:
        """The value of ("start", ...) or ("end", ...)."""
        raise NotImplementedError

    def look(self, node: Node, value: int | V) -> int | V:
        """The value of ("look", ...), from that of the tree inside."""
        raise NotImplementedError

    def word(self, node: Node) -> int | V:
        """The value of ("word", ...)."""
        raise NotImplementedError

    def whole(self, value: int | V) -> int:
        """A value as an expression of its own, for `and` and `not`."""
        raise NotImplementedError

    def concat(self, values: list[int | V]) -> int | V:
        """One after another."""
        raise NotImplementedError

    def union(self, values: list[int | V]) -> int | V:
        """Any of them."""
        raise NotImplementedError

    def repeat(self, value: int | V, lo: int, hi: int | None) -> int | V:
        """lo to hi of it."""
        raise NotImplementedError

    # The evaluation

    def value(self, root: Node) -> int | V:
        """The value of a tree."""
        # Listed parents first, children from right to left; backwards that is children first, from left to right.
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
        values: list[int | V] = []
        # By identity, because the tree keeps them alive and hashing \w, of 800 ranges, takes 13 us.
        sets: dict[int, int] = {}
        store, encode = self.store, self.encode
        for node in reversed(order):
            kind = node[0]
            if kind == "set":
                members = node[1]
                expr = sets.get(id(members))
                if expr is None:
                    expr = sets[id(members)] = encode.charset(store, members)
                values.append(expr)
            elif kind == "text":
                values.append(encode.text(store, node[1]))
            elif kind == "empty":
                values.append(EMPTY)
            elif kind == "rep":
                values[-1] = self.repeat(values[-1], node[2], node[3])
            elif kind in ("start", "end"):
                values.append(self.anchor(node))
            elif kind == "look":
                values[-1] = self.look(node, values[-1])
            elif kind == "word":
                values.append(self.word(node))
            elif kind == "not":
                values[-1] = store.intersect([any_text(store, encode), store.complement(self.whole(values[-1]))])
            else:
                count = len(node) - 1 if kind == "and" else len(node[1])
                parts = values[len(values) - count :]
                del values[len(values) - count :]
                if kind == "cat":
                    values.append(self.concat(parts))
                elif kind == "alt":
                    values.append(self.union([*parts, *node[2]]))
                elif kind == "and":
                    values.append(store.intersect([self.whole(part) for part in parts]))
                else:
                    raise ValueError(f"unknown node {kind!r}")
        return values[0]

    def split_literals(self, branches: Sequence[Node]) -> Node:
        """Branches as ("alt", branches to evaluate, expressions): literal texts become one trie, sets one set."""
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
        """Any of the texts, when characters have several spellings: branches at the first different character."""
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
    """Neighbouring texts, and sets of one character, as one text."""
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
    """A repeat of a repeat as one repeat, where it is one: `(a{0,9}){0,9}` is `a{0,81}`, but `(a{2})*` is even.

    Derivatives of nested counters remember all of them at once, which is a set that grows with each level.
    """
    _, body, lo, hi = node
    while body[0] == "rep":
        _, inner, least, most = body
        # k of the body make k*least to k*most of `inner`; these ranges must meet from k = lo on
        meet = least <= 1 or (lo > 0 and (most is None or least - 1 <= lo * (most - least)))
        if not meet and lo != hi:
            break
        upper = 0 if 0 in (hi, most) else None if hi is None or most is None else hi * most
        if lo * least > MAX_REPEAT or (upper is not None and upper > MAX_REPEAT):
            break
        body, lo, hi = inner, lo * least, upper
    return ("rep", body, lo, hi)
