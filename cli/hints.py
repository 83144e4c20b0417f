"""Advice at a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .show import complain

if TYPE_CHECKING:
    from ffgrammar import Grammar

    from .bitmask import Mask

__all__ = ["hint_at_layout"]

LAYOUT_OPTIONS = ("whitespace", "separators", "indent")
JSON_BLANKS = b" \t\n\r"


def hint_at_layout(grammar: Grammar, mask: Mask, compiling: dict[str, Any]) -> None:
    """Say how to leave out white space, if most of the tokens in the mask of a schema are nothing but white space.

    Nothing is said if stderr is no terminal, or if a layout option was given.
    """
    if not sys.stderr.isatty() or grammar.kind != "json-schema":
        return
    if any(compiling[name] is not None for name in LAYOUT_OPTIONS):
        return
    tokens = [mask.tokenizer.token_bytes(token) for token in mask.ids()]
    blank = sum(1 for data in tokens if data and not data.strip(JSON_BLANKS))
    if 2 * blank > len(tokens):
        complain(
            f"hint: {blank} of these {len(tokens)} tokens are white space; "
            "compiling with --separators ', ' ': ' or --whitespace compact leaves them out"
        )
