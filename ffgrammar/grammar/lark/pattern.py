"""Lark's regular expressions are Python's: rewritten here in the Rust syntax that ffgrammar.regex reads.

What differs: `[` is an ordinary character inside a class, as are `&&`, `--` and `~~`; a `{` that begins no repeat is an
ordinary character; `{,n}` is `{0,n}`; any punctuation can be escaped; `(?#comments)` and the flag x. (`[[:alpha:]]` is
read as Rust reads it: as Python reads it, nobody means it.)
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Translation", "translate"]

# Classes and comments that are not closed go on to the end, so that no part of a pattern is looked at twice.
_PIECE = re.compile(
    r"""
    (?P<class>   \[\^?\]? (?: \[:\^?[a-z]+:\] | \\. | [^\]\\] )* (?:\]|\Z) )
  | (?P<escape>  \\. )
  | (?P<comment> \(\?\#[^)]*\)? )
  | (?P<group>   \(\? )
  | (?P<repeat>  [*+?] | \{[0-9]+(?:,[0-9]*)?\} )
  | (?P<upto>    \{,[0-9]+\} )
  | (?P<brace>   [{}] )
  | (?P<blank>   \s+ | \#[^\n]* )
  | (?P<other>   [^\\\[({}*+?\#\s]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_PIECE = re.compile(r"(?P<keep>\[:\^?[a-z]+:\])|(?P<escape>\\.)|(?P<special>[\[&~]|--)|[^\\\[&~-]+|.", re.DOTALL)
# What Rust needs a backslash for; before other punctuation it is dropped (`\<` would be a word boundary).
_META = frozenset("\\.+*?()|[]{}^$#&-~")


class Translation(NamedTuple):
    """A pattern in Rust syntax.

    Attributes:
        offsets: offsets[i] is where character i of the pattern comes from.
        lazy: some repeat is lazy (`*?`), which matters where the text is not given whole.
    """

    pattern: str
    offsets: list[int]
    lazy: bool


def translate(pattern: str, *, verbose: bool = False) -> Translation:
    """The same language in Rust syntax. Wrong patterns are passed on as they are, for the parser to complain about."""
    parts: list[str] = []
    offsets: list[int] = []
    lazy = after_repeat = False

    def emit(text: str, start: int, width: int) -> None:
        parts.append(text)
        if len(text) == width:
            offsets.extend(range(start, start + width))
        else:
            offsets.extend([start] * len(text))

    for found in _PIECE.finditer(pattern):
        kind, piece, start = found.lastgroup, found.group(), found.start()
        if (kind == "comment" and piece.endswith(")")) or (kind == "blank" and verbose):
            continue
        if kind == "escape":
            emit(_escape(piece), start, 2)
        elif kind == "class":
            emit("[", start, 1)
            for inner in _CLASS_PIECE.finditer(piece, 1):
                text = inner.group()
                if inner.lastgroup == "escape":
                    text = _escape(text)
                elif text == "--":
                    # One of the two ends a range: `[--a]` is from - to a, `[+--]` from + to -.
                    text = "\\--" if inner.start() == 1 else "-\\-"
                elif inner.lastgroup == "special":
                    text = "\\" + text
                emit(text, start + inner.start(), len(inner.group()))
        elif kind == "upto":
            emit("{0" + piece[1:], start, len(piece))
        elif kind == "brace":
            emit("\\" + piece, start, 1)
        else:
            emit(piece, start, len(piece))
        lazy = lazy or (after_repeat and piece == "?")
        after_repeat = kind in ("repeat", "upto") and not (after_repeat and piece == "?")
    return Translation("".join(parts), offsets, lazy)


def _escape(piece: str) -> str:
    char = piece[1]
    return piece if char in _META or char.isalnum() or not char.isascii() else char
