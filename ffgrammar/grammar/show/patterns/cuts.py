"""Which parts of trees get names of their own, so that a text does not become long or deeply nested.

Trees share parts: an expression that occurs twice is one node. A large part that occurs in several places is written
once, under a name. So is a part at every MAX_DEPTH-th level of nesting. Hence the text grows linearly with the
expressions, and whoever reads it needs little depth.
"""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.regex.syntax.parser import Node

__all__ = ["Cuts", "children", "nodes"]

MAX_DEPTH = 30
# A shared part is named if it has at least this many nodes and characters.
MIN_SHARED = 80


def children(node: Node) -> Iterable[Node]:
    """The nodes inside a node."""
    kind = node[0]
    if kind in ("cat", "alt"):
        inner: Iterable[Node] = node[1]
        return inner
    if kind == "and":
        return node[1:]
    return (node[1],) if kind in ("rep", "not") else ()


def nodes(tree: Node) -> list[Node]:
    """The nodes of a tree, each once."""
    found: dict[int, Node] = {}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if id(node) not in found:
            found[id(node)] = node
            waiting += children(node)
    return list(found.values())


class Cuts:
    """The named parts of some trees.

    Args:
        roots: the trees.

    Attributes:
        named: by identity of a node, its number among the named parts.
        parts: the named parts by number. A part uses only parts with lower numbers.
        has_operators: the identities of the nodes that have ("and", ...), ("not", ...), ("digits", ...) or a named part
            inside, or are one.
    """

    def __init__(self, roots: Iterable[Node]) -> None:
        self._roots = list(roots)
        self.named: dict[int, int] = {}
        self.parts: list[Node] = []
        self.has_operators: set[int] = set()
        order, uses = _post_order(self._roots)
        whole = {id(root) for root in self._roots}
        size: dict[int, int] = {}
        depth: dict[int, int] = {}
        for node in order:
            inner = list(children(node))
            weight = 1 + sum(size[id(one)] for one in inner) + _own_size(node)
            deep = 1 + max([depth[id(one)] for one in inner], default=0)
            if node[0] in ("and", "not", "digits") or any(id(one) in self.has_operators for one in inner):
                self.has_operators.add(id(node))
            shared = uses[id(node)] > 1 and weight >= MIN_SHARED
            if (shared or deep >= MAX_DEPTH) and not (id(node) in whole and uses[id(node)] == 0):
                self.named[id(node)] = len(self.parts)
                self.parts.append(node)
                self.has_operators.add(id(node))
                weight, deep = 1, 0
            size[id(node)], depth[id(node)] = weight, deep


def _own_size(node: Node) -> int:
    return len(node[1]) if node[0] in ("text", "set") else 0


def _post_order(roots: list[Node]) -> tuple[list[Node], dict[int, int]]:
    """All nodes, inner ones first, each once; and how often each is used by other nodes."""
    order: list[Node] = []
    uses: dict[int, int] = {}
    done: set[int] = set()
    waiting = [(root, False) for root in reversed(roots)]
    while waiting:
        node, entered = waiting.pop()
        if id(node) in done:
            continue
        if entered:
            done.add(id(node))
            order.append(node)
            continue
        uses.setdefault(id(node), 0)
        waiting.append((node, True))
        for one in children(node):
            uses[id(one)] = uses.get(id(one), 0) + 1
            if id(one) not in done:
                waiting.append((one, False))
    return order, uses
