"""Which parts of a grammar derive a text at all; front-ends ask, to name the place where one does not."""

from __future__ import annotations

from ffgrammar.grammar.ir import Grammar

__all__ = ["productive"]


def productive(grammar: Grammar) -> list[bool]:
    """By nonterminal: whether it derives some text. Linear in the size of the productions.

    Raises:
        LimitError: it could not be decided whether a lexeme matches anything.
    """
    productions, nonterminals = _productions(grammar)
    found = [False] * nonterminals
    dead = {2 * number for number, lexeme in enumerate(grammar.lexemes) if grammar.store.is_nothing(lexeme.expr)}
    missing: list[int] = []
    waiting: dict[int, list[int]] = {}
    ready: list[int] = []
    for number, (lhs, rhs) in enumerate(productions):
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
                ready.append(productions[number][0])
    return found[: len(grammar.names)]


def _productions(grammar: Grammar) -> tuple[list[tuple[int, tuple[int, ...]]], int]:
    """All productions, whatever their conditions, and the number of nonterminals in them.

    A template that needs bits is there only if each can be set: a nonterminal of its own says so for each bit.
    """
    productions = list(grammar.productions)
    if not grammar.templates:
        return productions, len(grammar.names)
    setters: dict[tuple[int, int], int] = {}
    for one in grammar.templates:
        if one.again is not None and one.bit is not None:
            setter = setters.setdefault((one.again, one.bit), len(grammar.names) + len(setters))
            productions.append((setter, one.rhs))
    for one in grammar.templates:
        bits = [bit for bit in range(one.need.bit_length()) if one.need >> bit & 1]
        if all((one.head, bit) in setters for bit in bits):
            again = () if one.again is None else (2 * one.again + 1,)
            needed = [2 * setters[one.head, bit] + 1 for bit in bits]
            productions.append((one.head, (*one.rhs, *again, *needed)))
    return productions, len(grammar.names) + len(setters)
