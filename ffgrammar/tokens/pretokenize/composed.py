# cython: language_level=3
"""The automaton of several patterns, of which each cuts the pre-tokens of the one before it, as texts of their own.

A state consists of a state of each pattern. So a pre-token may end in several ways: for all patterns, or for the last
ones only.
"""

from __future__ import annotations

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.boundaries import DEAD, MAX_STATES, Boundaries, by_way

__all__ = ["compose"]

# The inner state while the outer pre-token is an atom, which the inner pattern does not cut.
ATOM = -1


def compose(outer: Boundaries, inner: Boundaries) -> Boundaries:
    """The automaton that cuts the pre-tokens of `outer` by `inner`.

    Raises:
        TokenizerError: it has too many states.
    """
    return _Composer(outer, inner).build()


class _Composer:
    """Builds the product of two automata. A state is a pair: a state of the outer automaton, and either a state of the
    inner one or ATOM."""

    def __init__(self, outer: Boundaries, inner: Boundaries) -> None:
        self.outer, self.inner = outer, inner
        self.classes = outer.alphabet.size
        self.states: list[tuple[int, int]] = [(0, 0)]
        self.numbers = {self.states[0]: 0}

    def build(self) -> Boundaries:
        # by group (`Boundaries`)
        goes_on: list[list[int]] = []
        ends: list[list[int]] = []
        rows: list[list[int]] = []
        final = bytearray()
        at = 0
        while at < len(self.states):
            state, within = self.states[at]
            final.append(self.outer.final[state] and self.may_end(within))
            # Classes that neither automaton tells apart here have the same successors, which are found once. (That
            # takes half of the time.)
            known: dict[tuple[int, ...], int] = {}
            row: list[int] = []
            told = self.outer.rows[state], self.inner.rows[0], self.inner.rows[max(within, 0)]
            for character, key in enumerate(zip(*told, strict=True)):
                group = known.get(key)
                if group is None:
                    group = known[key] = len(goes_on)
                    stays, leaves = self.successors(at, character)
                    goes_on.append(stays)
                    ends.append(leaves)
                row.append(group)
            rows.append(row)
            at += 1
        atoms = bytes(self.outer.atoms[one] if two == ATOM else self.inner.atoms[two] for one, two in self.states)
        return Boundaries(
            self.outer.alphabet,
            by_way(goes_on, rows),
            by_way(ends, rows),
            b"",
            bytes(final),
            atoms,
            rows,
            [stays + leaves for stays, leaves in zip(goes_on, ends, strict=True)],
        )

    def successors(self, at: int, character: int) -> tuple[list[int], list[int]]:
        """The states after a character: (those where the pre-token goes on, those where it ends before the
        character)."""
        state, within = self.states[at]
        stays: list[int] = []
        leaves: list[int] = []
        for to in self.alive(self.outer.goes_on, state, character):
            if at == 0:
                stays += self.begin(to, character)
            elif within == ATOM:
                stays.append(self.add((to, ATOM)))
            else:
                stays += [self.add((to, one)) for one in self.alive(self.inner.goes_on, within, character)]
                leaves += [self.add((to, one)) for one in self.alive(self.inner.ends, within, character)]
        if self.may_end(within):
            for to in self.alive(self.outer.ends, state, character):
                leaves += self.begin(to, character)
        return stays, leaves

    def begin(self, to: int, character: int) -> list[int]:
        """The states after the first character of an outer pre-token. `to` is the outer state after this character."""
        if self.outer.atoms[to]:
            return [self.add((to, ATOM))]
        return [self.add((to, within)) for within in self.alive(self.inner.goes_on, 0, character)]

    def may_end(self, within: int) -> bool:
        return within == ATOM or bool(self.inner.final[within])

    def alive(self, ways: list[list[int]], state: int, character: int) -> list[int]:
        cell = state * self.classes + character
        return [way[cell] for way in ways if way[cell] != DEAD]

    def add(self, state: tuple[int, int]) -> int:
        number = self.numbers.setdefault(state, len(self.numbers))
        if number == len(self.states):
            self.states.append(state)
        if number >= MAX_STATES:
            raise TokenizerError(f"pre-tokenizer patterns: more than {MAX_STATES} states together")
        return number
