"""The keys that an expression matches, where they are few: `^(red|green)$` in `patternProperties` has two."""

from __future__ import annotations

import json

from ffgrammar.regex.expr.store import ExprStore

__all__ = ["finite_keys"]

# If there are more than MAX_KEYS keys, none is listed.
MAX_KEYS = 64
# The search takes at most so many derivatives that are not dead.
MAX_STEPS = 2000


def finite_keys(store: ExprStore, keys: int) -> set[str] | None:
    """The keys that an expression of quoted keys matches; None if they are too many, or take too long to find."""
    known = ("finite keys", keys)
    if known not in store.memo:
        store.memo[known] = _search(store, keys)
    found: set[str] | None = store.memo[known]
    return found


def _search(store: ExprStore, keys: int) -> set[str] | None:
    found: set[str] = set()
    # (the expression after some bytes, these bytes, the expressions before each of them)
    todo: list[tuple[int, bytes, tuple[int, ...]]] = [(keys, b"", ())]
    steps = 0
    while todo:
        rest, text, before = todo.pop()
        if store.is_nullable(rest):
            found.add(json.loads(text))
            if len(found) > MAX_KEYS:
                return None
        for byte in range(256):
            after = store.derivative(rest, byte)
            if store.is_nothing(after):
                continue
            steps += 1
            if after in before or after == rest or steps > MAX_STEPS:
                # if an expression comes back to itself, it matches infinitely many keys
                return None
            todo.append((after, text + bytes([byte]), (*before, rest)))
    return found
