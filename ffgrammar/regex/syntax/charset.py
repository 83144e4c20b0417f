"""Sets of code points, as sorted tuples of disjoint, non-adjacent (first, last) ranges.

Surrogates are not characters: no set holds one, and a negation never produces one.

Unicode data comes from the `regex` package, so a property means here what it means there. The package is imported when
its data is first needed, because its import takes longer than compiling a schema. Most patterns of JSON schemas do not
need its data: in the dialect "ecma", the sets of \\d, \\w and \\s are constants.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache

__all__ = [
    "ANY",
    "ASCII_DIGIT",
    "ASCII_WORD",
    "ECMA_SPACE",
    "NOTHING",
    "POSIX",
    "WHITE_SPACE",
    "Charset",
    "case_closure",
    "case_variants",
    "contains",
    "difference",
    "from_ranges",
    "intersect",
    "negate",
    "of_chars",
    "perl_class",
    "size",
    "unicode_property",
    "union",
]

Charset = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
# Far more than the longest name of a property with its value has.
MAX_PROPERTY_NAME = 200
NOTHING: Charset = ()
ANY: Charset = ((0, 0xD7FF), (0xE000, LAST))


def _merge(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges sorted, with overlapping and adjacent ones joined."""
    ordered = sorted(ranges)
    merged: list[tuple[int, int]] = []
    if not ordered:
        return merged
    lo, hi = ordered[0]
    for first, last in ordered:
        if first <= hi + 1:
            if last > hi:
                hi = last
        else:
            merged.append((lo, hi))
            lo, hi = first, last
    merged.append((lo, hi))
    return merged


def from_ranges(ranges: Iterable[tuple[int, int]]) -> Charset:
    """All code points of some ranges, except surrogates. The ranges may overlap and come in any order."""
    merged = _merge(ranges)
    if not merged or merged[-1][1] < 0xD800:
        return tuple(merged)
    clean = []
    for lo, hi in merged:
        if hi < 0xD800 or lo > 0xDFFF:
            clean.append((lo, hi))
            continue
        if lo < 0xD800:
            clean.append((lo, 0xD7FF))
        if hi > 0xDFFF:
            clean.append((0xE000, hi))
    return tuple(clean)


def of_chars(text: Iterable[str]) -> Charset:
    """The set of some characters."""
    return from_ranges([(ord(char), ord(char)) for char in text])


def union(*sets: Charset) -> Charset:
    """Code points in any of the sets."""
    if len(sets) == 1:
        return sets[0]
    return from_ranges([pair for members in sets for pair in members])


def negate(members: Charset) -> Charset:
    """All characters that are not in a set."""
    gaps = []
    start = 0
    for lo, hi in members:
        if lo > start:
            gaps.append((start, lo - 1))
        start = hi + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return from_ranges(gaps)


def intersect(left: Charset, right: Charset) -> Charset:
    """Code points in both sets."""
    common = []
    i = j = 0
    while i < len(left) and j < len(right):
        lo = max(left[i][0], right[j][0])
        hi = min(left[i][1], right[j][1])
        if lo <= hi:
            common.append((lo, hi))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(common)


def difference(left: Charset, right: Charset) -> Charset:
    """Code points of `left` that are not in `right`."""
    return intersect(left, negate(right))


def contains(members: Charset, code_point: int) -> bool:
    """Whether a code point is in the set."""
    at = bisect_right(members, (code_point, LAST + 1)) - 1
    return at >= 0 and code_point <= members[at][1]


def size(members: Charset) -> int:
    """How many code points a set has."""
    return sum(hi - lo + 1 for lo, hi in members)


ASCII_DIGIT: Charset = ((0x30, 0x39),)
ASCII_WORD: Charset = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# The Unicode property White_Space; it has not changed since Unicode 6.3.
WHITE_SPACE: Charset = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)
# WhiteSpace and LineTerminator of ECMA-262: the property White_Space without U+0085 and with the byte order mark.
ECMA_SPACE: Charset = union(difference(WHITE_SPACE, ((0x85, 0x85),)), ((0xFEFF, 0xFEFF),))

POSIX: dict[str, Charset] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": ASCII_DIGIT,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": ASCII_WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}


@lru_cache(maxsize=128)
def perl_class(letter: str, dialect: str) -> Charset:
    r"""The characters of \d \D \w \W \s \S.

    In the dialect "rust", \d, \w and \s are as Unicode defines them. In "ecma", \d and \w have ASCII characters only,
    and \s is ECMA_SPACE.
    """
    if letter in "DWS":
        return negate(perl_class(letter.lower(), dialect))
    if dialect == "ecma":
        return {"d": ASCII_DIGIT, "w": ASCII_WORD, "s": ECMA_SPACE}[letter]
    return WHITE_SPACE if letter == "s" else _find(rf"\{letter}+")


def unicode_property(name: str) -> Charset | None:
    r"""The characters of \p{name}, or None if the `regex` package has no such property.

    A leading ^ negates, as in that package.
    """
    if not 0 < len(name) <= MAX_PROPERTY_NAME or not all(char.isalnum() or char in " _-=:.&^/" for char in name):
        return None
    # A scan takes milliseconds, and a property has thousands of spellings. (A minus before a digit is part of a value,
    # and a number has one at most.)
    name = name.replace("_", "").replace(" ", "").lower()
    return None if re.search("--[0-9]", name) else _property(re.sub("-(?![0-9])", "", name))


# (a value that is a number may be written in any number of ways)
@lru_cache(maxsize=8192)
def _property(name: str) -> Charset | None:
    import regex

    try:
        # What it cannot read as a property, the package takes for the text of the escape. But each character has a
        # property or has it not.
        if not regex.match(rf"\p{{{name}}}|\P{{{name}}}", "\0"):
            return None
        found = _find(rf"\p{{{name}}}+")
    except (regex.error, OverflowError):
        return None
    return _shared.setdefault(found, found)


# The sets of all properties that were asked for: many names share a set.
_shared: dict[Charset, Charset] = {}


def _find(pattern: str) -> Charset:
    """The characters that an escape of the `regex` package stands for. `pattern` is the escape, followed by +."""
    import regex

    text = _samples()
    # One scan takes 1 ms. Asking for each character would take 300 ms.
    found = []
    for match in regex.compile(pattern).finditer(text):
        begin, end = match.span()
        while begin < end:
            first, last, after = _run(begin, ord(text[begin]))
            rest = min(end, after) - begin
            # (a sample stands for all of its run)
            found.append((first, last if after == begin + 1 else first + rest - 1))
            begin += rest
    return from_ranges(found)


# Of 65,534 characters of each of these planes Unicode says the same. The last two of a plane are no characters.
UNIFORM_PLANES = (*range(4, 14), 15, 16)


@lru_cache(maxsize=1)
def _samples() -> str:
    """All characters of the other planes, and then two of each uniform plane: its first and its last."""
    codes = array("I", [*range(0x40000), *range(0xE0000, 0xF0000)])
    codes.extend([code for plane in UNIFORM_PLANES for code in (plane << 16, plane << 16 | 0xFFFF)])
    return codes.tobytes().decode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass")


def _run(place: int, code: int) -> tuple[int, int, int]:
    """What the sample at a place stands for, which is a character: its first and last character, and the place after
    the samples that follow one another."""
    if place < 0x40000:
        return code, code, 0x40000
    if place < 0x50000:
        return code, code, 0x50000
    if code & 0xFFFF:
        return code - 1, code, place + 1
    return code, code + 0xFFFD, place + 1


def case_closure(members: Charset) -> Charset:
    """The set, with all characters that differ from a member only in case (simple case folding)."""
    if not members:
        return members
    if members[-1][1] < 0x80:
        return _ascii_case_closure(members)
    return _wide_case_closure(members)


@lru_cache(maxsize=256)
def _wide_case_closure(members: Charset) -> Charset:
    cased, orbits = _cased()
    others: list[tuple[int, int]] = []
    for first, last in members:
        for at in range(bisect_left(cased, first), bisect_right(cased, last)):
            others.extend(orbits[at])
    return from_ranges([*members, *others])


@lru_cache(maxsize=1)
def _cased() -> tuple[list[int], list[Charset]]:
    """The characters that have case partners, ascending, and for each its partners and itself."""
    orbits = {ord(char): tuple([(ord(other), ord(other)) for other in orbit]) for char, orbit in _orbits().items()}
    return sorted(orbits), [orbits[code] for code in sorted(orbits)]


@lru_cache(maxsize=1024)
def case_variants(char: str) -> Charset:
    """A character, and those that differ from it only in case."""
    return case_closure(((ord(char), ord(char)),))


def _ascii_case_closure(members: Charset) -> Charset:
    added = list(members)
    for lo, hi in members:
        first, last = max(lo, 0x41), min(hi, 0x5A)
        if first <= last:
            added.append((first + 32, last + 32))
        first, last = max(lo, 0x61), min(hi, 0x7A)
        if first <= last:
            added.append((first - 32, last - 32))
    closed = from_ranges(added)
    # Two characters outside ASCII fold to an ASCII letter: the Kelvin sign to k, and the long s to s.
    if contains(closed, 0x6B):
        closed = union(closed, ((0x212A, 0x212A),))
    if contains(closed, 0x73):
        closed = union(closed, ((0x017F, 0x017F),))
    return closed


@lru_cache(maxsize=1)
def _orbits() -> dict[str, str]:
    """For every character with a case partner, all characters of the same simple folding, itself included.

    Python's own tables give most foldings. For characters that Python's Unicode version does not know yet, the `regex`
    package is asked.
    """
    import regex

    cased = regex.findall(r"[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]", _samples())
    groups: dict[str, set[str]] = {}
    for char in cased:
        folded = _fold(char)
        groups.setdefault(folded, {folded}).add(char)
    orbit_of = {char: orbit for orbit in groups.values() for char in orbit}
    # The dotted capital I (U+0130) and the dotless small i (U+0131) have no simple folding. `unknown` leaves them
    # out, because the package would pair them with i and I.
    unknown = "".join(char for char in cased if len(orbit_of[char]) == 1 and char not in "\u0130\u0131")
    known = "".join(char for char in cased if len(orbit_of[char]) > 1)
    # A back-reference under (?i) finds the partner of each unknown character, in one scan.
    for match in regex.compile(r"(?si)(.)(?=.*?(\1))").finditer(unknown + known):
        if match.start() >= len(unknown):
            break
        joined = orbit_of[match[1]] | orbit_of[match[2]]
        for char in joined:
            orbit_of[char] = joined
    return {char: "".join(sorted(orbit)) for char, orbit in orbit_of.items() if len(orbit) > 1}


def _fold(char: str) -> str:
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    # The full folding has several characters. If there is a simple folding, too, it is the lower case.
    lower = char.lower()
    return lower if len(lower) == 1 else char
