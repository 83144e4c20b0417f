"""Bracketed character classes: `[a-z_]`, and in the Rust dialect `[a-z&&[^aeiou]]` and `[[:alpha:]]`."""

from __future__ import annotations

import re

from ffgrammar.core.errors import LimitError
from ffgrammar.regex.syntax.charset import (
    POSIX,
    Charset,
    case_closure,
    difference,
    from_ranges,
    intersect,
    negate,
    union,
)
from ffgrammar.regex.syntax.escapes import IGNORE_CASE, VERBOSE, EscapeParser, skip_comment

__all__ = ["ClassParser"]

# A class with no class nested in it. It does not begin with `[]` or `[^]`, because these depend on the dialect.
FLAT = re.compile(r"\[(?:\^[^\]\[\\]|\^\\.|[^\]\[\\^]|\\.)(?:[^\]\[\\]|\\.)*\]", re.DOTALL)
POSIX_NAME = re.compile(r"\[:(\^?)([a-z]+):\]")

# FLAT classes that were parsed before, by (text, whether the dialect is "ecma", flags). Many patterns share them.
_known: dict[tuple[str, bool, int], Charset] = {}
MAX_KNOWN = 2048


def _combine(left: Charset, operator: str, right: Charset) -> Charset:
    if operator == "&&":
        return intersect(left, right)
    if operator == "--":
        return difference(left, right)
    return union(difference(left, right), difference(right, left))


class ClassParser(EscapeParser):
    """Character classes on top of escapes."""

    __slots__ = ()

    def char_class(self) -> Charset:
        """The set of the class that opens at the current position. The position moves behind the class."""
        match = FLAT.match(self.text, self.pos)
        if match is None:
            return self.parse_class()
        key = (match[0], self.ecma, self.flags & (IGNORE_CASE | VERBOSE))
        members = _known.get(key)
        if members is not None:
            self.pos = match.end()
            return members
        members = self.parse_class()
        if self.pos == match.end():
            if len(_known) >= MAX_KNOWN:
                _known.clear()
            _known[key] = members
        return members

    def parse_class(self) -> Charset:
        text, end, ecma = self.text, len(self.text), self.ecma
        fold = self.flags & IGNORE_CASE
        # Open classes around the current one: (negated, left operand, operator, ranges, start).
        frames: list[tuple[bool, Charset, str, list[tuple[int, int]], int]] = []
        start = self.pos
        negated, ranges = self.open_class()
        left: Charset = ()
        operator = ""
        while True:
            if self.pos >= end:
                self.fail("the character class is not closed", start)
            char = text[self.pos]
            if char == "]":
                members = self.close_operand(ranges, left, operator, fold)
                if negated:
                    members = negate(members)
                self.pos += 1
                if not frames:
                    return members
                negated, left, operator, ranges, start = frames.pop()
                ranges.extend(members)
                continue
            if not ecma:
                if char == "[":
                    match = POSIX_NAME.match(text, self.pos)
                    if match is not None:
                        ranges.extend(self.posix(match))
                        continue
                    if len(frames) >= self.nesting:
                        raise LimitError("nesting", self.nesting, f"column {self.pos + 1}: classes are nested too deep")
                    frames.append((negated, left, operator, ranges, start))
                    start = self.pos
                    negated, ranges = self.open_class()
                    left, operator = (), ""
                    continue
                if char in "&-~" and text[self.pos : self.pos + 2] in ("&&", "--", "~~"):
                    left = self.close_operand(ranges, left, operator, fold)
                    operator, ranges = char + char, []
                    self.pos += 2
                    continue
                if self.flags & VERBOSE and (char.isspace() or char == "#"):
                    self.pos = skip_comment(text, self.pos)
                    continue
            self.add_item(ranges)

    def open_class(self) -> tuple[bool, list[tuple[int, int]]]:
        """Step over `[` or `[^`. In the Rust dialect, leading `-` or one leading `]` are literal: step over them, too.

        Returns whether the class is negated, and the ranges so far.
        """
        self.pos += 1
        negated = self.text.startswith("^", self.pos)
        self.pos += negated
        ranges: list[tuple[int, int]] = []
        if not self.ecma:
            while self.text.startswith("-", self.pos):
                ranges.append((0x2D, 0x2D))
                self.pos += 1
            if not ranges and self.text.startswith("]", self.pos):
                self.add_item(ranges)
        return negated, ranges

    def close_operand(self, ranges: list[tuple[int, int]], left: Charset, operator: str, fold: int) -> Charset:
        members = from_ranges(ranges)
        if fold:
            members = case_closure(members)
        return _combine(left, operator, members) if operator else members

    def posix(self, match: re.Match[str]) -> Charset:
        members = POSIX.get(match[2])
        if members is None:
            self.fail(f"unknown POSIX class {match[2]!r}", match.start())
        self.pos = match.end()
        if self.flags & IGNORE_CASE:
            members = case_closure(members)
        return negate(members) if match[1] else members

    def add_item(self, ranges: list[tuple[int, int]]) -> None:
        """Read a character, an escape, or a range of characters."""
        start = self.pos
        first = self.class_char()
        text = self.text
        if text[self.pos : self.pos + 1] == "-":
            follow = text[self.pos + 1 : self.pos + 2]
            if follow and follow != "]" and (self.ecma or follow != "-"):
                hyphen = self.pos
                self.pos += 1
                last = self.class_char() if self.ecma or follow != "[" else ()
                if isinstance(first, int) and isinstance(last, int):
                    if last < first:
                        self.fail(f"the range {text[start : self.pos]} is out of order", start)
                    ranges.append((first, last))
                    return
                if not self.ecma:
                    self.fail("a class cannot be an end of a range; write \\- for a hyphen", hyphen)
                # An end of the range is itself a set, as in `[\d-z]`. By ECMAScript's annex B, both ends and the hyphen
                # are then members of the class.
                ranges.append((0x2D, 0x2D))
                for item in (first, last):
                    ranges.extend([(item, item)] if isinstance(item, int) else item)
                return
        ranges.extend([(first, first)] if isinstance(first, int) else first)

    def class_char(self) -> int | Charset:
        char = self.text[self.pos]
        if char == "\\":
            return self.escape(in_class=True)
        self.pos += 1
        return ord(char)
