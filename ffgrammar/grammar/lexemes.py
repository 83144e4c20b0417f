"""Expressions as symbols of a grammar, where an expression may also match the empty text, or nothing."""

from __future__ import annotations

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import Grammar, GrammarBuilder
from ffgrammar.regex.expr import EMPTY, ExprStore

__all__ = ["nonempty", "one_lexeme", "symbol_of"]


def nonempty(store: ExprStore, expr: int) -> int:
    """What the expression matches but for the empty text; lexemes must not match that."""
    return store.intersect([expr, store.complement(EMPTY)]) if store.is_nullable(expr) else expr


def symbol_of(builder: GrammarBuilder, expr: int, name: str = "", *, lazy: bool = False) -> int:
    """A symbol that derives exactly the texts of the expression."""
    store = builder.store
    if expr == EMPTY:
        return builder.seq([])
    if store.is_nothing(expr):
        return builder.choice([])
    if not store.is_nullable(expr):
        return builder.terminal(expr, name, lazy=lazy)
    rest = nonempty(store, expr)
    if store.is_nothing(rest):
        return builder.seq([])
    return builder.optional(builder.terminal(rest, name, lazy=lazy))


def one_lexeme(store: ExprStore, limits: Limits, expr: int, kind: str) -> Grammar:
    """The grammar of the texts that one expression matches.

    Raises:
        GrammarError: there are none.
    """
    if store.is_nothing(expr):
        raise GrammarError(f"this {kind} matches no text at all")
    builder = GrammarBuilder(store, limits)
    return builder.finish(symbol_of(builder, expr, kind), kind=kind, delimited=True)
