"""The regular-expression front-end: one lexeme, which the whole text must match."""

from __future__ import annotations

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexemes import one_lexeme
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower.lowering import lower
from ffgrammar.regex.syntax.parser import parse

__all__ = ["build"]


def build(
    pattern: str,
    store: ExprStore,
    limits: Limits,
    *,
    dialect: str = "rust",
    ignore_case: bool = False,
    dot_all: bool = False,
) -> GrammarIR:
    """The grammar of all texts that the pattern matches from end to end.

    Args:
        pattern: in the syntax of ffgrammar.regex.syntax.parser.
        dialect: "rust" or "ecma".
        ignore_case, dot_all: as if the pattern began with `(?i)`, `(?s)`.

    Raises:
        GrammarError: the pattern is wrong (`column` says where), or matches no text at all.
        UnsupportedError: look-around, back-references and what else is not regular.
        LimitError: the pattern is too long, too deep or too large.
    """
    node = parse(pattern, dialect, ignore_case=ignore_case, dot_all=dot_all, limits=limits)
    return one_lexeme(store, limits, lower(node, store), "regex")
