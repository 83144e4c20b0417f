"""The bytes of an expression's texts, and expressions with fewer bytes.

    alphabet = Alphabet(store, b"ab")
    alphabet.bytes_in(store.literals([b"ab", b"ac"]))       # frozenset(b"abc")
    alphabet.restrict(store.literals([b"ab", b"ac"]))       # the expression of b"ab"

Both read the nodes of an expression once, whatever its texts are.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.regex.expr.store import NOTHING, ExprStore

__all__ = ["Alphabet"]

ALL_BYTES = frozenset(range(256))
# What may be in the texts of multiples.
NUMBER_BYTES = frozenset(b"0123456789.")


class Alphabet:
    """Which bytes the texts of expressions have, and what is left of them with some bytes only.

    Args:
        store: the store.
        members: the bytes that stay.
    """

    def __init__(self, store: ExprStore, members: bytes) -> None:
        self._store = store
        self._members = frozenset(members)
        self._texts = store.repeat(store.byte_set(bytes(sorted(self._members))), 0, None)
        self._bytes: dict[int, frozenset[int]] = {}
        self._restricted: dict[int, int] = {}

    def bytes_in(self, e: int) -> frozenset[int]:
        """A set of bytes that has each byte of each text of an expression. It may have more where a text must belong
        to several expressions, or must not belong to one."""
        self._visit(e, self._bytes, self._bytes_of)
        return self._bytes[e]

    def restrict(self, e: int) -> int:
        """The expression of those texts that have no other bytes than the members."""
        self._visit(e, self._restricted, self._restricted_of)
        return self._restricted[e]

    def _visit(self, e: int, found: dict[int, Any], make: Any) -> None:
        """Fill `found` for an expression and its parts. (Parts can be nested deeper than Python's calls.)"""
        todo = [e]
        while todo:
            kind, *parts = self._store.node(todo[-1])
            inner = parts[:1] if kind == "repeat" else parts if kind in ("concat", "union", "intersect") else ()
            missing = [part for part in inner if part not in found]
            todo.extend(missing)
            if not missing:
                one = todo.pop()
                found[one] = make(one, kind, parts)

    def _bytes_of(self, _e: int, kind: str, parts: list[Any]) -> frozenset[int]:
        if kind in ("set", "literal"):
            return frozenset(parts[0])
        if kind == "repeat":
            return self._bytes[parts[0]]
        if kind in ("concat", "union"):
            return frozenset().union(*(self._bytes[part] for part in parts))
        if kind == "intersect":
            return ALL_BYTES.intersection(*(self._bytes[part] for part in parts))
        if kind in ("multiples", "part"):
            return NUMBER_BYTES
        return ALL_BYTES if kind in ("any", "complement") else frozenset()

    def _restricted_of(self, e: int, kind: str, parts: list[Any]) -> int:
        store, done = self._store, self._restricted
        if self.bytes_in(e) <= self._members:
            return e
        if kind == "set":
            return store.byte_set(bytes(byte for byte in parts[0] if byte in self._members))
        if kind == "literal":
            return NOTHING
        if kind == "repeat":
            return store.repeat(done[parts[0]], parts[1], parts[2])
        if kind == "concat":
            return store.concat([done[part] for part in parts])
        if kind == "union":
            return store.union([done[part] for part in parts])
        if kind == "intersect":
            # (it is enough if one part has no other bytes)
            plain = [part for part in parts if store.node(part)[0] != "complement"]
            if plain:
                return store.intersect([done[part] if part in plain else part for part in parts])
        return self._texts if kind == "any" else store.intersect([e, self._texts])
