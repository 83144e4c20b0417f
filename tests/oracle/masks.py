"""Masks by trying every token's bytes, on the matcher under test or on the slow recogniser.

Tokens are tried in a tree of their bytes, so that a prefix which is refused is refused once for all the tokens that
begin with it. That is all the cleverness there is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oracle.cfg import Recogniser, State

__all__ = ["ByteTree", "brute_force_mask", "recogniser_mask"]


class ByteTree:
    """Token ids by their bytes: children by byte, and the tokens that end here. Empty tokens are left out."""

    __slots__ = ("children", "tokens")

    def __init__(self, tokens: Iterable[tuple[int, bytes]] = ()) -> None:
        self.children: dict[int, ByteTree] = {}
        self.tokens: list[int] = []
        for token, text in tokens:
            node = self
            for byte in text:
                node = node.children.setdefault(byte, ByteTree())
            if text:
                node.tokens.append(token)


def brute_force_mask(matcher: Any, tree: ByteTree, eos_token_ids: Iterable[int]) -> set[int]:
    """The token ids that a matcher's accept_bytes lets through, each prefix tried on a fork of its own."""
    allowed = set(eos_token_ids) if matcher.is_accepting() else set()
    stack = [(matcher, tree)]
    while stack:
        here, node = stack.pop()
        for byte, child in node.children.items():
            after = here.fork()
            if after.accept_bytes(bytes([byte])) == 1:
                allowed.update(child.tokens)
                if child.children:
                    stack.append((after, child))
    return allowed


def recogniser_mask(recogniser: Recogniser, state: State, tree: ByteTree, eos_token_ids: Iterable[int]) -> set[int]:
    """The same on the oracle."""
    allowed = set(eos_token_ids) if recogniser.is_sentence(state) else set()
    stack = [(state, tree)]
    while stack:
        here, node = stack.pop()
        for byte, child in node.children.items():
            after = recogniser.step(here, byte)
            if after is not None:
                allowed.update(child.tokens)
                stack.append((after, child))
    return allowed
