"""Grammars whose last lexeme ends anywhere.

A grammar that is lexed by longest match keeps this rule as a part. But its last lexeme ends where the part ends, and
what follows is not its text any more. So each nonterminal gets a twin for the end of a text. The twin derives the same
texts but the empty one, and its last lexeme is another one, which ends anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.composition.leaves import Leaf
from ffgrammar.grammar.nullable import nullable_symbols

__all__ = ["OpenEnd"]


class OpenEnd:
    """Adds the twins of a leaf to a composition.

    Args:
        builder: the composition, which has the leaf's productions already.
        leaf: the leaf. It has no templates.
        symbols: by lexeme, its symbol.
        last: by lexeme, the symbol of the lexeme where it is the last: it ends anywhere, if it could go on.
        after: the symbol of what may follow each lexeme, any number of skips; None for nothing.
        start: the symbol of the leaf.
    """

    def __init__(
        self,
        builder: GrammarBuilder,
        leaf: Leaf,
        symbols: Sequence[int],
        last: Sequence[int],
        after: int | None,
        start: int,
    ) -> None:
        assert leaf.grammar is not None
        self.builder = builder
        self.symbols = symbols
        self.last = last
        self.after = after
        self.start = leaf.grammar.start >> 1
        # what is added to the symbol of a nonterminal of the leaf
        self.shift = start - leaf.grammar.start
        productions, self.empty, self.empty_lexemes = nullable_symbols(leaf.grammar, leaf.lexemes, builder.store)
        self.bodies: dict[int, list[Sequence[int]]] = {}
        for head, body in productions:
            self.bodies.setdefault(head, []).append(body)
        skips = [end for end, lexeme in zip(last, leaf.lexemes, strict=True) if lexeme.skip]
        self.last_skips = None if after is None else builder.seq([after, builder.choice(skips)])
        self.twins: dict[int, int] = {}
        self.waiting: list[int] = []

    def symbol(self) -> int:
        """The symbol of the leaf with an open end."""
        builder = self.builder
        whole = [self.twin(self.start)]
        while self.waiting:
            nonterminal = self.waiting.pop()
            for body in self.bodies.get(nonterminal, ()):
                for ending in self.endings(body):
                    builder.add(self.twins[nonterminal], ending)
        if self.after is not None:
            whole = [builder.seq([self.after, *whole])]
        if self.empty[self.start]:
            whole.append(builder.seq([]))
            if self.last_skips is not None:
                whole.append(self.last_skips)
        return builder.choice(whole)

    def twin(self, nonterminal: int) -> int:
        if nonterminal not in self.twins:
            self.twins[nonterminal] = self.builder.nonterminal("end")
            self.waiting.append(nonterminal)
        return self.twins[nonterminal]

    def endings(self, body: Sequence[int]) -> list[list[int]]:
        """The bodies that end with the last lexeme of a text of `body`, one for each symbol that may have it."""
        found = []
        before: list[list[int]] = [[]]
        for symbol in body:
            before.append(before[-1] + self.inner(symbol))
        for number in range(len(body) - 1, -1, -1):
            symbol = body[number]
            if symbol & 1:
                found.append([*before[number], self.twin(symbol >> 1)])
            else:
                found.append([*before[number], self.last[symbol >> 1]])
                if self.last_skips is not None:
                    found.append([*before[number], self.symbols[symbol >> 1], self.last_skips])
            if not (self.empty if symbol & 1 else self.empty_lexemes)[symbol >> 1]:
                break
        return found

    def inner(self, symbol: int) -> list[int]:
        """A symbol of the leaf as symbols of the composition."""
        if symbol & 1:
            return [symbol + self.shift]
        if self.after is None:
            return [self.symbols[symbol >> 1]]
        return [self.symbols[symbol >> 1], self.after]
