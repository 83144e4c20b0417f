"""Bytes and tokens for readers of the page."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.draw.text import visible
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["shown_token", "shown_tokens"]

ShownToken = tuple[int, str]


def shown_token(tok: Tokenizer, token: int) -> str:
    """The text of a token, in which everything can be seen; the name of a special token."""
    return visible(tok.token_bytes(token) or tok.decode([token]))


def shown_tokens(tok: Tokenizer, tokens: Iterable[int]) -> list[ShownToken]:
    """Tokens: ids and texts."""
    return [(int(one), shown_token(tok, int(one))) for one in tokens]
