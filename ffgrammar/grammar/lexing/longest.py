"""Reads a text by the rule of contextual longest match, slowly, and tells what the lexer takes.

This is the rule of docs/lexing.md as it is written, over an Earley chart with one column for each lexeme.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexing.follow import Follow
from ffgrammar.grammar.lexing.work import Work

__all__ = ["SPECIAL", "Longest", "Reading", "Step"]

# A text is a list of ints: bytes, and SPECIAL plus the id of a special token.
SPECIAL = 256

# A production, a dot, and the column where the production began.
_Item = tuple[int, int, int]


class Step(NamedTuple):
    """What the lexer takes at one place.

    Attributes:
        begin: the place.
        end: where it stops.
        taken: the lexemes that can take all these bytes, or are this special token. They need not end there.
    """

    begin: int
    end: int
    taken: set[int]


class Reading(NamedTuple):
    """How a text is read.

    Attributes:
        steps: what the lexer takes. The last step may be one at which no lexeme ends, or which the parser cannot use.
        accepted: whether the text is a sentence.
    """

    steps: list[Step]
    accepted: bool


class Longest:
    """The lexer and the parser of a grammar.

    Args:
        grammar: the grammar.
        follow: has its productions.
        work: what reading may cost.
    """

    def __init__(self, grammar: GrammarIR, follow: Follow, work: Work) -> None:
        self._work = work
        self._grammar = grammar
        self._store = grammar.store
        self._follow = follow
        self._by_head: dict[int, list[int]] = {}
        for number, (head, _) in enumerate(follow.bodies):
            self._by_head.setdefault(head, []).append(number)
        self._skips = [number for number, lexeme in enumerate(grammar.lexemes) if lexeme.skip]

    def read(self, text: Sequence[int]) -> Reading:
        """Read a text.

        Raises:
            TooMuchWorkError: the budget is spent.
        """
        start = self._by_head.get(self._grammar.start >> 1, [])
        columns: list[set[_Item]] = []
        self._add(columns, {(number, 0, 0) for number in start})
        steps: list[Step] = []
        place = 0
        while place < len(text):
            step, found = self._step(columns[-1], text, place)
            steps.append(step)
            place = step.end
            self._work.take(len(columns[-1]))
            items = {
                (number, dot + 1, begin)
                for number, dot, begin in columns[-1]
                for symbol in self._follow.bodies[number][1][dot : dot + 1]
                if not symbol & 1 and symbol >> 1 in found
            }
            if any(self._grammar.lexemes[number].skip for number in found):
                items |= columns[-1]
            if not items:
                return Reading(steps, False)
            self._add(columns, items)
        whole = {(number, len(self._follow.bodies[number][1]), 0) for number in start}
        return Reading(steps, not whole.isdisjoint(columns[-1]))

    def _step(self, column: set[_Item], text: Sequence[int], place: int) -> tuple[Step, set[int]]:
        """What the lexer takes at a place, and the lexemes that end where it stops."""
        lexemes, store, bodies = self._grammar.lexemes, self._store, self._follow.bodies
        expected = {bodies[number][1][dot] for number, dot, _ in column if dot < len(bodies[number][1])}
        usable = {symbol >> 1 for symbol in expected if not symbol & 1}
        if text[place] >= SPECIAL:
            found = {number for number in usable if text[place] - SPECIAL in lexemes[number].tokens}
            return Step(place, place + 1, found), found
        alive = {number: lexemes[number].expr for number in usable.union(self._skips)}
        begin = place
        while place < len(text) and text[place] < SPECIAL:
            self._work.take(len(alive))
            after = {number: store.derivative(expr, text[place]) for number, expr in alive.items()}
            after = {number: expr for number, expr in after.items() if not store.is_nothing(expr)}
            if not after:
                break
            alive = after
            place += 1
            if any(lexemes[number].lazy and store.is_nullable(expr) for number, expr in alive.items()):
                break
        if place == begin:
            return Step(begin, begin, set()), set()
        return Step(begin, place, set(alive)), {number for number, expr in alive.items() if store.is_nullable(expr)}

    def _add(self, columns: list[set[_Item]], items: set[_Item]) -> None:
        """Add a column: some items, and what they predict and complete."""
        bodies = self._follow.bodies
        column = set(items)
        columns.append(column)
        waiting = list(items)
        here = len(columns) - 1

        def add(item: _Item) -> None:
            if item not in column:
                column.add(item)
                waiting.append(item)

        while waiting:
            self._work.take(1)
            number, dot, begin = waiting.pop()
            head, body = bodies[number]
            if dot == len(body):
                self._work.take(len(columns[begin]))
                for other, at, start in list(columns[begin]):
                    if bodies[other][1][at : at + 1] == (2 * head + 1,):
                        add((other, at + 1, start))
                continue
            symbol = body[dot]
            if symbol & 1:
                predicted = self._by_head.get(symbol >> 1, ())
                self._work.take(len(predicted))
                for other in predicted:
                    add((other, 0, here))
            if self._follow.may_be_empty(symbol):
                add((number, dot + 1, begin))
