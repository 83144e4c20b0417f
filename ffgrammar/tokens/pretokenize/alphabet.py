"""Classes of characters that a pre-tokenizer's patterns do not tell apart.

An automaton over 1,114,112 characters would be large. A pattern names few characters one by one or in ranges. The
others it knows only by properties such as `\\p{L}`, which the class byte of a character holds (`CharClasses`). So
characters that are in the same sets of the pattern are put into one class. This gives 12 classes for cl100k, and 27 for
o200k.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.program import CharSet, Instruction

__all__ = ["Alphabet", "make_alphabet"]

MAX_CLASSES = 254
# In a range of no more code points than this, each code point is looked at.
MAX_LOOKED_UP = 1000
# The class bytes that occur. A character has one property or none, except that line breaks are white space too.
ALL_KINDS = (0, 1, 2, 4, 8, 16, 32, 96, 128)


class Alphabet(NamedTuple):
    """Classes of characters that a pattern does not tell apart.

    Attributes:
        of_kind: 256 bytes. By class byte (`CharClasses`): the class of the characters that the pattern does not name.
        ranges: the ranges of code points that the pattern names, ascending: (first, last, 256 bytes). The bytes are
            like `of_kind`, for the characters of this range.
        size: how many classes there are.
    """

    of_kind: bytes
    ranges: list[tuple[int, int, bytes]]
    size: int


class _Numbering:
    """Numbers the classes. A class is known by the sets of the patterns that contain its characters. None is for the
    class of characters that are in no text."""

    def __init__(self, sets: Sequence[CharSet]) -> None:
        self.sets = sets
        self.classes: dict[frozenset[CharSet] | None, int] = {}

    def number(self, inside: frozenset[CharSet] | None) -> int:
        found = self.classes.setdefault(inside, len(self.classes))
        if len(self.classes) > MAX_CLASSES:
            raise TokenizerError(f"pre-tokenizer pattern: more than {MAX_CLASSES} classes of characters")
        return found

    def of(self, code: int, kind: int) -> int:
        """The class of a code point whose class byte is `kind`."""
        return self.number(frozenset(one for one in self.sets if one.has(code, kind)))

    def by_kind(self, code: int, kinds: Iterable[int]) -> bytes:
        """256 bytes. By class byte: the class of the characters of a range, or 0 for class bytes that are not in
        `kinds`. `code` is any code point of the range."""
        numbers = bytearray(256)
        for kind in kinds:
            numbers[kind] = self.of(code, kind)
        return bytes(numbers)


def make_alphabet(
    steps: Iterable[Instruction], kinds: Sequence[int], space: str | None
) -> tuple[Alphabet, list[frozenset[CharSet] | None]]:
    """(the classes of characters, a list by class).

    An entry of the list is the sets in the patterns that contain the characters of the class. It is None for the class
    of characters that are in no text.

    Args:
        steps: the instructions of all patterns.
        kinds: the class byte of each code point.
        space: a character that stands for the space in the patterns. No text has this character itself.

    Raises:
        TokenizerError: there are more than MAX_CLASSES classes.
    """
    sets = sorted({step.chars for step in steps if step.chars is not None})
    named = [pair for one in sets for pair in one.ranges]
    numbering = _Numbering(sets)
    swapped: dict[int, int] = {}
    if space is not None:
        code = ord(space)
        swapped = {code: numbering.number(None), 0x20: numbering.of(code, kinds[code])}
        named += [(code, code) for code in swapped]
    cuts = sorted({at for low, high in named for at in (low, high + 1)})
    # (0x110000 is no code point, so no pattern names it)
    plain = numbering.by_kind(0x110000, ALL_KINDS)
    ranges = []
    for low, after in pairwise(cuts):
        if low in swapped:
            ranges.append((low, low, bytes([swapped[low]]) * 256))
        elif any(start <= low <= end for start, end in named):
            few = after - low <= MAX_LOOKED_UP
            here = {kinds[code] for code in range(low, after)} if few else ALL_KINDS
            ranges.append((low, after - 1, numbering.by_kind(low, here)))
    return Alphabet(plain, ranges, len(numbering.classes)), list(numbering.classes)
