"""Tokens for readers of the page."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["shown_tokens"]


def shown_tokens(tok: Tokenizer, tokens: Iterable[int]) -> list[tuple[int, str]]:
    """Tokens: ids and texts in which everything can be seen."""
    return [(int(one), tok.visible_token(int(one))) for one in tokens]
