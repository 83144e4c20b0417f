"""Which parts of a grammar derive a text at all; front-ends ask, to name the place where one does not."""

from __future__ import annotations

from ffgrammar.grammar.ir import Grammar

__all__ = ["productive"]


def productive(grammar: Grammar) -> list[bool]:
    """By nonterminal: whether it derives some text. Linear in the size of the productions.

    Raises:
        LimitError: it could not be decided whether a lexeme matches anything.
    """
    found = [False] * len(grammar.names)
    dead = {2 * number for number, lexeme in enumerate(grammar.lexemes) if grammar.store.is_nothing(lexeme.expr)}
    missing: list[int] = []
    waiting: dict[int, list[int]] = {}
    ready: list[int] = []
    for number, (lhs, rhs) in enumerate(grammar.productions):
        needed = {symbol for symbol in rhs if symbol & 1 or symbol in dead}
        missing.append(len(needed))
        for symbol in needed:
            waiting.setdefault(symbol, []).append(number)
        if not needed:
            ready.append(lhs)
    while ready:
        lhs = ready.pop()
        if found[lhs]:
            continue
        found[lhs] = True
        for number in waiting.get(2 * lhs + 1, ()):
            missing[number] -= 1
            if not missing[number]:
                ready.append(grammar.productions[number][0])
    return found
