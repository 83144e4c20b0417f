"""Symbols that have a hole: what stands before the hole and behind it.

A level of a chain (see chains.py) is a symbol with a hole, a nonterminal without productions, where the next level
belongs. If each text of the symbol has at most one hole, and what stands before it does not depend on what stands
behind it, n such levels inside each other take log(n) productions.
"""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.json_schema.emit.members import Body

__all__ = ["Around", "Holed"]


class Around(NamedTuple):
    """The texts of a symbol with a hole.

    Attributes:
        before, behind: the symbols before the hole and behind it; None: no text has a hole.
        free: a symbol for the texts that have no hole; None: there are none.
    """

    before: Body | None
    behind: Body
    free: int | None


class Holed:
    """The symbols with a hole.

    Args:
        builder: the builder of the grammar.
        hole: the hole. It must be new, so that no production has it yet.
    """

    def __init__(self, builder: GrammarBuilder, hole: int) -> None:
        self.hole = hole
        self._builder = builder
        self._seen = len(builder.productions)
        self._seen_templates = len(builder.templates)
        # the nonterminals with a parameter
        self._parametric: set[int] = set()
        # by nonterminal: its productions
        self._bodies: dict[int, list[Body]] = {}
        # the nonterminals from which the hole can be reached
        self._holed: set[int] = {hole}
        self._around: dict[int, Around | None] = {}

    def around(self, symbol: int) -> Around | None:
        """What stands around the hole in a symbol; None if this cannot be said so simply."""
        self._read()
        return self._find(symbol, set())

    def copied(self, symbol: int, following: int) -> int:
        """A symbol, whose size was asked for, with another one in place of the hole."""
        return self._copy(symbol, {self.hole: following})

    def size(self, symbol: int) -> int:
        """How many productions a copy of a symbol takes; 0 if it has no hole."""
        self._read()
        if symbol not in self._holed:
            return 0
        todo, met = [symbol], {symbol}
        while todo:
            for body in self._bodies.get(todo.pop(), ()):
                more = self._holed.intersection(body) - met
                met |= more
                todo.extend(more)
        return sum([len(self._bodies.get(one, ())) for one in met]) or 1

    def _copy(self, symbol: int, made: dict[int, int]) -> int:
        if symbol not in self._holed:
            return symbol
        found = made.get(symbol)
        if found is None:
            found = made[symbol] = self._builder.nonterminal("value")
            for body in self._bodies[symbol]:
                self._builder.add(found, [self._copy(one, made) for one in body])
        return found

    def _read(self) -> None:
        """Read the productions that were made since the last time."""
        productions = self._builder.productions
        for index in range(self._seen, len(productions)):
            head, body = productions[index]
            self._bodies.setdefault(2 * head + 1, []).append(body)
        self._seen = len(productions)
        templates = self._builder.templates
        for one in templates[self._seen_templates :]:
            again = () if one.again is None else (2 * one.again + 1,)
            self._bodies.setdefault(2 * one.head + 1, []).append((*one.rhs, *again))
            self._parametric.add(2 * one.head + 1)
        self._seen_templates = len(templates)
        grown = True
        while grown:
            grown = False
            for symbol, bodies in self._bodies.items():
                if symbol not in self._holed and any([not self._holed.isdisjoint(body) for body in bodies]):
                    self._holed.add(symbol)
                    grown = True

    def _find(self, symbol: int, underway: set[int]) -> Around | None:
        if symbol == self.hole:
            return Around((), (), None)
        if symbol not in self._holed:
            return Around(None, (), symbol)
        if symbol not in self._around:
            if symbol in underway or symbol in self._parametric:
                return None
            self._around[symbol] = self._united(symbol, {*underway, symbol})
        return self._around[symbol]

    def _united(self, symbol: int, underway: set[int]) -> Around | None:
        """What stands around the hole in the productions of a nonterminal."""
        found = []
        loops = []
        for body in self._bodies[symbol]:
            holed = [index for index, one in enumerate(body) if one in self._holed]
            if len(holed) > 1:
                return None
            if holed and body[holed[0]] == symbol:
                if holed[0]:
                    return None
                loops.append(body[1:])
                continue
            if holed:
                at = holed[0]
                one = self._find(body[at], underway)
                if one is None:
                    return None
                found.append(self._with(body[:at], one, body[at + 1 :]))
            else:
                found.append(Around(None, (), self._builder.seq(body)))
        around = self._choice(found)
        if around is None or not loops:
            return around
        builder = self._builder
        return self._with((), around, (builder.star(builder.choice([builder.seq(loop) for loop in loops])),))

    def _with(self, before: Body, one: Around, behind: Body) -> Around:
        free = None if one.free is None else self._builder.seq((*before, one.free, *behind))
        if one.before is None:
            return Around(None, (), free)
        return Around((*before, *one.before), (*one.behind, *behind), free)

    def _choice(self, found: list[Around]) -> Around | None:
        builder = self._builder
        frees = [one.free for one in found if one.free is not None]
        free = builder.choice(frees) if frees else None
        pairs = list(dict.fromkeys([(one.before, one.behind) for one in found if one.before is not None]))
        befores = list(dict.fromkeys([before for before, _ in pairs]))
        behinds = list(dict.fromkeys([behind for _, behind in pairs]))
        if not pairs:
            return Around(None, (), free)
        if len(pairs) == 1:
            return Around(*pairs[0], free)
        if len(behinds) == 1:
            return Around((builder.choice([builder.seq(one) for one in befores if one is not None]),), behinds[0], free)
        if len(befores) == 1:
            return Around(befores[0], (builder.choice([builder.seq(one) for one in behinds]),), free)
        return None
