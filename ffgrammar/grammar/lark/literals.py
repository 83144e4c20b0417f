# cython: language_level=3
"""Strings, ranges and regular expressions: from tokens to steps of a body."""

from __future__ import annotations

import re

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.lark.source import Op
from ffgrammar.grammar.lark.texts import Texts, error_at
from ffgrammar.grammar.lark.tokens import Token, shown

__all__ = ["range_of", "regex", "string", "unescaped"]

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([xuU])|([nftr\\\"])|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "f": "\f", "t": "\t", "r": "\r", "\\": "\\", '"': '"'}


def string(texts: Texts, token: Token) -> Op:
    """The step of a string. Raises GrammarError as `unescaped`."""
    return Op("text", (unescaped(texts, token), token.value.endswith("i")), token.offset)


def range_of(texts: Texts, first: Token, last: Token) -> Op:
    """The step of a range between two strings. Raises GrammarError if they are no characters, or in the wrong order."""
    ends = (_one_character(texts, first), _one_character(texts, last))
    if ends[0] > ends[1]:
        raise error_at(texts, first.offset, f"the range {first.value}..{last.value} is empty")
    return Op("range", ends, first.offset)


def _one_character(texts: Texts, token: Token) -> int:
    value = unescaped(texts, token)
    if len(value) != 1 or token.value.endswith("i"):
        raise error_at(texts, token.offset, f"a range is between two single characters, not {shown(token)}")
    return ord(value)


def unescaped(texts: Texts, token: Token) -> str:
    """The value of a string by Lark's rules: an unknown escape keeps its backslash.

    Raises:
        GrammarError: an escape is wrong, or stands for half of a surrogate pair.
    """
    raw = token.value[1 : -2 if token.value.endswith("i") else -1]
    if "\\" not in raw:
        return _encodable(texts, token, raw)

    def value(found: re.Match[str]) -> str:
        digits = found[1] or found[2] or found[3]
        if digits and int(digits, 16) <= 0x10FFFF:
            return chr(int(digits, 16))
        if digits or found[4]:
            raise error_at(texts, token.offset + 1 + found.start(), f"bad escape {found[0]}")
        return _SIMPLE_ESCAPES[found[5]] if found[5] else found[0]

    return _encodable(texts, token, _ESCAPE.sub(value, raw))


def _encodable(texts: Texts, token: Token, value: str) -> str:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise error_at(texts, token.offset, "a string cannot have half of a surrogate pair")
    return value


def regex(texts: Texts, token: Token) -> Op:
    """The step of a regular expression.

    Raises:
        GrammarError: it has a line break, and no flag x.
        UnsupportedError: it has the flag l.
    """
    end = token.value.rindex("/")
    pattern, flags = token.value[1:end], token.value[end + 1 :]
    if "\n" in pattern and "x" not in flags:
        message = "this regular expression has no closing / on its line (line breaks need the flag x)"
        raise error_at(texts, token.offset, message)
    if "l" in flags:
        message = "the flag l (locale) is not supported"
        raise error_at(texts, token.offset + end + 1, message, UnsupportedError)
    return Op("regex", (pattern, flags), token.offset)
