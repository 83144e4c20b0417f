"""Patterns that only list texts: `^red$` and `^(red|green)$`. They say the same as `enum`, which is cheaper: listed
texts are compared one by one, and expressions by their languages."""

from __future__ import annotations

import re

__all__ = ["listed_texts"]

_WORD = "[A-Za-z0-9_-]+"
_LISTED = re.compile(rf"\^(?:({_WORD})|\((?:\?:)?({_WORD}(?:\|{_WORD})*)\))\$")


def listed_texts(pattern: str) -> tuple[str, ...] | None:
    """The texts that a pattern matches, if it lists them; else None."""
    found = _LISTED.fullmatch(pattern)
    return None if found is None else tuple(dict.fromkeys((found[1] or found[2]).split("|")))
