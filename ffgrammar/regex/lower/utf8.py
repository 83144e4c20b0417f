"""Characters as bytes: how sets of code points become expressions, and the plain UTF-8 encoding.

UTF-8 writes a code point in digits of base 64, and JSON's \\u escapes write it in digits of base 16. Code points
with equally many digits become one tree over these digits. In the tree, all digits that may be followed by the same
digits share one branch. So the branches of a union start with different bytes, and what may follow is made only once
for each branch. (Cox's construction for RE2 lists byte sequences range by range. It gives the same language, but its
branches overlap, and each of them costs a derivative.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from ffgrammar.regex.expr.store import EMPTY, ExprStore
from ffgrammar.regex.syntax.charset import Charset

__all__ = ["UTF8", "Encoding", "Ranges", "Utf8", "digit_tree"]

# Ranges of numbers, each with the expression that follows a number of the range.
Ranges = tuple[tuple[int, int, int], ...]

# (width, digit) -> the bytes each of which spells the digit, when `width` digits are left
Speller = Callable[[int, int], bytes]

CONTINUATION = [bytes([0x80 + digit]) for digit in range(64)]


class Encoding(Protocol):
    """How characters are spelled in bytes: `UTF8` here, JSON strings in json_text.py."""

    def charset(self, store: ExprStore, members: Charset) -> int:
        """The expression of one character of the set."""

    def text(self, store: ExprStore, text: str) -> int:
        """The expression of exactly these characters."""

    def plain(self, text: str) -> bytes | None:
        """The spelling of these characters if there is only one, else None."""


def split(ranges: Ranges, unit: int) -> dict[Ranges, list[int]]:
    """Group the leading digits (number // unit) of the numbers in some ranges by what may follow them.

    Returns a dict. A key is a set of rests (number % unit, as ranges); its value lists the digits before these rests.
    """
    by_digit: dict[int, list[tuple[int, int, int]]] = {}
    for lo, hi, after in ranges:
        first, last = lo // unit, hi // unit
        for digit in range(first, last + 1):
            low = lo - digit * unit if digit == first else 0
            high = hi - digit * unit if digit == last else unit - 1
            by_digit.setdefault(digit, []).append((low, high, after))
    groups: dict[Ranges, list[int]] = {}
    for digit, rest in by_digit.items():
        groups.setdefault(tuple(rest), []).append(digit)
    return groups


# Every grammar has a store of its own, but most use the same few sets. What does not depend on the store is kept here.
@lru_cache(maxsize=4096)
def _branches(ranges: Ranges, base: int, width: int, spell: Speller) -> list[tuple[bytes, Ranges]]:
    groups = split(ranges, base ** (width - 1))
    return [(b"".join([spell(width, digit) for digit in digits]), rest) for rest, digits in groups.items()]


def digit_tree(store: ExprStore, ranges: Ranges, base: int, width: int, spell: Speller) -> int:
    """The expression of the numbers in some ranges. Each has `width` digits, and then the expression of its range.

    Args:
        store: where the expression is made.
        ranges: sorted and disjoint.
        base: of the digits.
        width: how many digits a number has.
        spell: (width, digit) -> the bytes that may spell the digit when `width` digits are left, this one included.
    """
    if not width:
        return ranges[0][2]
    key = (spell, width, ranges)
    known = store.memo.get(key)
    if known is None:
        branches = []
        for leads, rest in _branches(ranges, base, width, spell):
            tail = digit_tree(store, rest, base, width - 1, spell)
            branches.append(store.concat([store.byte_set(leads), tail]))
        known = store.memo[key] = branches[0] if len(branches) == 1 else store.union(branches)
    return known


def _spell2(width: int, digit: int) -> bytes:
    return CONTINUATION[digit] if width == 1 else bytes([0xC0 + digit])


def _spell3(width: int, digit: int) -> bytes:
    return CONTINUATION[digit] if width < 3 else bytes([0xE0 + digit])


def _spell4(width: int, digit: int) -> bytes:
    return CONTINUATION[digit] if width < 4 else bytes([0xF0 + digit])


# For each length beyond one byte: the first and last code point, the length, and how the digits are spelled
LENGTHS = ((0x80, 0x7FF, 2, _spell2), (0x800, 0xFFFF, 3, _spell3), (0x10000, 0x10FFFF, 4, _spell4))


@lru_cache(maxsize=1024)
def _by_length(members: Charset) -> tuple[bytes, Charset, list[tuple[Ranges, int, Speller]]]:
    """The ASCII members as bytes; the other members; and for each length of encoding, ranges of the other members."""
    single = bytearray()
    above = []
    for lo, hi in members:
        if lo < 0x80:
            single.extend(range(lo, min(hi, 0x7F) + 1))
        if hi >= 0x80:
            above.append((max(lo, 0x80), hi))
    lengths: list[tuple[Ranges, int, Speller]] = []
    for first, last, length, spell in LENGTHS:
        ranges = tuple([(max(lo, first), min(hi, last), EMPTY) for lo, hi in above if lo <= last and hi >= first])
        if ranges:
            lengths.append((ranges, length, spell))
    return bytes(single), tuple(above), lengths


class Utf8:
    """Characters as their UTF-8 bytes."""

    def charset(self, store: ExprStore, members: Charset) -> int:
        """The expression of one character of the set."""
        key = (Utf8, members)
        known: int | None = store.memo.get(key)
        if known is not None:
            return known
        single, above, lengths = _by_length(members)
        if single and above:
            # Sets often differ in their ASCII members only, so the part above ASCII has an entry of its own.
            made = store.union([store.byte_set(single), self.charset(store, above)])
        elif above:
            made = store.union([digit_tree(store, ranges, 64, length, spell) for ranges, length, spell in lengths])
        else:
            made = store.byte_set(single)
        store.memo[key] = made
        return made

    def text(self, store: ExprStore, text: str) -> int:
        """The expression of exactly these characters."""
        return store.literal(text.encode())

    def plain(self, text: str) -> bytes | None:
        """The spelling of these characters; there is always one."""
        return text.encode()


UTF8 = Utf8()
