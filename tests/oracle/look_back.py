"""Forced tokens by looking back from the end of the forced bytes: llguidance's published method, in plain Python.

The forced bytes are encoded together with the last token before them, because the two may be one pre-token. A place in
the forced bytes is open if some token of the vocabulary begins there, has all the rest of these bytes, and goes on
beyond them in a way that the grammar allows. Tokens are taken off the end, back to the first open place. Open places
are looked for within a bounded distance from the end: some number of tokens, or of bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oracle.masks import ByteTree

__all__ = ["LOOK_BACKS", "LookBack", "looked_back"]


@dataclass(frozen=True)
class LookBack:
    """A bound of the look-back.

    Attributes:
        tokens: how many tokens back from the end to look.
        size: how many bytes back from the end to look, in place of `tokens`.
        asks_grammar: whether the grammar must allow the token that reaches beyond the end.
    """

    tokens: int | None = None
    size: int | None = None
    asks_grammar: bool = True

    def start(self, forced: bytes, sizes: Sequence[int]) -> int:
        """The offset in the forced bytes where looking begins; `sizes` are the lengths of their tokens."""
        if self.size is not None:
            return max(0, len(forced) - self.size)
        return len(forced) - sum(sizes[max(0, len(sizes) - (self.tokens or 0)) :])


LOOK_BACKS: Mapping[str, LookBack] = {
    "0 tokens": LookBack(0),
    "1 token": LookBack(1),
    "2 tokens": LookBack(2),
    "4 tokens": LookBack(4),
    "4, grammar not asked": LookBack(4, asks_grammar=False),
    "7 bytes": LookBack(size=7),
}


def looked_back(tok: Any, tree: ByteTree, matcher: Any, before: Sequence[int]) -> dict[str, list[int]]:
    """The tokens that each look-back forces where the matcher stands, after the tokens `before`."""
    forced = matcher.forced_bytes()
    if not forced:
        return {name: [] for name in LOOK_BACKS}
    last = list(before[-1:])
    tokens = tok.encode(tok.decode(last) + forced)
    tokens = tokens[len(last) :] if tokens[: len(last)] == last else tok.encode(forced)
    sizes = [len(tok.token_bytes(token)) for token in tokens]
    end = matcher.fork()
    end.accept_bytes(forced)
    # By place: whether some token reaches beyond the end, and whether the grammar allows such a token.
    reaches: dict[int, tuple[bool, bool]] = {}
    found = {}
    for name, way in LOOK_BACKS.items():
        cut = len(forced)
        for place in range(way.start(forced, sizes), len(forced)):
            if place not in reaches:
                reaches[place] = _reaches(tree, end, forced[place:])
            if reaches[place][way.asks_grammar]:
                cut = place
                break
        kept = list(tokens)
        size = len(forced)
        while size > cut:
            size -= len(tok.token_bytes(kept.pop()))
        found[name] = kept
    return found


def _reaches(tree: ByteTree, end: Any, rest: bytes) -> tuple[bool, bool]:
    beyond = tree.after(rest)
    if beyond is None:
        return False, False
    # Every node has tokens at it or below, so a child shows that a token reaches beyond the end.
    return bool(beyond.children), _allows_some(beyond, end)


def _allows_some(node: ByteTree, matcher: Any) -> bool:
    for edge, child in node.children.values():
        accepted = matcher.accept_bytes(edge)
        found = accepted == len(edge) and (bool(child.tokens) or _allows_some(child, matcher))
        if accepted:
            matcher.rollback(1)
        if found:
            return True
    return False
