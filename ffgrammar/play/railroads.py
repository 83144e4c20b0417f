"""Railroad diagrams of a grammar's rules, and what is lit in them.

A box of a lexeme is lit if the lexeme is being read or may begin, in the rules that wait for it. Several boxes of one
lexeme in one rule are lit together.
"""

from __future__ import annotations

import re
from typing import Any

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.engine.explain.place import find_place
from ffgrammar.play.sheet import Sheet
from ffgrammar.play.spot import Spot

__all__ = ["live_parts", "railroads_answer"]

# How many bytes a picture may have. (It is bounded by the number of its boxes, too.)
MAX_PICTURE = 2 << 20


def railroads_answer(sheet: Sheet) -> dict[str, Any]:
    """The diagrams as a document of SVG, whose boxes say by `data-lexeme` and `data-rules` what they stand for."""
    if sheet.pictures is None:
        try:
            # (the page has a style of its own)
            sheet.pictures = re.sub("<style>.*?</style>", "", sheet.grammar.emit("svg"), count=1, flags=re.DOTALL)
        except FFGrammarError as error:
            return {"svg": "", "why": str(error)}
    if len(sheet.pictures) > MAX_PICTURE:
        return {"svg": "", "why": "the diagrams are too large to be shown"}
    return {"svg": sheet.pictures, "why": ""}


def live_parts(spot: Spot) -> list[dict[str, Any]]:
    """The lexemes that are being read or may begin: numbers, and the numbers of the rules that wait for them.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    if spot.matcher.is_terminated():
        return []
    place = find_place(spot.matcher.engine, spot.text, list(spot.special), b"")
    reading = [{"lexeme": lexeme, "rules": heads, "read": True} for lexeme, _, _, heads in place.reading]
    return [*reading, *({"lexeme": lexeme, "rules": heads, "read": False} for lexeme, _, heads in place.expected)]
