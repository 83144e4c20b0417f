# cython: language_level=3
"""The automaton of boundaries that the steps of a pre-tokenizer become."""

from __future__ import annotations

from array import array
from itertools import chain, zip_longest
from typing import NamedTuple

from ffgrammar.tokens.pretokenize.alphabet import Alphabet

__all__ = ["DEAD", "MAX_STATES", "Automaton", "Boundaries", "by_way"]

MAX_STATES = 4000
# In place of a successor: there is none.
DEAD = 0xFFFF


class Boundaries(NamedTuple):
    """The automaton. State 0 is the state before a text. In all others a pre-token has begun.

    Attributes:
        alphabet: the classes of its characters.
        goes_on: a list for each way in which the pre-token may go on. It holds the next state by state * classes +
            class, or DEAD where there is none. In state 0 and inside a match, the first way is the one in which the
            character is part of a match.
        ends: the same for the ways in which the pre-token ends before the character.
        matches: by state * classes + class, 1 if some thread matches before a character of the class. The pre-token
            ends there, unless a thread that precedes this one matches later. 0 in a gap. Empty if there are several
            patterns.
        final: by state, 1 if the text may end there.
        atoms: by state, 1 if the pre-token is an atom.
        rows: by state and class: the number of a group. Classes of the same group have the same successors. (Groups are
            few, so all that is asked of a state is asked of its groups.)
        reaches: by group: the successors by all ways.
    """

    alphabet: Alphabet
    goes_on: list[list[int]]
    ends: list[list[int]]
    matches: bytes
    final: bytes
    atoms: bytes
    rows: list[list[int]]
    reaches: list[list[int]]

    def pack(self, gaps: bool, finds_atoms: bool) -> Automaton:
        """The same automaton as bytes. For the arguments see `Automaton`."""
        ways = [*self.goes_on, *self.ends]
        to = b"".join([array("H", way).tobytes() for way in ways])
        stays = len(self.goes_on)
        return Automaton(self.alphabet, stays, len(ways), gaps, finds_atoms, to, self.matches, self.final, self.atoms)


class Automaton(NamedTuple):
    """An automaton of boundaries as bytes: what table.pyx runs, and what an entry of the cache holds.

    Attributes:
        alphabet, matches, final, atoms: see `Boundaries`.
        stays: in how many ways the pre-token may go on. These ways come first.
        ways: how many ways there are.
        gaps, finds_atoms: for a single pattern: whether its `Split` has gaps, and whether it has atoms.
        to: words of 16 bits by way, state and class: the next state, or DEAD.
    """

    alphabet: Alphabet
    stays: int
    ways: int
    gaps: bool
    finds_atoms: bool
    to: bytes
    matches: bytes
    final: bytes
    atoms: bytes


def by_way(successors: list[list[int]], rows: list[list[int]]) -> list[list[int]]:
    """Takes the successors of each group, and the groups of all cells; a cell is a state and a class. Returns a list
    for each way: the successor of each cell, or DEAD. There is at least one such list."""
    cells = list(chain.from_iterable(rows))
    ways = zip_longest(*successors, fillvalue=DEAD)
    return [[way[group] for group in cells] for way in ways] or [[DEAD] * len(cells)]
