"""What a backslash means in a pattern: the lowest layer of the parser.

The escapes that are read here stand for one character or for a set of characters. Those that stand for something else
(anchors, word boundaries) are read by parser.py. Back-references, which are not regular, are refused here with a hint,
and so are octal escapes.
"""

from __future__ import annotations

import re
from typing import NoReturn

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.regex.syntax.charset import Charset, case_closure, negate, perl_class, unicode_property

__all__ = ["IGNORE_CASE", "VERBOSE", "EscapeParser", "skip_comment"]

IGNORE_CASE = 1
VERBOSE = 2

CONTROLS = {"n": 0x0A, "t": 0x09, "r": 0x0D, "f": 0x0C, "v": 0x0B}
HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
HEX_BRACED = re.compile(r"\{([0-9A-Fa-f]+)\}")
LOW_SURROGATE = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
PROPERTY = re.compile(r"\{([^{}]*)\}|([A-Za-z])")


def skip_comment(text: str, pos: int) -> int:
    """The position after a white space character, or after a comment and the end of its line."""
    if text[pos] != "#":
        return pos + 1
    end = text.find("\n", pos)
    return len(text) if end < 0 else end + 1


class EscapeParser:
    """A pattern, a position in it, the dialect and flags in force, and how escapes are read.

    Attributes:
        text: the pattern.
        ecma: whether the dialect is "ecma"; otherwise it is "rust".
        flags: IGNORE_CASE, VERBOSE and others, in force at the position.
        nesting: how deep groups and classes may be nested.
        pos: the position.
    """

    __slots__ = ("ecma", "flags", "nesting", "pos", "text")

    def __init__(self, text: str, ecma: bool, flags: int, nesting: int) -> None:
        self.text = text
        self.ecma = ecma
        self.flags = flags
        self.nesting = nesting
        self.pos = 0

    def fail(self, message: str, position: int) -> NoReturn:
        raise GrammarError(f"in the pattern: {message}", column=position + 1)

    def refuse(self, what: str, position: int, hint: str = "rewrite the pattern without it") -> NoReturn:
        raise UnsupportedError(f"in the pattern: {what} is not supported; {hint}", column=position + 1)

    def escape(self, in_class: bool) -> int | Charset:
        """The code point, or the set, of the escape at the current position. The position moves behind the escape."""
        start = self.pos
        letter = self.text[start + 1 : start + 2]
        if not letter:
            self.fail("a backslash ends the pattern", start)
        self.pos = start + 2
        if not letter.isalnum():
            return ord(letter)
        if letter in CONTROLS:
            return CONTROLS[letter]
        if letter in "dDwWsS":
            return self.perl(letter)
        if letter in "pP":
            return self.unicode(letter == "P", start)
        if letter in "xu" or (letter == "U" and not self.ecma):
            return self.hexadecimal(letter, start)
        if letter == "b" and in_class:
            return 0x08
        if letter == "a" and not self.ecma:
            return 0x07
        if letter == "0":
            if self.text[self.pos : self.pos + 1].isdigit():
                self.refuse("an octal escape", start, "write \\x and two hexadecimal digits")
            return 0
        if letter in "123456789":
            self.refuse("an octal escape" if in_class else "a back-reference", start)
        if letter == "k":
            self.refuse("a back-reference", start)
        if letter == "c" and self.ecma:
            control = self.text[self.pos : self.pos + 1]
            if not (control.isascii() and control.isalpha()):
                self.fail("\\c must be followed by a letter", start)
            self.pos += 1
            return ord(control) & 31
        return self.fail(f"unknown escape \\{letter}", start)

    def perl(self, letter: str) -> Charset:
        dialect = "ecma" if self.ecma else "rust"
        # Only the \w of "ecma" changes under (?i): it gains the Kelvin sign and the long s, which fold to k and s.
        if letter in "wW" and self.ecma and self.flags & IGNORE_CASE:
            members = case_closure(perl_class("w", dialect))
            return negate(members) if letter == "W" else members
        return perl_class(letter, dialect)

    def unicode(self, negated: bool, start: int) -> Charset:
        match = PROPERTY.match(self.text, self.pos)
        if match is None:
            self.fail("\\p and \\P must be followed by a property, as in \\p{Lu}", start)
        self.pos = match.end()
        name = match[2] if match[1] is None else match[1]
        members = unicode_property(name)
        if members is None:
            self.fail(f"unknown Unicode property {name!r}", start)
        if self.flags & IGNORE_CASE:
            members = case_closure(members)
        return negate(members) if negated else members

    def hexadecimal(self, letter: str, start: int) -> int:
        text = self.text
        if text.startswith("{", self.pos) and not (self.ecma and letter == "x"):
            match = HEX_BRACED.match(text, self.pos)
            if match is None:
                self.fail("the braces must hold hexadecimal digits", start)
            digits = match[1].lstrip("0") or "0"
            self.pos = match.end()
            value = int(digits, 16) if len(digits) <= 8 else 0xFFFFFFFF
        else:
            width = HEX_DIGITS[letter]
            digits = text[self.pos : self.pos + width]
            if len(digits) < width or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
                self.fail(f"\\{letter} must be followed by {width} hexadecimal digits", start)
            self.pos += width
            value = int(digits, 16)
            if 0xD800 <= value <= 0xDBFF and (low := LOW_SURROGATE.match(text, self.pos)):
                self.pos = low.end()
                return 0x10000 + ((value - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
        if value > 0x10FFFF:
            self.fail("there is no code point above 10FFFF", start)
        if 0xD800 <= value <= 0xDFFF:
            self.refuse("a lone surrogate", start, "it is not a character; write a character beyond U+FFFF as \\u{...}")
        return value
