"""Lexemes, and what is left of them, as text."""

from __future__ import annotations

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.show.characters import Characters
from ffgrammar.grammar.show.cuts import Cuts
from ffgrammar.grammar.show.terminals import TerminalText
from ffgrammar.regex.expr.packed import unpack
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["lexeme_text"]

MAX_TEXT = 80


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
        text = TerminalText(cuts, ["…"] * len(cuts.parts)).text(tree)
    except (UnsupportedError, LimitError):
        # (what is left of a lexeme may begin inside a character)
        text = f"<bytes: {store.describe(unpack(store, packed), 6)}>"
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
