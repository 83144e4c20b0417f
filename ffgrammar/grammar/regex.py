"""The front-end for regular expressions: a sentence is one lexeme, which the pattern matches from end to end."""

from __future__ import annotations

from ffgrammar.core.limits import Limits
from ffgrammar.core.path_hint import path_hint
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexemes import one_lexeme
from ffgrammar.grammar.source_text import check_source_text
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
        pattern: in the syntax of regex/syntax/parser.py.
        store: where its expression is made.
        limits: bounds on its cost.
        dialect: "rust" or "ecma".
        ignore_case, dot_all: as if the pattern began with `(?i)`, `(?s)`.

    Raises:
        GrammarError: the pattern is malformed (`column` says where), or it matches no text.
        UnsupportedError: it has look-around, back-references, an anchor that can fail, or something else that is
            not supported.
        LimitError: it is too long, nested too deep, or too large.
        ValueError: there is no such dialect.
    """
    check_source_text(pattern, "the pattern", limits)
    node = parse(pattern, dialect, ignore_case=ignore_case, dot_all=dot_all, limits=limits)
    warnings = [f"the pattern matches this one name{path_hint(pattern)}"] if pattern.endswith(".regex") else []
    return one_lexeme(store, limits, lower(node, store), "regex", warnings)
