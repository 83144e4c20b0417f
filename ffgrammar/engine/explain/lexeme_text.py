"""Lexemes, and what is left of them, as text."""

from __future__ import annotations

import re

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.engine.engine import Engine
from ffgrammar.grammar.show.patterns.characters import Characters
from ffgrammar.grammar.show.patterns.cuts import Cuts
from ffgrammar.grammar.show.patterns.terminals import TerminalText
from ffgrammar.regex.expr.packed import pack, unpack
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["lexeme_name", "lexeme_text"]

MAX_TEXT = 80
# How many characters a name has that is made of a lexeme's text.
MAX_NAME = 40
# Many characters and ranges that are not ASCII, as a class of all letters has.
_MANY = re.compile(r"(?:-?(?:[^\x00-\x7f…]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})){12,}")


def lexeme_text(packed: bytes, limits: Limits) -> str:
    """The text of a packed expression. It is cut off if it is long.

    Args:
        packed: the expression.
        limits: bounds on the work.
    """
    store = ExprStore(limits)
    try:
        tree = Characters(store).tree(unpack(store, packed))
        cuts = Cuts([tree])
        text = _MANY.sub("…", TerminalText(cuts, ["…"] * len(cuts.parts)).text(tree))
    except (UnsupportedError, LimitError):
        # (what is left of a lexeme may begin inside a character)
        text = f"<bytes: {store.describe(unpack(store, packed), 6)}>"
    if len(text) > MAX_TEXT and text.startswith("(") and " & " in text[:MAX_TEXT]:
        # (of what must hold together, the first)
        return text[1 : text.index(" & ")] + " & …"
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"


def lexeme_name(engine: Engine, number: int) -> str:
    """The name of a lexeme. If it has none, the text of its expression, cut off if it is long."""
    name = engine.lexemes[number].name
    if name:
        return name
    packed = engine.paused(lambda: pack(engine.store, engine.lexemes[number].expr))
    text = lexeme_text(packed, engine.limits)
    return text if len(text) <= MAX_NAME else text[:MAX_NAME] + "…"
