# cython: language_level=3, nonecheck=True
"""How the arrays of one shape are written. `ArrayStyle` writes plain arrays; unique.py has a style with checks."""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["ArrayStyle"]


class ArrayStyle:
    """The brackets and the comma of arrays, and the symbols of their items.

    Attributes:
        em: the symbols of the grammar.
        opening, closing: the brackets.
        comma: the symbol between two items.
        layout: what puts whitespace inside of the brackets.
    """

    def __init__(self, em: Symbols) -> None:
        self.em = em
        self.opening = em.left_bracket
        self.closing = em.right_bracket
        self.comma = em.comma
        self.layout = em.layout

    def comma_symbols(self) -> tuple[int, ...]:
        """The comma, and the line break after it, as symbols of their own."""
        return self.layout.comma_symbols(None)

    def item(self, conj: Conj, depth: int) -> int:
        """The symbol of the items that obey a conjunction, in an array at a depth; `em.never` if there are none."""
        return self.em.never if conj == NEVER else self.em.symbol(conj, depth + 1)

    def enclosed(self, body: tuple[int, ...]) -> tuple[int, ...]:
        """A list of items in brackets."""
        return self.layout.enclosed(self.opening, body, self.closing)
