# cython: language_level=3
"""Characters as they are spelled between the quotes of a JSON string.

A JSON string is a way to write characters as bytes, as UTF-8 is (utf8.py), but it has escapes: where a pattern has `"`
or a line break, a JSON text has `\\"` or `\\n`. So a schema's `pattern` becomes an expression over the bytes of the
JSON text itself.
"""

from __future__ import annotations

from functools import lru_cache

from ffgrammar.regex.expr.store import EMPTY, ExprStore
from ffgrammar.regex.lower.utf8 import UTF8, Ranges, digit_tree, split
from ffgrammar.regex.syntax.charset import Charset, contains, difference, intersect

__all__ = ["JSON_ANY", "JSON_CANONICAL", "JsonString"]

# JSON does not allow these raw: control characters, the quote and the backslash.
CONTROLS: Charset = ((0x00, 0x1F),)
NEVER_RAW: Charset = (*CONTROLS, (0x22, 0x22), (0x5C, 0x5C))

SHORT = {0x08: b"b", 0x09: b"t", 0x0A: b"n", 0x0C: b"f", 0x0D: b"r", 0x22: b'"', 0x5C: b"\\"}
SHORT_ANY = {**SHORT, 0x2F: b"/"}

# The canonical spelling of characters with a short escape, for str.translate.
PLAIN = {code_point: f"\\{letter.decode()}" for code_point, letter in SHORT.items()}

HEX = [f"{digit:x}{digit:X}".encode() for digit in range(16)]


def _spell_hex(width: int, digit: int) -> bytes:
    return HEX[digit]


class JsonString:
    """Characters as JSON spells them.

    Args:
        spelling: "canonical": raw where JSON allows it, else the short escape (`\\n`), else `\\u00XX`. "any": every
            spelling that JSON has, including surrogate pairs beyond U+FFFF. In both spellings, hexadecimal digits may
            be in either case, and there are no lone surrogates, because they spell no character.
    """

    def __init__(self, spelling: str = "canonical") -> None:
        if spelling not in ("canonical", "any"):
            raise ValueError(f"spelling must be 'canonical' or 'any', not {spelling!r}")
        self.spelling = spelling
        self.every = spelling == "any"

    def charset(self, store: ExprStore, members: Charset) -> int:
        """The expression of one character of the set."""
        key = (JsonString, self.spelling, members)
        known = store.memo.get(key)
        if known is None:
            known = store.memo[key] = self._build(store, members)
        return known

    def text(self, store: ExprStore, text: str) -> int:
        """The expression of exactly these characters."""
        plain = self.plain(text)
        if plain is not None:
            return store.literal(plain)
        return store.concat([self.charset(store, ((ord(char), ord(char)),)) for char in text])

    def plain(self, text: str) -> bytes | None:
        """The spelling of these characters if there is only one, else None."""
        if self.every and text:
            return None
        if text.isprintable() and '"' not in text and "\\" not in text:
            return text.encode()
        spelled = text.translate(PLAIN)
        return spelled.encode() if min(spelled, default=" ") >= " " else None

    def _build(self, store: ExprStore, members: Charset) -> int:
        raw, letters, controls = _parts(members, self.every)
        escaped = []
        if letters:
            escaped.append(store.byte_set(letters))
        numbers = _code_units(store, members) if self.every else controls
        if numbers:
            escaped.append(store.concat([store.literal(b"u"), digit_tree(store, numbers, 16, 4, _spell_hex)]))
        branches = [UTF8.charset(store, raw)]
        if escaped:
            branches.append(store.concat([store.literal(b"\\"), store.union(escaped)]))
        return store.union(branches)


@lru_cache(maxsize=1024)
def _parts(members: Charset, every: bool) -> tuple[Charset, bytes, Ranges]:
    """The members that may be raw, the letters of short escapes, and the members whose canonical form is \\u00XX."""
    raw = difference(members, NEVER_RAW)
    short = SHORT_ANY if every else SHORT
    letters = [letter for code_point, letter in short.items() if contains(members, code_point)]
    controls = [
        (code_point, code_point, EMPTY)
        for lo, hi in intersect(members, CONTROLS)
        for code_point in range(lo, hi + 1)
        if code_point not in SHORT
    ]
    return raw, b"".join(letters), tuple(controls)


@lru_cache(maxsize=1024)
def _utf16(members: Charset) -> tuple[Ranges, list[tuple[Ranges, list[tuple[int, int]]]]]:
    """The members that are one code unit; then sets of low surrogates, each with the high surrogates that may come
    before it in a text."""
    units = tuple([(lo, hi, EMPTY) for lo, hi in intersect(members, ((0x0000, 0xFFFF),))])
    beyond = tuple([(lo - 0x10000, hi - 0x10000, EMPTY) for lo, hi in intersect(members, ((0x10000, 0x10FFFF),))])
    pairs = []
    for lows, highs in split(beyond, 0x400).items():
        runs = []
        start = previous = highs[0]
        for high in [*highs[1:], 0x10FFFF]:
            if high != previous + 1:
                runs.append((0xD800 + start, 0xD800 + previous))
                start = high
            previous = high
        pairs.append((tuple([(0xDC00 + lo, 0xDC00 + hi, EMPTY) for lo, hi, _ in lows]), runs))
    return units, pairs


def _code_units(store: ExprStore, members: Charset) -> Ranges:
    """The first UTF-16 code unit of every member, with the expression that must follow it."""
    alone, pairs = _utf16(members)
    units = list(alone)
    for lows, runs in pairs:
        after = store.concat([store.literal(b"\\u"), digit_tree(store, lows, 16, 4, _spell_hex)])
        units.extend([(first, last, after) for first, last in runs])
    return tuple(sorted(units))


JSON_CANONICAL = JsonString("canonical")
JSON_ANY = JsonString("any")
