"""Brackets, commas and colons, with the whitespace around them that is asked for."""

from __future__ import annotations

from ffgrammar.grammar.ir import GrammarBuilder
from ffgrammar.grammar.json_schema.options import Options
from ffgrammar.regex.expr import ExprStore

__all__ = ["Layout"]


class Layout:
    """The symbols of one grammar that are neither keys nor values.

    Attributes:
        compact: whether no whitespace may stand anywhere.
        line_break: what stands before the first item and after the last one.
    """

    def __init__(self, builder: GrammarBuilder, store: ExprStore, options: Options) -> None:
        self.compact = options.compact
        self._builder = builder
        self._store = store
        comma, self._colon = options.marks
        before, _, after = comma.partition(",")
        self._before = [self._literal(before)] if before else []
        self._after = [self._literal(after)] if after else []
        self.line_break: list[int] = []
        if options.indent is not None:
            spaces = store.repeat(store.literal(b" " * options.indent), 0, None)
            self.line_break = [builder.terminal(store.concat([store.literal(b"\n"), spaces]), "line break")]

    def _literal(self, text: str) -> int:
        return self._builder.terminal(self._store.literal(text.encode()), "separator")

    def comma(self, check: int | None = None) -> int:
        """What stands between two items."""
        return self._builder.seq(self.comma_symbols(check), "comma")

    def comma_symbols(self, check: int | None = None) -> tuple[int, ...]:
        """The same as terminals."""
        comma = self._builder.terminal(self._store.literal(b","), check=check)
        return (*self._before, comma, *self._after, *self.line_break)

    def colon(self) -> int:
        """What stands between a key and its value."""
        return self._literal(self._colon)

    def enclosed(self, opening: int, body: tuple[int, ...], closing: int) -> tuple[int, ...]:
        """The symbols of a container; an empty one has no line break."""
        if not body:
            return (opening, closing)
        return (opening, *self.line_break, *body, *self.line_break, closing)
