"""Grammars of a single lexeme: what front-ends without rules build."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["one_lexeme"]


def one_lexeme(store: ExprStore, limits: Limits, expr: int, kind: str, warnings: Iterable[str] = ()) -> GrammarIR:
    """The grammar of the texts that an expression matches.

    Args:
        store: has the expression.
        limits: bounds of the grammar.
        expr: the expression.
        kind: what the front-end reads, such as "regex". It becomes `GrammarIR.kind`, and names the source in messages.
        warnings: those of the grammar.

    Raises:
        GrammarError: the expression matches no text.
        LimitError: whether it matches any text could not be decided within the limits.
    """
    if store.is_nothing(expr):
        raise GrammarError(f"this {kind} matches no text at all")
    builder = GrammarBuilder(store, limits)
    return builder.finish(builder.terminal(expr, kind), kind=kind, delimited=True, warnings=warnings)
