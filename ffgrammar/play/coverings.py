"""The coverings of a text's beginning, as the page lists them."""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.draw.text import visible
from ffgrammar.play.bounds import MAX_LISTED
from ffgrammar.play.masks import ids_of
from ffgrammar.play.shown import shown_tokens
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["coverings_answer"]

# How many of the kept tokens, and of the candidates, are shown.
SHOWN = 12


def coverings_answer(tok: Tokenizer, text: bytes) -> dict[str, Any]:
    """The coverings of a text's beginning; or why they are not known."""
    try:
        found = tok.coverings(text)
    except TokenizerError as error:
        return {"why": str(error), "list": []}
    return {
        "why": "",
        "count": len(found),
        "list": [
            {
                "kept": shown_tokens(tok, one.kept[-SHOWN:]),
                "before": max(0, len(one.kept) - SHOWN),
                "rest": visible(text[one.position :]),
                "count": one.count,
                "candidates": shown_tokens(tok, ids_of(int.from_bytes(one.bitmask, "little"), SHOWN)),
            }
            for one in found[:MAX_LISTED]
        ],
    }
