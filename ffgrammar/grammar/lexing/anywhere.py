"""Grammars without longest match: a lexeme may end wherever it matches, and every way to cut a text counts.

Where no lexemes clash (clashes.py), longest match means the same and is used. Otherwise lexemes do not compete: each
is in a group of its own. A lexeme that clashes with itself ends anywhere. Any other one ends where it cannot go on,
because nothing that follows it could begin before. (A lexeme that never goes on after a match ends with its last byte.)
"""

from __future__ import annotations

from dataclasses import replace

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.lexing.clashes import Clashes

__all__ = ["end_anywhere"]

NAME = "%ignore"


def end_anywhere(grammar: GrammarIR, skip: int | None, limits: Limits) -> GrammarIR:
    """The same grammar with lexemes that may end wherever they match. No text of it reaches a dead end.

    Args:
        grammar: the grammar. It has no skip lexemes and no checks.
        skip: an expression: runs of what may stand before, between and after its lexemes. None for nothing.
        limits: bounds of the grammar.

    Raises:
        LimitError: a bound was reached.
    """
    clashes = Clashes(grammar, skip)
    count = len(grammar.lexemes) + (skip is not None)
    alone = [clashes.clash(lexeme, lexeme) for lexeme in range(count)]
    if not any(alone) and next(clashes.pairs(), None) is None:
        lexemes = [lexeme.ending(0, False) for lexeme in grammar.lexemes]
        if skip is not None:
            lexemes.append(Lexeme(skip, NAME, skip=True))
        return replace(grammar, lexemes=tuple(lexemes), correct_prefix=True)
    builder = GrammarBuilder(grammar.store, limits)
    symbols = []
    for number, lexeme in enumerate(grammar.lexemes):
        if lexeme.tokens:
            symbols.append(builder.special(lexeme.tokens, lexeme.name))
            continue
        anywhere = not lexeme.lazy and (alone[number] or not clashes.goes_on(number, number))
        symbols.append(
            builder.terminal(
                lexeme.expr, lexeme.name, lazy=lexeme.lazy, opens=lexeme.opens, group=number + 1, anywhere=anywhere
            )
        )
    after = None
    if skip is not None:
        after = builder.optional(builder.terminal(skip, NAME, group=count, anywhere=alone[-1]))
    start = builder.embed(grammar, symbols, after)
    if after is not None:
        start = builder.seq([after, start])
    # (the nonterminals have the numbers that they had)
    return builder.finish(start, kind=grammar.kind, warnings=grammar.warnings, correct_prefix=True, notes=grammar.notes)
