"""The length of the texts of an expression, if all have the same."""

from __future__ import annotations

from ffgrammar.regex.expr.store import ExprStore

__all__ = ["fixed_length"]

# Longer texts, and expressions with more derivatives of one length, are not looked at.
MAX_LENGTH = 1000
MAX_DERIVATIVES = 200


def fixed_length(store: ExprStore, expr: int) -> int | None:
    """The length in bytes of all texts of an expression; None if they have several, or none was found."""
    layer = {expr}
    for length in range(MAX_LENGTH):
        if not layer or len(layer) > MAX_DERIVATIVES:
            return None
        after = {store.derivative(one, byte) for one in layer for byte in range(256)}
        after = {one for one in after if not store.is_nothing(one)}
        if any(store.is_nullable(one) for one in layer):
            return None if after else length
        layer = after
    return None
