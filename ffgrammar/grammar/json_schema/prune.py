"""Takes out of a grammar what can never be part of a sentence: an unsatisfiable subschema leaves no trace."""

from __future__ import annotations

from dataclasses import replace

from ffgrammar.grammar.ir import Grammar
from ffgrammar.grammar.productive import productive

__all__ = ["prune"]


def prune(grammar: Grammar) -> Grammar | None:
    """The grammar without productions that derive nothing or are out of reach; None when nothing is left."""
    derives = productive(grammar)
    if not derives[grammar.start >> 1]:
        return None
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for lhs, rhs in grammar.productions:
        if all([derives[symbol >> 1] for symbol in rhs if symbol & 1]):
            bodies.setdefault(lhs, []).append(rhs)
    nonterminals = {grammar.start >> 1: 0}
    terminals: dict[int, int] = {}
    kept: list[tuple[int, tuple[int, ...]]] = []
    # nonterminals are numbered as they are met, and read in that order
    order = [grammar.start >> 1]
    for lhs in order:
        for rhs in bodies[lhs]:
            new = []
            for symbol in rhs:
                if symbol & 1:
                    number = nonterminals.get(symbol >> 1)
                    if number is None:
                        number = nonterminals[symbol >> 1] = len(order)
                        order.append(symbol >> 1)
                    new.append(2 * number + 1)
                else:
                    new.append(2 * terminals.setdefault(symbol >> 1, len(terminals)))
            kept.append((nonterminals[lhs], tuple(new)))
    for number, lexeme in enumerate(grammar.lexemes):
        if lexeme.skip:
            terminals.setdefault(number, len(terminals))
    return replace(
        grammar,
        lexemes=tuple([grammar.lexemes[number] for number in terminals]),
        productions=tuple(kept),
        names=tuple([grammar.names[number] for number in order]),
        start=1,
    )
