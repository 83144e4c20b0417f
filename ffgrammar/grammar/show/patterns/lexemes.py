"""The lexemes of a grammar as trees, for all notations."""

from __future__ import annotations

from dataclasses import replace

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.productive import productive
from ffgrammar.grammar.show.patterns.characters import Characters
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.syntax.parser import Node

__all__ = ["check_sayable", "copied", "lexeme_label", "refusal", "tree_of"]

CHECKS = {"unique": "items that must all differ", "repeated": "items of which two must be equal", "new key": "new keys"}


def copied(grammar: GrammarIR) -> GrammarIR:
    """The same grammar with a store of its own. No other thread may make expressions in its store meanwhile."""
    store = ExprStore(grammar.store.limits)
    store.start_from(grammar.store)
    store.memo.clear()
    return replace(grammar, store=store)


def lexeme_label(lexeme: Lexeme, number: int) -> str:
    """What messages call a lexeme."""
    return lexeme.name or f"number {number}"


def refusal(notation: str, lexeme: Lexeme, number: int, why: str) -> UnsupportedError:
    """The error that a notation cannot say a lexeme."""
    return UnsupportedError(f"{notation} cannot say the lexeme {lexeme_label(lexeme, number)}: {why}")


def check_sayable(grammar: GrammarIR, notation: str) -> None:
    """Refuse what neither Lark's notation nor GBNF can say.

    Raises:
        UnsupportedError: the grammar compares items or keys, has `%indenter` or `%words`, or no text matches it.
    """
    if grammar.skips_in:
        raise UnsupportedError(f"{notation} cannot say where lines are joined: the grammar has %indenter")
    if grammar.words:
        raise UnsupportedError(f"{notation} cannot say that lexemes end at the ends of words: the grammar has %words")
    if grammar.checks:
        what = " and ".join(CHECKS[kind] for kind in grammar.checks)
        raise UnsupportedError(f"{notation} cannot compare values in a text: the grammar has {what}")
    if not productive(grammar)[grammar.start >> 1]:
        raise UnsupportedError(f"{notation} cannot say a grammar that no text matches")
    if grammar.single_skip:
        # What is skipped is written out after each lexeme, so no lexeme may be missing.
        for number, lexeme in enumerate(grammar.lexemes):
            if not lexeme.tokens and grammar.store.is_nullable(lexeme.expr):
                raise refusal(
                    notation, lexeme, number, "it may be empty, and only one skip may stand between two lexemes"
                )


def tree_of(notation: str, grammar: GrammarIR, characters: Characters, number: int) -> Node:
    """The tree of a lexeme.

    Raises:
        UnsupportedError: it cannot be written over characters.
    """
    lexeme = grammar.lexemes[number]
    try:
        return characters.tree(lexeme.expr)
    except UnsupportedError as error:
        raise refusal(notation, lexeme, number, error.message) from None
