"""Masks by trying every token's bytes, on the matcher under test or on the slow recogniser.

Tokens are tried in a tree of their bytes. So a prefix is tried once for all the tokens that begin with it. There is no
other shortcut.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oracle.cfg import Recogniser, State

__all__ = ["ByteTree", "brute_force_mask", "recogniser_mask"]


class ByteTree:
    """Token ids in a tree of their bytes. It branches only where tokens differ or end, so it has few nodes.

    Attributes:
        children: by the first byte of an edge, the bytes of the edge and the node that it leads to.
        tokens: the ids of the tokens that end here. Empty tokens are left out.
    """

    __slots__ = ("children", "tokens")

    def __init__(self, tokens: Iterable[tuple[int, bytes]] = ()) -> None:
        self.children: dict[int, tuple[bytes, ByteTree]] = {}
        self.tokens: list[int] = []
        self._grow(sorted((text, token) for token, text in tokens if text), 0)

    def _grow(self, tokens: list[tuple[bytes, int]], depth: int) -> None:
        """Put sorted tokens below a node, whose own bytes are the first `depth` of each."""
        at = 0
        while at < len(tokens) and len(tokens[at][0]) == depth:
            self.tokens.append(tokens[at][1])
            at += 1
        while at < len(tokens):
            first = last = tokens[at][0]
            begun = at
            while at < len(tokens) and tokens[at][0][depth] == first[depth]:
                last = tokens[at][0]
                at += 1
            # (what the first and the last of sorted texts begin with, those between them begin with, too)
            end = depth
            while first[end : end + 1] == last[end : end + 1] != b"":
                end += 1
            child = ByteTree()
            self.children[first[depth]] = first[depth:end], child
            child._grow(tokens[begun:at], end)

    def after(self, data: bytes) -> ByteTree | None:
        """The tree of what follows some bytes in tokens; None if no token begins with these bytes."""
        node = self
        while data:
            if data[0] not in node.children:
                return None
            edge, child = node.children[data[0]]
            if edge.startswith(data) and edge != data:
                inside = ByteTree()
                rest = edge[len(data) :]
                inside.children[rest[0]] = rest, child
                return inside
            if not data.startswith(edge):
                return None
            node, data = child, data[len(edge) :]
        return node


def brute_force_mask(matcher: Any, tree: ByteTree, eos_token_ids: Iterable[int]) -> set[int]:
    """The ids of the tokens whose bytes a fork of a matcher accepts."""
    allowed = set(eos_token_ids) if matcher.is_accepting() else set()
    fork = matcher.fork()

    def visit(node: ByteTree) -> None:
        for edge, child in node.children.values():
            accepted = fork.accept_bytes(edge)
            if accepted == len(edge):
                allowed.update(child.tokens)
                visit(child)
            if accepted:
                fork.rollback(1)

    visit(tree)
    return allowed


def recogniser_mask(
    recogniser: Recogniser, state: State, tree: ByteTree, eos_token_ids: Iterable[int]
) -> dict[int, State]:
    """The ids of the tokens that the recogniser accepts, each with the state after it.

    Some of these states may be dead ends (`Recogniser.next_bytes`).
    """
    allowed: dict[int, State] = {}
    for token in recogniser.tokens_after(state):
        after = recogniser.step_token(state, token)
        assert after is not None
        allowed[token] = after
    if recogniser.is_sentence(state):
        allowed.update(dict.fromkeys(eos_token_ids, state))
    stack = [(state, tree)]
    while stack:
        here, node = stack.pop()
        for edge, child in node.children.values():
            after = recogniser.run(edge, here)
            if after is not None:
                allowed.update(dict.fromkeys(child.tokens, after))
                stack.append((after, child))
    return allowed
