"""Random texts of lexemes.

A text is drawn from the tree of the expression (show/characters.py): alternatives by chance, repeats with lengths that
are mostly short. Of an intersection one member is drawn from, until a text matches all of it. Where that fails, the
shortest text is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.sample.characters_of import is_blank, is_free, one_of, some_words
from ffgrammar.grammar.show.patterns.characters import Characters
from ffgrammar.grammar.show.patterns.cuts import nodes
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.syntax.charset import contains, size
from ffgrammar.regex.syntax.parser import Node

__all__ = ["LexemeTexts"]

# How often a text is drawn until it matches, and how many expressions the search for a shortest text may meet.
DRAWS = 30
MAX_SEARCH = 3000
# The chance that a repeat goes on, and that an optional part is there; how many characters of free text there are.
AGAIN = 0.5
SOMETIMES = 0.3
MAX_FREE = 24
# Alternatives with no more nodes are equally usual.
SIMPLE = 6
MAX_ROUNDS = 1000
# Trees are drawn from no deeper than this.
MAX_DEPTH = 200


class _TooDeepError(Exception):
    pass


class LexemeTexts:
    """Draws texts.

    Args:
        store: has the expressions. Others are made there, so it should be a copy.
        random: where chance comes from.
    """

    def __init__(self, store: ExprStore, random: Random) -> None:
        self._store = store
        self._random = random
        self._characters = Characters(store)
        self._trees: dict[int, Node | None] = {}
        self._exact: dict[int, bool] = {}
        # By identity of a node; the trees are kept, so the nodes are, too.
        self._weights: dict[int, float] = {}
        self._shortest: dict[int, bytes | None] = {}

    def text(self, expr: int) -> bytes | None:
        """A text that an expression matches, not the empty one; None if none was found."""
        tree = self._tree(expr)
        if tree is not None:
            for _ in range(DRAWS):
                try:
                    found = self._drawn(tree, 0).encode()
                except _TooDeepError:
                    continue
                if found and (self._is_exact(tree) or self._store.matches(expr, found)):
                    return found
        if expr not in self._shortest:
            self._shortest[expr] = self._search(expr)
        return self._shortest[expr]

    def _tree(self, expr: int) -> Node | None:
        if expr not in self._trees:
            try:
                self._trees[expr] = self._characters.tree(expr)
            except (UnsupportedError, LimitError):
                self._trees[expr] = None
        return self._trees[expr]

    def _is_exact(self, tree: Node) -> bool:
        """Whether all that is drawn from a tree matches."""
        found = self._exact.get(id(tree))
        if found is None:
            found = not any(node[0] in ("and", "not", "digits") for node in nodes(tree))
            self._exact[id(tree)] = found
        return found

    def _drawn(self, node: Node, depth: int) -> str:
        """A text of a node. It need not match where there are intersections or complements."""
        kind, random = node[0], self._random
        if depth > MAX_DEPTH:
            raise _TooDeepError
        if kind == "text":
            text: str = node[1]
            return text
        if kind == "set":
            return one_of(node[1], random) if node[1] else ""
        if kind == "cat":
            return self._sequence(node[1], depth)
        if kind == "alt":
            return self._drawn(random.choices(node[1], [self._weight(one) for one in node[1]])[0], depth + 1)
        if kind == "rep":
            return self._repeated(node[1], node[2], node[3], depth)
        if kind == "and":
            positive = [one for one in node[1:] if one[0] != "not"]
            return self._drawn(random.choice(positive or [node[1]]), depth + 1)
        if kind == "digits":
            return str(node[2] * random.randrange(1, 20))
        # (what a complement leaves is drawn at random, and mostly matches)
        return "" if kind == "empty" else random.choice("abcdefgxyz0123456789")

    def _weight(self, node: Node) -> float:
        """How usual an alternative is: simple ones are, and large sets of characters are more usual than escapes."""
        if node[0] == "set":
            return min(size(node[1]), 40)
        found = self._weights.get(id(node))
        if found is None:
            found = self._weights[id(node)] = 1 / max(len(nodes(node)), SIMPLE) ** 2
        return found

    def _sequence(self, parts: Sequence[Node], depth: int) -> str:
        """A text of a sequence. Where a letter is followed by free text, as in names, both are one word."""
        drawn: list[str] = []
        for i, one in enumerate(parts):
            following = parts[i + 1] if i + 1 < len(parts) else one
            free = _free_set(following[1]) if following is not one and following[0] == "rep" else None
            if free is not None and one[0] == "set" and following[3] != 1:
                most = MAX_FREE if following[3] is None else following[3]
                word = some_words(free, 1 + following[2], 1 + most, self._random)
                if contains(one[1], ord(word[0])):
                    return "".join([*drawn, word, *[self._drawn(part, depth + 1) for part in parts[i + 2 :]]])
            drawn.append(self._drawn(one, depth + 1))
        return "".join(drawn)

    def _repeated(self, inner: Node, lo: int, hi: int | None, depth: int) -> str:
        random = self._random
        free = _free_set(inner)
        if free is not None:
            most = lo + MAX_FREE if hi is None else min(hi, lo + MAX_FREE)
            return some_words(free, lo, most, random)
        count = lo
        again: float = SOMETIMES if (lo, hi) == (0, 1) else AGAIN
        if inner[0] == "set" and is_blank(inner[1]):
            again = 0.1
        elif inner == ("text", "\r"):
            again = 0
        if lo > MAX_ROUNDS:
            raise _TooDeepError
        while (hi is None or count < hi) and count < lo + 12 and random.random() < again:
            count += 1
        return "".join([self._drawn(inner, depth + 1) for _ in range(count)])

    def _search(self, expr: int) -> bytes | None:
        """A shortest text, found byte by byte."""
        store = self._store
        before: dict[int, tuple[int, int]] = {}
        edge, seen = [expr], {expr}
        try:
            while edge and len(seen) < MAX_SEARCH:
                following = []
                for one in edge:
                    for byte in _BYTES:
                        target = store.derivative(one, byte)
                        if target in seen:
                            continue
                        seen.add(target)
                        before[target] = (one, byte)
                        if store.is_nullable(target):
                            return _path(before, expr, target)
                        if not store.is_nothing(target):
                            following.append(target)
                edge = following
        except LimitError:
            pass
        return None


# Letters and digits come first, so that a shortest text looks well.
_BYTES: Sequence[int] = [*b"abcdefghijklmnopqrstuvwxyz0123456789", *range(32, 48), *range(58, 97), *range(123, 127)]
_BYTES = [*_BYTES, *(byte for byte in range(256) if byte not in _BYTES)]


def _path(before: dict[int, tuple[int, int]], start: int, end: int) -> bytes:
    found = bytearray()
    while True:
        end, byte = before[end]
        found.append(byte)
        if end == start:
            return bytes(reversed(found))


def _free_set(node: Node) -> tuple[tuple[int, int], ...] | None:
    """The set of characters that a free text repeats: a node's own, or one of its alternatives."""
    for one in node[1] if node[0] == "alt" else [node]:
        if one[0] == "set" and is_free(one[1]):
            members: tuple[tuple[int, int], ...] = one[1]
            return members
    return None
