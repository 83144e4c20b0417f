"""What %ignore skips, in each grammar of a text.

Mostly there is one %ignore for the whole text, and the engine itself skips what it matches. It cannot do so where
different things may be skipped in different parts of a grammar: inside a JSON value, in a grammar inside another one
(`%lark {`), before the first lexeme, or after another skip. Then what may be skipped follows each lexeme as a part of
the productions.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.lark.source import Definition, Source
from ffgrammar.grammar.lark.terminals import Terminals
from ffgrammar.grammar.lexing import first_matches

__all__ = ["Skip", "Skips"]


class Skip(NamedTuple):
    """An %ignore: its expression, its name, and whether it is lazy."""

    expr: int
    name: str
    lazy: bool


class Skips:
    """What is skipped in the scopes of a source.

    Args:
        source: the definitions.
        builder: where lexemes and productions are added.
        terminals: the expressions of terminals.
        anywhere: whether a lexeme may end wherever it matches.
        has_schemas: whether rules have schemas.

    Attributes:
        written: whether the productions say what may be skipped.
        whole: what is skipped in the text itself.
    """

    def __init__(
        self, source: Source, builder: GrammarBuilder, terminals: Terminals, anywhere: bool, has_schemas: bool
    ) -> None:
        self._builder = builder
        self._anywhere = anywhere
        self._scopes = source.scopes
        self._skips = [
            [_skip(source, terminals, definition) for definition in scope.ignored] for scope in source.scopes
        ]
        self.whole = self._skips[0]
        kinds = {(frozenset(skips), scope.once) for skips, scope in zip(self._skips, self._scopes, strict=True)}
        self._alike = len(kinds) == 1
        # (the engine's own bound on skips does not tell a skip from a terminal that matches the same text)
        limited = any(scope.once or not scope.initial for scope in self._scopes) and any(self._skips)
        self.written = has_schemas or not self._alike or limited
        # By scope, the symbol of what may be skipped after a lexeme, or None; and the lexemes of the first scope.
        self._after = [self._made(number) for number in range(len(self._scopes))] if self.written else []
        self.lexemes: list[int] = []
        if self.written and not anywhere:
            self.lexemes = [builder.terminal(one.expr, one.name, lazy=one.lazy) for one in self.whole]

    def follow(self, symbol: int, scope: int) -> int:
        """A symbol with what may be skipped after it."""
        after = self._after[scope]
        return symbol if after is None else self._builder.seq([symbol, after])

    def lead(self, symbol: int, scope: int) -> int:
        """The symbol of a whole text, with what may be skipped before it."""
        after = self._after[scope] if self.written else None
        return symbol if after is None or not self._scopes[scope].initial else self._builder.seq([after, symbol])

    @property
    def are_repeated(self) -> bool:
        """Whether any number of the same skips may follow each lexeme of the text."""
        return self._alike and not self._scopes[0].once

    @property
    def run(self) -> int | None:
        """The expression of what may be skipped at one place of the text, or None."""
        return self._run(0)

    def _run(self, scope: int) -> int | None:
        store = self._builder.store
        if not self._skips[scope]:
            return None
        one = store.union([first_matches(store, skip.expr) if skip.lazy else skip.expr for skip in self._skips[scope]])
        return one if self._scopes[scope].once else store.repeat(one, 1, None)

    def _made(self, scope: int) -> int | None:
        builder = self._builder
        if not self._skips[scope]:
            return None
        if self._anywhere:
            run = self._run(scope)
            assert run is not None
            return builder.optional(builder.terminal(run, "%ignore"))
        symbols = [builder.terminal(one.expr, one.name, lazy=one.lazy) for one in self._skips[scope]]
        one = builder.choice(symbols)
        return builder.optional(one) if self._scopes[scope].once else builder.star(one)


def _skip(source: Source, terminals: Terminals, definition: Definition) -> Skip:
    alone = definition.body[0] if len(definition.body) == 1 else None
    terminal = source.terminals.get(alone.argument) if alone is not None and alone.code == "name" else None
    lazy = terminal is not None and terminal.lazy
    name = "%ignore" if terminal is None else terminal.name
    return Skip(terminals.exprs[name] if lazy else terminals.whole(definition), name, lazy)
