# cython: language_level=3
"""The characters of strings and of classes, with their escapes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.gbnf.dialects import Dialect
from ffgrammar.grammar.gbnf.source import error_at
from ffgrammar.regex.syntax.charset import ANY, Charset, from_ranges, negate

__all__ = ["class_of", "string_of"]

LAST = 0x10FFFF
_HEX = {False: re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")}
_HEX[True] = re.compile(r"x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})")


def string_of(text: str, offset: int, written: str, dialect: Dialect) -> str:
    """The value of a string.

    Args:
        text: the whole grammar, for errors.
        offset: where the string stands in it.
        written: the string, with its quotes.
        dialect: the notation.

    Raises:
        GrammarError: an escape is unknown, or a character cannot be encoded.
    """
    _check_lines(text, offset, written, dialect, "a string")
    if "\\" not in written and written.isascii():
        return written[1:-1]
    found = []
    for code, at, _ in _codes(text, offset + 1, written[1:-1], dialect, ""):
        if 0xD800 <= code <= 0xDFFF:
            raise error_at(text, at, "a string cannot have half of a surrogate pair; write the character with \\U")
        found.append(chr(code))
    return "".join(found)


def class_of(text: str, offset: int, written: str, dialect: Dialect) -> Charset:
    """The characters of a class such as `[^a-z]`. The arguments are those of `string_of`.

    Raises:
        GrammarError: an escape is unknown, a range is empty, or the class matches nothing.
        UnsupportedError: it has a class such as \\d.
    """
    _check_lines(text, offset, written, dialect, "a class")
    negated = written.startswith("[^")
    begin = 2 if negated else 1
    codes = list(_codes(text, offset + begin, written[begin:-1], dialect, dialect.class_escapes))
    if negated and not codes and dialect.macros:
        return ANY
    ranges = []
    at = 0
    while at < len(codes):
        first, place, _ = codes[at]
        last = first
        if at + 2 < len(codes) and codes[at + 1][0] == 0x2D and not codes[at + 1][2]:
            last = codes[at + 2][0]
            at += 2
            if last < first:
                raise error_at(text, place, "this range is empty: its last character comes before its first")
        ranges.append((first, last))
        at += 1
    found = from_ranges(ranges)
    if negated:
        found = negate(found)
    if not found or not ranges:
        hint = "; any character is written ." if negated and not dialect.macros else ""
        raise error_at(text, offset, f"{written} matches no character{hint}")
    return found


def _check_lines(text: str, offset: int, written: str, dialect: Dialect, what: str) -> None:
    if not dialect.line_breaks:
        at = min((written.find(one) for one in "\r\n" if one in written), default=-1)
        if at >= 0:
            raise error_at(text, offset, f"{what} cannot have a line break; write \\n")


def _codes(text: str, offset: int, inner: str, dialect: Dialect, more: str) -> Iterator[tuple[int, int, bool]]:
    """The characters of a string or class: the code point, its place in the text, and whether it was escaped."""
    at = 0
    while at < len(inner):
        char = inner[at]
        if char != "\\":
            yield ord(char), offset + at, False
            at += 1
            continue
        found = _HEX[dialect.any_hex].match(inner, at + 1)
        escaped = inner[at + 1]
        if found is not None:
            digits = found[1] or found[2] or found[3]
            code = int(digits, 16) if len(digits) < 20 else LAST + 1
            if code > LAST:
                raise error_at(text, offset + at, f"\\{found[0][:20]} is beyond the last character, \\U0010FFFF")
            yield code, offset + at, True
            at += 1 + len(found[0])
        elif escaped in dialect.escapes or escaped in more:
            yield ord(dialect.escapes.get(escaped, escaped)), offset + at, True
            at += 2
        elif escaped in "dDsSwW" and more:
            message = f"\\{escaped} is not supported in a class: write the ranges, such as [0-9] for \\d"
            raise error_at(text, offset + at, message, UnsupportedError)
        else:
            known = " ".join(f"\\{one}" for one in [*dialect.escapes, *more])
            hexes = "\\xH… \\uHHHH \\UHHHHHHHH" if dialect.any_hex else "\\xHH \\uHHHH \\UHHHHHHHH"
            raise error_at(text, offset + at, f"unknown escape \\{escaped}; there are {known} {hexes}")
