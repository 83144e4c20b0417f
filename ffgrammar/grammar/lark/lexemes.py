# cython: language_level=3
"""The lexemes of rules: the symbols of terminals, strings and other literals, and what may be skipped after them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.lark.imports import reached
from ffgrammar.grammar.lark.skips import Skips
from ffgrammar.grammar.lark.source import Definition, Op, Source
from ffgrammar.grammar.lark.special import declared_ids
from ffgrammar.grammar.lark.terminals import Terminals

__all__ = ["Lexemes"]


class Lexemes:
    """The lexemes of the rules of a source.

    Args:
        source: the definitions.
        builder: where lexemes are made.
        terminals: the expressions of terminals.
        special_tokens: the ids of the tokenizer's special tokens by name.
        start: the rule or terminal that a whole text matches.

    Attributes:
        lexemes: by the symbols of lexemes, the expression and whether it is lazy.
        skips: what may be skipped after each lexeme; None if the engine itself skips it.
        scope: the scope of the body that is read.
    """

    def __init__(
        self,
        source: Source,
        builder: GrammarBuilder,
        terminals: Terminals,
        special_tokens: Mapping[str, int],
        start: str,
    ) -> None:
        self.source = source
        self.builder = builder
        self.store = builder.store
        self.terminals = terminals
        self.special_tokens = special_tokens
        self.lexemes: dict[int, tuple[int, bool]] = {}
        self.skips: Skips | None = None
        self.scope = 0
        self._start = start
        # What the start uses, once it was asked for.
        self._needed: set[str] | None = None

    def terminal(self, terminal: Definition) -> int:
        if terminal.declared:
            if not self._is_needed(terminal):
                return self.builder.choice(())  # which matches nothing
            ids = declared_ids(self.source.texts, terminal, self.special_tokens)
            return self.followed(self.builder.special(ids, terminal.name))
        return self.lexeme(self.terminals.exprs[terminal.name], terminal.name, lazy=terminal.lazy)

    def _is_needed(self, terminal: Definition) -> bool:
        """Whether the start uses a terminal, perhaps through other rules."""
        if self._needed is None:
            self._needed = {one.name for one in reached(self.source, [self._start])}
        return terminal.name in self._needed

    def lexeme(self, expr: int, name: str, *, lazy: bool = False) -> int:
        symbol = self.builder.terminal(expr, name, lazy=lazy)
        self.lexemes[symbol] = (expr, lazy)
        return self.followed(symbol)

    def followed(self, symbol: int) -> int:
        """A symbol and what may be skipped after it, unless the engine itself skips it."""
        return symbol if self.skips is None else self.skips.follow(symbol, self.scope)

    def led(self, symbol: int, name: str) -> int:
        """The symbol of a rule; if it is a grammar inside this one, with what may be skipped around it."""
        scope = self.source.rules[name].scope
        if self.skips is None or scope == self.scope:
            return symbol
        return self.followed(self.skips.lead(symbol, scope))

    def literal(self, op: Op) -> int:
        """The symbol of a regular expression, a range or the like."""
        return self.lexeme(self.terminals.whole(Definition("", op.offset, (op,))), _written(op))

    def takes_text(self, op: Op) -> bool:
        """Whether a step is a lexeme that is never empty."""
        if op.code == "text":
            return bool(op.argument[0])
        if op.code == "name":
            expr = self.terminals.exprs.get(op.argument)
            return expr is not None and not self.store.is_nullable(expr)
        return op.code == "range"


def _written(op: Op) -> str:
    """A literal for messages, nearly as it was written."""
    if op.code == "regex":
        pattern, flags = op.argument
        return f"/{pattern}/{flags}"
    if op.code == "pieces":
        return "%regex"
    if op.code == "common":
        return str(op.argument)
    if op.code == "range":
        return f"{json.dumps(chr(op.argument[0]))}..{json.dumps(chr(op.argument[1]))}"
    return json.dumps(op.argument[0]) + "i"
