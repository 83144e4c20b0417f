"""Which lexemes may follow each lexeme: the FIRST and FOLLOW sets of a grammar, with lexemes in place of characters.

A set of lexemes is an int, in which bit n stands for lexeme n. So a union of sets is one operation, and a grammar of a
thousand productions takes a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.grammar.derives import derives, usable_terminals
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.productions import Productions

__all__ = ["Follow"]


class Follow:
    """FIRST and FOLLOW sets. Skip lexemes of the grammar are not in them.

    Only productions that occur in a sentence count. A production with a condition on a parameter counts as if the
    condition held.

    Attributes:
        first: the lexemes with which a sentence may begin.
        after: by lexeme, those that may follow it.
        bodies: the productions that count: the number of a nonterminal and a right-hand side.
        empty: by nonterminal, a one if it derives the empty text.
        empty_lexemes: by lexeme, a one if it may be left out, because its expression matches the empty text.
    """

    def __init__(self, grammar: GrammarIR) -> None:
        productions = grammar.productions
        if grammar.templates:
            productions = Productions(productions)
            for one in grammar.templates:
                again = () if one.again is None else (2 * one.again + 1,)
                productions.append(one.head, (*one.rhs, *again))
        count = len(grammar.names)
        usable = usable_terminals(grammar)
        useful = derives(productions, count, usable)
        is_nullable = grammar.store.is_nullable
        self.empty_lexemes = bytearray(is_nullable(lexeme.expr) for lexeme in grammar.lexemes)
        self.empty = derives(productions, count, self.empty_lexemes)
        by_head: dict[int, list[Sequence[int]]] = {}
        for head, body in productions:
            if all((useful if symbol & 1 else usable)[symbol >> 1] for symbol in body):
                by_head.setdefault(head, []).append(body)
        self.bodies = _reached(by_head, grammar.start >> 1)
        self._firsts = self._first_sets(count)
        self.first = self._firsts[grammar.start >> 1]
        self.after = self._follow_sets(count, len(grammar.lexemes))

    def _first_sets(self, count: int) -> list[int]:
        firsts = [0] * count
        changed = True
        while changed:
            changed = False
            # (a rule is mostly used by those before it)
            for head, body in reversed(self.bodies):
                found = firsts[head]
                for symbol in body:
                    found |= firsts[symbol >> 1] if symbol & 1 else 1 << (symbol >> 1)
                    if not self.may_be_empty(symbol):
                        break
                if found != firsts[head]:
                    firsts[head] = found
                    changed = True
        return firsts

    def _follow_sets(self, count: int, lexemes: int) -> list[int]:
        follow = [0] * count
        after = [0] * lexemes
        changed = True
        while changed:
            changed = False
            for head, body in self.bodies:
                behind = follow[head]
                for symbol in reversed(body):
                    number = symbol >> 1
                    if symbol & 1:
                        if behind | follow[number] != follow[number]:
                            follow[number] |= behind
                            changed = True
                        begin = self._firsts[number]
                    else:
                        after[number] |= behind
                        begin = 1 << number
                    behind = begin | behind if self.may_be_empty(symbol) else begin
        return after

    def may_be_empty(self, symbol: int) -> bool:
        return bool((self.empty if symbol & 1 else self.empty_lexemes)[symbol >> 1])


def _reached(by_head: dict[int, list[Sequence[int]]], start: int) -> list[tuple[int, Sequence[int]]]:
    """The productions that are reached from a nonterminal."""
    order = [start]
    seen = {start}
    for head in order:
        for body in by_head.get(head, ()):
            for symbol in body:
                if symbol & 1 and symbol >> 1 not in seen:
                    seen.add(symbol >> 1)
                    order.append(symbol >> 1)
    return [(head, body) for head in order for body in by_head.get(head, ())]
