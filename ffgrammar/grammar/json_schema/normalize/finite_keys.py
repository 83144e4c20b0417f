"""Keys of which there are a few, though none of them is named."""

from __future__ import annotations

import json

from ffgrammar.regex.expr.store import ExprStore

__all__ = ["finite_keys"]

# More keys than this never run out; and so many steps are made at most to find them.
MAX_KEYS = 64
MAX_STEPS = 2000


def finite_keys(store: ExprStore, keys: int) -> set[str] | None:
    """The keys that an expression of quoted keys matches; None when there are many."""
    known = ("few keys", keys)
    if known not in store.memo:
        store.memo[known] = _few_keys(store, keys)
    found: set[str] | None = store.memo[known]
    return found


def _few_keys(store: ExprStore, keys: int) -> set[str] | None:
    found: set[str] = set()
    # what is left of the expression after some bytes, these, and what was left before each of them
    todo: list[tuple[int, bytes, tuple[int, ...]]] = [(keys, b"", ())]
    steps = 0
    while todo:
        rest, text, before = todo.pop()
        if store.is_nullable(rest):
            found.add(json.loads(text))
        for byte in range(256):
            after = store.derivative(rest, byte)
            if store.is_nothing(after):
                continue
            steps += 1
            if after in before or after == rest or len(found) > MAX_KEYS or steps > MAX_STEPS:
                # a loop has no end
                return None
            todo.append((after, text + bytes([byte]), (*before, rest)))
    return found
