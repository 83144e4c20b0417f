# cython: language_level=3
"""Commas, colons and line breaks, with the whitespace that `separators` and `indent` put around them."""

from __future__ import annotations

from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["KeysApart", "Layout"]


class KeysApart(Exception):
    """Some keys are checked, so the schema has to be emitted again with each colon as a lexeme of its own.

    The check is that a key is new in its object. It happens at the end of the lexeme of the key, so this lexeme must
    not include the colon. The lexeme of a key that is not checked must not include the colon either: where keys of both
    kinds are allowed, the longer lexeme would win.
    """


class Layout:
    """The symbols of commas, colons and line breaks in one grammar.

    Attributes:
        fuses_keys: whether a key and its colon are one lexeme.
        line_break: the symbols of the line break before each item of a container, and of the spaces after this line
            break; empty without `indent`.
        last_break: the same for the line break after the last item of a container.
    """

    def __init__(
        self,
        builder: GrammarBuilder,
        store: ExprStore,
        options: Options,
        keys_apart: bool = False,
        check: int | None = None,
    ) -> None:
        """check: the check of the line break after the last item of a container, or None."""
        self.fuses_keys = options.compact and not keys_apart
        self._builder = builder
        self._store = store
        self._options = options
        self._keys_apart = keys_apart
        self._before, _, self._after = options.marks[0].partition(",")
        self.line_break = self._break()
        self.last_break = self._break(check)

    def _literal(self, text: str, check: int | None = None) -> int:
        return self._builder.terminal(self._store.literal(text.encode()), "separator", check=check)

    def _break(self, check: int | None = None) -> list[int]:
        """The symbols of a line break and of the spaces after it; none without `indent`.

        They are two lexemes: a check happens at the end of a lexeme, and must not wait for the spaces.
        """
        indent = self._options.indent
        if indent is None:
            return []
        line_break = self._builder.terminal(self._store.literal(b"\n"), "line break", check=check)
        if not indent:
            return [line_break]
        spaces = self._store.repeat(self._store.literal(b" " * indent), 1, None)
        return [line_break, self._builder.optional(self._builder.terminal(spaces, "indent"))]

    def checked(self, check: int) -> Layout:
        """The layout of arrays in which the line break after the last item has a check."""
        return Layout(self._builder, self._store, self._options, self._keys_apart, check)

    def comma(self, check: int | None = None) -> int:
        """The symbol between two items."""
        return self._builder.seq(self.comma_symbols(check), "comma")

    def comma_symbols(self, check: int | None = None) -> tuple[int, ...]:
        """The symbols between two items. The first one is a terminal and has the check: the item ends there."""
        if self._before:
            between = [self._literal(self._before, check), self._literal(",")]
        else:
            between = [self._literal(",", check)]
        if self._after:
            between.append(self._literal(self._after))
        return (*between, *self.line_break)

    def colon(self) -> int:
        """The symbol between a key and its value."""
        return self._literal(self._options.marks[1])

    def enclosed(self, opening: int, body: tuple[int, ...], closing: int) -> tuple[int, ...]:
        """The symbols of a container. An empty one has no line break."""
        if not body:
            return (opening, closing)
        return (opening, *self.line_break, *body, *self.last_break, closing)
