# cython: language_level=3
"""How GBNF and xgrammar's EBNF differ: in names, escapes, repeats, tokens, and in what else there is.

Both are read by the same reader. Neither asks more of a line break than that the name of a rule is the first on its
line, so a rule may go on over several lines in both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["DIALECTS", "Dialect"]

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_CLASS = r"\[[^\]\\]*(?:\\.[^\]\\]*)*\]"
_SKIP = r"[ \t\r\n\ufeff]+ | \#[^\r\n]*"

_GBNF = rf"""
    (?P<skip>   {_SKIP} )
  | (?P<name>   [A-Za-z0-9_-]+ )
  | (?P<string> {_STRING} )
  | (?P<class>  {_CLASS} )
  | (?P<token>  !?<[^<>\r\n]+> )
  | (?P<braces> \{{[^{{}}]*\}} )
  | (?P<mark>   ::= | [|()*+?.] )
"""
_EBNF = rf"""
    (?P<skip>   {_SKIP} )
  | (?P<name>   [A-Za-z_.-][A-Za-z0-9_.-]* )
  | (?P<string> {_STRING} )
  | (?P<class>  {_CLASS} )
  | (?P<number> [0-9]+ )
  | (?P<braces> \{{[^{{}}]*\}} )
  | (?P<mark>   ::= | \(= | [|()*+?,=] )
"""


@dataclass(frozen=True)
class Dialect:
    """A notation.

    Attributes:
        name: "gbnf" or "ebnf".
        title: its name in messages.
        token: a regular expression for what a text consists of.
        escapes: the characters that may follow a backslash in strings and classes, and what they stand for.
        class_escapes: those that may follow it in classes only.
        any_hex: whether `\\x` takes any number of digits, else two.
        macros: whether there are macros, look-ahead and options of rules, which are written with words.
        line_breaks: whether strings and classes may have line breaks.
        empty: whether an alternative may be left empty.
    """

    name: str
    title: str
    token: re.Pattern[str]
    escapes: dict[str, str]
    class_escapes: str
    any_hex: bool
    macros: bool
    line_breaks: bool
    empty: bool


def _dialect(name: str, title: str, token: str, escapes: dict[str, str], class_escapes: str, ebnf: bool) -> Dialect:
    return Dialect(
        name, title, re.compile(token, re.VERBOSE | re.DOTALL), escapes, class_escapes, ebnf, ebnf, not ebnf, not ebnf
    )


_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"'}

DIALECTS = {
    "gbnf": _dialect("gbnf", "GBNF", _GBNF, {**_CONTROL, "[": "[", "]": "]", "-": "-"}, "", False),
    "ebnf": _dialect(
        "ebnf",
        "EBNF",
        _EBNF,
        {**_CONTROL, "/": "/", "'": "'", "?": "?", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "e": "\x1b"},
        "^$.*+()[]{}|-",
        True,
    ),
}
