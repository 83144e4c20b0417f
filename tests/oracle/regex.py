"""Regular expressions the textbook way: Brzozowski derivatives on tuples, and a matcher on syntax trees.

`OracleStore` has the constructors of `ffgrammar.regex.expr.store.ExprStore`, so that everything that is built in one
can be built in the other. `tree_fullmatch` and `tree_search` match a syntax tree by sets of positions; they know
nothing of bytes, derivatives or anchors' languages.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

__all__ = ["OracleStore", "tree_fullmatch", "tree_search"]

NOTHING = 0
EMPTY = 1
ANY_BYTES = 2


class OracleStore:
    """Expressions are ids of tuples:

    ("set", frozenset) ("cat", head, tail) ("or", ids) ("and", ids) ("not", id) ("rep", id, lo, hi)
    """

    def __init__(self, limits: Any = None) -> None:
        self.limits = limits
        self.memo: dict[Any, Any] = {}
        self.nodes: list[tuple[Any, ...]] = [("nothing",), ("empty",), ("any",)]
        self.ids: dict[tuple[Any, ...], int] = {node: i for i, node in enumerate(self.nodes)}
        self.known: dict[tuple[int, int], int] = {}

    def _make(self, *node: Any) -> int:
        found = self.ids.get(node)
        if found is None:
            found = self.ids[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def byte_set(self, members: bytes) -> int:
        return self._make("set", frozenset(members)) if members else NOTHING

    def literal(self, text: bytes) -> int:
        return self.concat([self.byte_set(bytes([byte])) for byte in text])

    def literals(self, texts: Iterable[bytes]) -> int:
        return self.union([self.literal(text) for text in texts])

    def concat(self, parts: Iterable[int]) -> int:
        return reduce(lambda tail, head: self._cat(head, tail), reversed(list(parts)), EMPTY)

    def _cat(self, head: int, tail: int) -> int:
        if head == NOTHING or tail == NOTHING:
            return NOTHING
        heads = []
        while self.nodes[head][0] == "cat":
            heads.append(self.nodes[head][1])
            head = self.nodes[head][2]
        for part in [head, *reversed(heads)]:
            if part != EMPTY:
                tail = part if tail == EMPTY else self._make("cat", part, tail)
        return tail

    def union(self, members: Iterable[int]) -> int:
        return self._associative("or", members, neutral=NOTHING, absorbing=ANY_BYTES)

    def intersect(self, members: Iterable[int]) -> int:
        return self._associative("and", members, neutral=ANY_BYTES, absorbing=NOTHING)

    def _associative(self, kind: str, members: Iterable[int], neutral: int, absorbing: int) -> int:
        flat: set[int] = set()
        for member in members:
            flat |= self.nodes[member][1] if self.nodes[member][0] == kind else {member}
        flat.discard(neutral)
        if absorbing in flat:
            return absorbing
        if not flat:
            return neutral
        return flat.pop() if len(flat) == 1 else self._make(kind, frozenset(flat))

    def complement(self, e: int) -> int:
        if e in (NOTHING, ANY_BYTES):
            return ANY_BYTES if e == NOTHING else NOTHING
        return self.nodes[e][1] if self.nodes[e][0] == "not" else self._make("not", e)

    def repeat(self, e: int, lo: int, hi: int | None) -> int:
        if hi == 0:
            return EMPTY
        return e if (lo, hi) == (1, 1) else self._make("rep", e, lo, hi)

    def is_nullable(self, e: int) -> bool:
        kind, *parts = self.nodes[e]
        if kind == "cat":
            return all(self.is_nullable(part) for part in parts)
        if kind == "or":
            return any(self.is_nullable(part) for part in parts[0])
        if kind == "and":
            return all(self.is_nullable(part) for part in parts[0])
        if kind == "not":
            return not self.is_nullable(parts[0])
        if kind == "rep":
            return parts[1] == 0 or self.is_nullable(parts[0])
        return kind in ("empty", "any")

    def derivative(self, e: int, byte: int) -> int:
        found = self.known.get((e, byte))
        if found is None:
            found = self.known[e, byte] = self._derivative(e, byte)
        return found

    def _derivative(self, e: int, byte: int) -> int:
        kind, *parts = self.nodes[e]
        if kind == "any":
            return ANY_BYTES
        if kind == "set":
            return EMPTY if byte in parts[0] else NOTHING
        if kind == "cat":
            head, tail = parts
            first = self._cat(self.derivative(head, byte), tail)
            return self.union([first, self.derivative(tail, byte)]) if self.is_nullable(head) else first
        if kind == "or":
            return self.union([self.derivative(part, byte) for part in parts[0]])
        if kind == "and":
            return self.intersect([self.derivative(part, byte) for part in parts[0]])
        if kind == "not":
            return self.complement(self.derivative(parts[0], byte))
        if kind == "rep":
            # This holds for a nullable body, too: then x{lo,hi} equals x{0,hi}, and the rest equals x{0,hi-1}.
            body, lo, hi = parts
            rest = self.repeat(body, max(lo - 1, 0), None if hi is None else hi - 1)
            return self._cat(self.derivative(body, byte), rest)
        return NOTHING

    def matches(self, e: int, text: bytes) -> bool:
        for byte in text:
            e = self.derivative(e, byte)
        return self.is_nullable(e)

    def is_nothing(self, e: int, most: int = 5000) -> bool:
        """Whether nothing matches, by visiting every derivative; RuntimeError if there are more than `most`."""
        seen = {e}
        todo = [e]
        while todo:
            at = todo.pop()
            if self.is_nullable(at):
                return False
            for byte in self.representatives(at):
                after = self.derivative(at, byte)
                if after not in seen:
                    if len(seen) >= most:
                        raise RuntimeError("too many derivatives")
                    seen.add(after)
                    todo.append(after)
        return True

    def representatives(self, e: int) -> list[int]:
        """A byte of each class of bytes that no set in the expression tells apart."""
        sets: set[frozenset[int]] = set()
        todo, seen = [e], {e}
        while todo:
            kind, *parts = self.nodes[todo.pop()]
            if kind == "set":
                sets.add(parts[0])
                continue
            below = {"cat": parts, "or": parts[0], "and": parts[0]} if parts else {}
            for part in below.get(kind, parts[:1] if parts else []):
                if part not in seen:
                    seen.add(part)
                    todo.append(part)
        classes = {tuple(byte in members for members in sets): byte for byte in range(256)}
        return sorted(classes.values())


def tree_fullmatch(node: tuple[Any, ...], text: str) -> bool:
    """Whether the whole text is a match of the tree."""
    return len(text) in _ends(node, text, 0)


def tree_search(node: tuple[Any, ...], text: str) -> bool:
    """Whether the text contains a match of the tree."""
    return any(_ends(node, text, start) for start in range(len(text) + 1))


def _ends(node: tuple[Any, ...], text: str, start: int) -> set[int]:
    """The ends of the matches that begin at `start`."""
    kind = node[0]
    if kind == "empty":
        return {start}
    if kind == "set":
        inside = start < len(text) and any(lo <= ord(text[start]) <= hi for lo, hi in node[1])
        return {start + 1} if inside else set()
    if kind == "text":
        return {start + len(node[1])} if text.startswith(node[1], start) else set()
    if kind == "start":
        return {start} if start == 0 else set()
    if kind == "end":
        return {start} if start == len(text) else set()
    if kind == "look":
        _, ahead, negated, inner, _ = node
        if ahead:
            seen = bool(_ends(inner, text, start))
        else:
            seen = any(start in _ends(inner, text, begin) for begin in range(start + 1))
        return {start} if seen != negated else set()
    if kind == "word":
        _, negated, members, _ = node
        around = [
            0 <= at < len(text) and any(lo <= ord(text[at]) <= hi for lo, hi in members) for at in (start - 1, start)
        ]
        return {start} if (around[0] != around[1]) != negated else set()
    if kind == "cat":
        return reduce(lambda at, part: _after(part, text, at), node[1], {start})
    if kind == "alt":
        return set().union(*(_ends(part, text, start) for part in node[1]))
    if kind == "and":
        return set.intersection(*(_ends(part, text, start) for part in node[1:]))
    if kind == "not":
        return set(range(start, len(text) + 1)) - _ends(node[1], text, start)
    _, body, lo, hi = node
    at = {start}
    for _ in range(lo):
        at = _after(body, text, at)
    found = set(at)
    count = lo
    while hi is None or count < hi:
        at = _after(body, text, at)
        if at <= found:
            # This round reached no new place, so no further round can.
            break
        found |= at
        count += 1
    return found


def _after(node: tuple[Any, ...], text: str, at: set[int]) -> set[int]:
    return set().union(*(_ends(node, text, start) for start in at))
