"""Which nonterminals and lexemes of a grammar are nullable: they derive the empty text."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.grammar.derives import derives
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["nullable_symbols"]


def nullable_symbols(
    grammar: GrammarIR, lexemes: Iterable[Lexeme], store: ExprStore
) -> tuple[Productions, bytearray, bytearray]:
    """The nullable symbols of a grammar.

    A template counts as a production, which may ask for less. So a nonterminal may count as nullable that is not.

    Args:
        grammar: the grammar.
        lexemes: its lexemes, with expressions in `store`.
        store: has the expressions.

    Returns:
        The productions, those of templates included; by nonterminal, a one if it is nullable; the same by lexeme.
    """
    productions = grammar.productions
    if grammar.templates:
        productions = Productions(productions)
        for one in grammar.templates:
            again = () if one.again is None else (2 * one.again + 1,)
            productions.append(one.head, (*one.rhs, *again))
    empty_lexemes = bytearray(store.is_nullable(lexeme.expr) for lexeme in lexemes)
    return productions, derives(productions, len(grammar.names), empty_lexemes), empty_lexemes
