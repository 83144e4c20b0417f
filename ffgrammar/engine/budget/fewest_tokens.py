"""How many tokens a completion takes."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FewestTokens"]


class FewestTokens(NamedTuple):
    """How many tokens complete a text, end-of-text token not counted.

    Attributes:
        tokens: a completion with this many tokens is known.
        is_exact: whether no completion has fewer. If not, `tokens` is an upper bound.
    """

    tokens: int
    is_exact: bool
