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
    """Token ids in a tree of their bytes: children by byte, and the tokens that end here. Empty tokens are left out."""

    __slots__ = ("children", "tokens")

    def __init__(self, tokens: Iterable[tuple[int, bytes]] = ()) -> None:
        self.children: dict[bytes, ByteTree] = {}
        self.tokens: list[int] = []
        for token, text in tokens:
            node = self
            for place in range(len(text)):
                node = node.children.setdefault(text[place : place + 1], ByteTree())
            if text:
                node.tokens.append(token)


def brute_force_mask(matcher: Any, tree: ByteTree, eos_token_ids: Iterable[int]) -> set[int]:
    """The ids of the tokens whose bytes a fork of a matcher accepts."""
    allowed = set(eos_token_ids) if matcher.is_accepting() else set()
    fork = matcher.fork()

    def visit(node: ByteTree) -> None:
        for byte, child in node.children.items():
            if fork.accept_bytes(byte):
                allowed.update(child.tokens)
                visit(child)
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
        for byte, child in node.children.items():
            after = recogniser.step(here, byte[0])
            if after is not None:
                allowed.update(dict.fromkeys(child.tokens, after))
                stack.append((after, child))
    return allowed
