"""The automata of a pre-tokenizer in one piece, which an entry of the cache can hold (loaders/rules_cache.py).

    packed = pack_automata(automata)
    unpack_automata(packed)             # the same automata

Making them takes 2 to 30 ms, and reading them 0.1 ms. What is read is checked: lengths here, all else by
`PretokenTable`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ffgrammar.tokens.pretokenize.alphabet import Alphabet
from ffgrammar.tokens.pretokenize.boundaries import Automaton

__all__ = ["pack_automata", "unpack_automata"]

KINDS = 256
ALPHABET = struct.Struct("<II")  # how many classes and ranges there are
RANGE = struct.Struct(f"<II{KINDS}s")
# `stays`, `ways`, `gaps` and `finds_atoms`, and how many bytes each of the four tables has.
AUTOMATON = struct.Struct("<II??4I")


def pack_automata(automata: Sequence[Automaton]) -> bytes:
    """The automata as bytes. There is at least one, and all have the same alphabet, which is packed once."""
    alphabet = automata[0].alphabet
    pieces = [ALPHABET.pack(alphabet.size, len(alphabet.ranges)), alphabet.of_kind]
    pieces += [RANGE.pack(*one) for one in alphabet.ranges]
    for one in automata:
        _, *numbers, to, matches, final, atoms = one
        tables = (to, matches, final, atoms)
        pieces += [AUTOMATON.pack(*numbers, *map(len, tables)), *tables]
    return b"".join(pieces)


def unpack_automata(packed: bytes) -> list[Automaton]:
    """The automata that `pack_automata` has packed.

    Raises:
        ValueError: the bytes are cut short.
    """
    at = 0

    def take(size: int) -> bytes:
        nonlocal at
        at += size
        if at > len(packed):
            raise ValueError("the automata are cut short")
        return packed[at - size : at]

    size, count = ALPHABET.unpack(take(ALPHABET.size))
    of_kind = take(KINDS)
    alphabet = Alphabet(of_kind, [RANGE.unpack(take(RANGE.size)) for _ in range(count)], size)
    found = []
    while at < len(packed):
        stays, ways, gaps, finds_atoms, *sizes = AUTOMATON.unpack(take(AUTOMATON.size))
        to, matches, final, atoms = map(take, sizes)
        found.append(Automaton(alphabet, stays, ways, gaps, finds_atoms, to, matches, final, atoms))
    return found
