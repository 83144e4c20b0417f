"""The programs of pre-tokenizers: instructions for a Pike machine, and the sets of characters that they ask for.

pattern.py and words.py write programs. automaton.py says what a Pike machine is, and makes an automaton of a program.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "CHAR",
    "END",
    "JUMP",
    "MATCH",
    "MAX_INSTRUCTIONS",
    "NEXT",
    "PROPERTIES",
    "SPLIT",
    "CharSet",
    "Instruction",
    "may_share",
]

# Instructions of a program
CHAR, SPLIT, JUMP, MATCH, NEXT, END = range(6)

MAX_INSTRUCTIONS = 2000

# Bits of the class byte (`CharClasses` in builtin.pyx) by property
PROPERTIES = {
    "w": 1 | 2 | 4 | 8,  # and the ranges of "w"
    "L": 1 | 2 | 4,
    "Ll": 2,
    "M": 8,
    "N": 16,
    "s": 32,
    # Lu and Lt share a bit, as do Lm and Lo. So they are read in these pairs only, and refused alone.
    "Lu": 1,
    "Lt": 1,
    "Lm": 4,
    "Lo": 4,
}


class CharSet(NamedTuple):
    """A set of characters: those with a property in `mask` (bits of `PROPERTIES`) and those in `ranges`, or all others
    if `negated`."""

    mask: int
    ranges: tuple[tuple[int, int], ...]
    negated: bool

    def has(self, code: int, kind: int) -> bool:
        """Whether a code point, whose class byte is `kind`, is in the set."""
        if kind & self.mask:
            return not self.negated
        for low, high in self.ranges:
            if low <= code <= high:
                return not self.negated
        return self.negated


class Instruction(NamedTuple):
    """One step of a program.

    CHAR takes a character of `chars`. JUMP goes on at `to`. SPLIT goes on at `to` and at `other`; what `to` leads to
    comes first. NEXT goes on if the next character is in `chars`. With `wanted` False it goes on if the next character
    is not in `chars`, or if the text ends. END goes on at the end of the text. MATCH ends the program."""

    kind: int
    chars: CharSet | None = None
    to: int = 0
    other: int = 0
    wanted: bool = True


def may_share(one: CharSet, other: CharSet) -> bool:
    """Whether two sets may share a character; True where that is not clear."""
    if one.negated and other.negated:
        return True
    if one.negated:
        one, other = other, one
    if other.negated:
        within = other.ranges
        return bool(one.mask & ~other.mask) or not all(
            any(low <= start and end <= high for low, high in within) or other.mask & _mask_of(start, end)
            for start, end in one.ranges
        )
    if one.mask & other.mask:
        return True
    for first, second in ((one, other), (other, one)):
        for start, end in first.ranges:
            if second.mask & ~_not_of(start, end):
                return True
            if any(start <= high and low <= end for low, high in second.ranges):
                return True
    return False


def _mask_of(start: int, end: int) -> int:
    """Properties that all characters of a range have; some may be left out."""
    if start == end and chr(start) in " \t\n\r\v\f":
        return PROPERTIES["s"]
    return 0


def _not_of(start: int, end: int) -> int:
    """Properties that no character of a range has; some may be left out."""
    everything = 1 | 2 | 4 | 8 | 16 | 32
    if start == end and chr(start) in " \t\n\r\v\f":
        return everything & ~PROPERTIES["s"]
    if end < 0x80 and not any(chr(code).isalnum() or chr(code).isspace() for code in range(start, end + 1)):
        return everything
    return 0
