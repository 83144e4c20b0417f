"""Takes out of a grammar what can never be part of a sentence: an unsatisfiable subschema leaves no trace."""

from __future__ import annotations

from dataclasses import replace

from ffgrammar.grammar.ir import Grammar

__all__ = ["prune"]


def prune(grammar: Grammar) -> Grammar | None:
    """The grammar without productions that derive nothing or are out of reach; None when nothing is left."""
    productive = _productive(grammar)
    if not productive[grammar.start >> 1]:
        return None
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for lhs, rhs in grammar.productions:
        if all([productive[symbol >> 1] for symbol in rhs if symbol & 1]):
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


def _productive(grammar: Grammar) -> list[bool]:
    """Which nonterminals derive some text; every production is looked at once for each nonterminal in it."""
    productive = [False] * len(grammar.names)
    missing: list[int] = []
    waiting: dict[int, list[int]] = {}
    ready: list[int] = []
    for number, (lhs, rhs) in enumerate(grammar.productions):
        needed = {symbol >> 1 for symbol in rhs if symbol & 1}
        missing.append(len(needed))
        for symbol in needed:
            waiting.setdefault(symbol, []).append(number)
        if not needed:
            ready.append(lhs)
    while ready:
        found = ready.pop()
        if productive[found]:
            continue
        productive[found] = True
        for number in waiting.get(found, ()):
            missing[number] -= 1
            if not missing[number]:
                ready.append(grammar.productions[number][0])
    return productive
