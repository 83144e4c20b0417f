"""How the sentences of a grammar that becomes part of another one begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ffgrammar.grammar.edges import edge_lexemes
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.nullable import nullable_symbols
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["GrammarEdges", "grammar_edges"]


class GrammarEdges(NamedTuple):
    """How sentences begin and end.

    Attributes:
        first: the numbers of the lexemes with which one may begin, skips not included.
        ended: an expression for the lexemes that may come last, skips included.
        nullable: whether the empty text is one.
    """

    first: list[int]
    ended: int
    nullable: bool


def grammar_edges(grammar: GrammarIR, lexemes: Sequence[Lexeme], store: ExprStore) -> GrammarEdges:
    """How the sentences of a grammar begin and end.

    Args:
        grammar: the grammar.
        lexemes: its lexemes, with expressions in `store`.
        store: has the expressions.

    Raises:
        LimitError: a bound of the store was reached.
    """
    productions, empty, empty_lexemes = nullable_symbols(grammar, lexemes, store)
    start = grammar.start >> 1
    first, last = (edge_lexemes(productions, [start], empty, empty_lexemes, at_end) for at_end in (False, True))
    ending = {number for number, lexeme in enumerate(lexemes) if lexeme.skip}.union(last)
    ended = store.union([lexemes[number].expr for number in sorted(ending)])
    return GrammarEdges(first, ended, bool(empty[start]))
