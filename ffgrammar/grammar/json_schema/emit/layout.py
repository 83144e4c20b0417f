# cython: language_level=3
"""Brackets, commas and colons, with the whitespace around them that is asked for."""

from __future__ import annotations

from copy import copy

from ffgrammar.grammar.ir import GrammarBuilder
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["KeysApart", "Layout"]


class KeysApart(Exception):
    """Some keys are checked, which happens where their lexeme ends: the schema has to be read anew, with colons apart.
    The lexemes of all other keys must end there, too, or the longer ones would win wherever both are allowed."""


class Layout:
    """The symbols of one grammar that are neither keys nor values.

    Attributes:
        fuses_keys: whether a key and its colon are one lexeme.
        line_break: what stands before the first item.
        last_break: what stands after the last one.
    """

    def __init__(self, builder: GrammarBuilder, store: ExprStore, options: Options, keys_apart: bool = False) -> None:
        self.fuses_keys = options.compact and not keys_apart
        self._builder = builder
        self._store = store
        comma, self._colon = options.marks
        self._before, _, self._after = comma.partition(",")
        self._indent = options.indent
        self.line_break = self.last_break = self._break()

    def _literal(self, text: str, check: int | None = None) -> int:
        return self._builder.terminal(self._store.literal(text.encode()), "separator", check=check)

    def _break(self, check: int | None = None) -> list[int]:
        """A line break and the spaces behind it, each of its own: one that is checked has to end at once."""
        if self._indent is None:
            return []
        line_break = self._builder.terminal(self._store.literal(b"\n"), "line break", check=check)
        if not self._indent:
            return [line_break]
        spaces = self._store.repeat(self._store.literal(b" " * self._indent), 1, None)
        return [line_break, self._builder.optional(self._builder.terminal(spaces, "indent"))]

    def checked(self, check: int) -> Layout:
        """The same, for arrays whose last items are checked before a line break ends them."""
        other = copy(self)
        other.last_break = self._break(check)
        return other

    def comma(self, check: int | None = None) -> int:
        """What stands between two items."""
        return self._builder.seq(self.comma_symbols(check), "comma")

    def comma_symbols(self, check: int | None = None) -> tuple[int, ...]:
        """The same, some of it terminals; the first of it is checked, for there the item ends."""
        if self._before:
            between = [self._literal(self._before, check), self._literal(",")]
        else:
            between = [self._literal(",", check)]
        if self._after:
            between.append(self._literal(self._after))
        return (*between, *self.line_break)

    def colon(self) -> int:
        """What stands between a key and its value."""
        return self._literal(self._colon)

    def enclosed(self, opening: int, body: tuple[int, ...], closing: int) -> tuple[int, ...]:
        """The symbols of a container; an empty one has no line break."""
        if not body:
            return (opening, closing)
        return (opening, *self.line_break, *body, *self.last_break, closing)
