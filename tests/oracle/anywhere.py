"""Grammars whose lexemes may end wherever they match, as they are defined.

A text is a sentence if it can be cut into lexemes that the start rule derives, with any number of skip lexemes before,
between and after them. A lexeme is a text that is not empty and that its expression matches. A lazy lexeme is such a
text of which no beginning is one.

This is a chart parser over the places of a text. A chart has the items of one place, and the lexemes that end there may
have begun at any place before. Nothing here competes, so there is no lexer. Nothing here imports the engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["SPECIAL", "AnywhereChart"]

# A text is a tuple of bytes and special tokens: ints below 256, and the ids of special tokens plus SPECIAL.
SPECIAL = 1000
Symbols = tuple[int, ...]
# A production, a dot, and the place where the production began.
Item = tuple[int, int, int]


class AnywhereChart:
    """The language of a grammar under "any".

    Args:
        grammar: a grammar as a front-end makes it for longest match, with skip lexemes.
    """

    def __init__(self, grammar: Any) -> None:
        self.grammar = grammar
        self.store = grammar.store
        self.rules = [(head, tuple(body)) for head, body in grammar.productions]
        self.useful = self.useful_productions()
        self.known: dict[Symbols, frozenset[Item]] = {}
        self.read: dict[tuple[int, Symbols], tuple[int, bool]] = {}
        self.runs: dict[Symbols, bool] = {(): True}
        self.ends: dict[tuple[int, Symbols], bool] = {}
        self.moves: dict[Symbols, dict[int, frozenset[Item]]] = {}

    def accepts(self, text: Symbols) -> bool:
        """Whether a text is a sentence."""
        start = self.grammar.start >> 1
        return any(
            self.is_skipped(text[end:])
            and any(
                self.rules[number] == (start, self.rules[number][1][:dot]) and begin == 0
                for number, dot, begin in items
            )
            for end, items in self.places(text)
        )

    def begins(self, text: Symbols) -> bool:
        """Whether some sentence begins with a text."""
        for place, items in self.places(text):
            if not items:
                continue
            if self.is_skipped(text[place:]):
                return True
            waiting = {symbol >> 1 for symbol in self.moved(text[:place]) if not symbol & 1}
            waiting |= {n for n, one in enumerate(self.grammar.lexemes) if one.skip}
            for begin in range(place, len(text)):
                if self.is_skipped(text[place:begin]) and any(self.goes_on(n, text[begin:]) for n in waiting):
                    return True
        return False

    def places(self, text: Symbols) -> list[tuple[int, frozenset[Item]]]:
        return [(place, self.items(text[:place])) for place in range(len(text) + 1)]

    # Lexemes

    def matches(self, lexeme: int, text: Symbols) -> bool:
        """Whether a text, not empty, is a lexeme."""
        expr, earlier = self.reading(lexeme, text)
        if self.grammar.lexemes[lexeme].tokens:
            return len(text) == 1 and text[0] - SPECIAL in self.grammar.lexemes[lexeme].tokens
        return bool(text) and expr >= 0 and self.store.is_nullable(expr) and not earlier

    def goes_on(self, lexeme: int, text: Symbols) -> bool:
        """Whether a lexeme begins with a text that is not empty, or is this text."""
        expr, earlier = self.reading(lexeme, text)
        if self.grammar.lexemes[lexeme].tokens:
            return self.matches(lexeme, text)
        return expr >= 0 and not earlier and not self.store.is_nothing(expr)

    def reading(self, lexeme: int, text: Symbols) -> tuple[int, bool]:
        """What is left of a lexeme after a text, -1 for nothing; and whether it is lazy and has ended before."""
        if not text:
            return self.grammar.lexemes[lexeme].expr, False
        key = (lexeme, text)
        if key not in self.read:
            expr, earlier = self.reading(lexeme, text[:-1])
            if self.grammar.lexemes[lexeme].lazy and len(text) > 1 and expr >= 0:
                earlier = earlier or self.store.is_nullable(expr)
            expr = -1 if expr < 0 or text[-1] >= 256 else self.store.derivative(expr, text[-1])
            self.read[key] = expr, earlier
        return self.read[key]

    def is_skipped(self, text: Symbols) -> bool:
        """Whether a text is any number of skip lexemes."""
        if text not in self.runs:
            self.runs[text] = any(
                self.is_skipped(text[:place]) and self.matches(number, text[place:])
                for place in range(len(text))
                for number, lexeme in enumerate(self.grammar.lexemes)
                if lexeme.skip
            )
        return self.runs[text]

    # Items

    def items(self, text: Symbols) -> frozenset[Item]:
        """The items after a text, where its last lexeme has just ended."""
        if text not in self.known:
            start = self.grammar.start >> 1
            found = {(number, 0, 0) for number in self.useful if self.rules[number][0] == start and not text}
            for place in range(len(text)):
                for symbol, after in self.moved(text[:place]).items():
                    if not symbol & 1 and self.is_last(symbol >> 1, text[place:]):
                        found |= after
            self.known[text] = self.closed(found, text)
        return self.known[text]

    def is_last(self, lexeme: int, text: Symbols) -> bool:
        """Whether a text is any number of skip lexemes, and then this lexeme."""
        key = (lexeme, text)
        if key not in self.ends:
            self.ends[key] = any(
                self.is_skipped(text[:begin]) and self.matches(lexeme, text[begin:]) for begin in range(len(text))
            )
        return self.ends[key]

    def moved(self, text: Symbols) -> dict[int, frozenset[Item]]:
        """By each symbol that items after a text wait for: these items, behind this symbol."""
        if text not in self.moves:
            self.moves[text] = self.behind(self.items(text))
        return self.moves[text]

    def behind(self, items: Iterable[Item]) -> dict[int, frozenset[Item]]:
        found: dict[int, set[Item]] = {}
        for number, dot, begin in items:
            for symbol in self.rules[number][1][dot : dot + 1]:
                found.setdefault(symbol, set()).add((number, dot + 1, begin))
        return {symbol: frozenset(after) for symbol, after in found.items()}

    def closed(self, items: set[Item], text: Symbols) -> frozenset[Item]:
        """Predict and complete until nothing is new."""
        before = -1
        while before != len(items):
            before = len(items)
            here = self.behind(items)
            for head, begin in {(self.rules[n][0], begin) for n, dot, begin in items if dot == len(self.rules[n][1])}:
                above = here if begin == len(text) else self.moved(text[:begin])
                items |= above.get(2 * head + 1, frozenset())
            for symbol, after in here.items():
                if symbol & 1:
                    items |= {(one, 0, len(text)) for one in self.useful if self.rules[one][0] == symbol >> 1}
                elif self.store.is_nullable(self.grammar.lexemes[symbol >> 1].expr):
                    items |= after
        return frozenset(items)

    def useful_productions(self) -> list[int]:
        """The productions that derive a text."""
        productive = {
            2 * number
            for number, lexeme in enumerate(self.grammar.lexemes)
            if lexeme.tokens or not self.store.is_nothing(lexeme.expr)
        }
        before = -1
        while before != len(productive):
            before = len(productive)
            productive |= {2 * head + 1 for head, body in self.rules if productive.issuperset(body)}
        return [number for number, (_, body) in enumerate(self.rules) if productive.issuperset(body)]
