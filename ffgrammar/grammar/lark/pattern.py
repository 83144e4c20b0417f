r"""Lark's regular expressions are Python's: rewritten here in the Rust syntax that ffgrammar.regex reads.

What differs: `[` is an ordinary character inside a class, as are `&&`, `--` and `~~`; a `{` that begins no repeat is an
ordinary character; `{,n}` is `{0,n}`; `\<` is a character; `(?#comments)`; white space in classes under the flag x.
(`[[:alpha:]]` is read as Rust reads it: as Python reads it, nobody means it.)
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Translation", "translate"]

# Classes and comments that are not closed go on to the end, so that no part of a pattern is looked at twice.
_PIECES = r"""
    (?P<class>   \[\^?\]? (?: \[:\^?[a-z]+:\] | \\. | [^\]\\] )* (?:\]|\Z) )
  | (?P<escape>  \\[pPxu]\{[^{}]*\} | \\. )
  | (?P<comment> \(\?\#[^)]*\)? )
  | (?P<group>   \(\? )
  | (?P<repeat>  [*+?] | \{[0-9]+(?:,[0-9]*)?\} )
  | (?P<upto>    \{,[0-9]+\} )
  | (?P<brace>   [{}] )
  | (?P<other>   [^\\\[({}*+?\#\s]+ | . )
    """
_PIECE = re.compile(_PIECES, re.VERBOSE | re.DOTALL)
_VERBOSE_PIECE = re.compile(r"(?P<blank> \s+ | \#[^\n]* ) |" + _PIECES, re.VERBOSE | re.DOTALL)
_CHAR = r"\\[pPxu]\{[^{}]*\} | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4} | \\U[0-9A-Fa-f]{8} | \\. | ."
_CLASS_ITEM = re.compile(
    rf"(?P<posix> \[:\^?[a-z]+:\] ) | (?P<first> {_CHAR} ) (?: - (?P<last> {_CHAR} ) )?", re.VERBOSE | re.DOTALL
)
_META_IN_CLASS = frozenset("[]^&-~# \t\n\r\f\v")
_STARTS_VERBOSE = re.compile(r"\(\?[aimsu]*x")


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
    verbose = verbose or _STARTS_VERBOSE.match(pattern) is not None

    def emit(text: str, start: int, width: int) -> None:
        parts.append(text)
        if len(text) == width:
            offsets.extend(range(start, start + width))
        else:
            offsets.extend([start] * len(text))

    for found in (_VERBOSE_PIECE if verbose else _PIECE).finditer(pattern):
        kind, piece, start = found.lastgroup, found.group(), found.start()
        if kind == "blank" or (kind == "comment" and piece.endswith(")")):
            continue
        if kind == "escape":
            # Rust's \< and \> are word boundaries, Python's are characters.
            emit(piece[1] if piece in ("\\<", "\\>") else piece, start, len(piece))
        elif kind == "class":
            inside = start + (2 if piece.startswith("[^") else 1)
            end = found.end() - piece.endswith("]")
            emit(pattern[start:inside], start, inside - start)
            for item in _CLASS_ITEM.finditer(pattern, inside, end):
                if item["posix"]:
                    emit(item["posix"], item.start(), len(item["posix"]))
                    continue
                emit(_in_class(item["first"]), item.start(), len(item["first"]))
                if item["last"]:
                    emit("-", item.start("last") - 1, 1)
                    emit(_in_class(item["last"]), item.start("last"), len(item["last"]))
            emit(pattern[end : found.end()], end, found.end() - end)
        elif kind == "upto":
            emit("{0" + piece[1:], start, len(piece))
        elif kind == "brace":
            emit("\\" + piece, start, 1)
        else:
            emit(piece, start, len(piece))
        lazy = lazy or (after_repeat and piece == "?")
        after_repeat = kind in ("repeat", "upto") and not (after_repeat and piece == "?")
    return Translation("".join(parts), offsets, lazy)


def _in_class(char: str) -> str:
    # White space too: Rust's (?x) does not count it even there.
    return "\\" + char if char in _META_IN_CLASS else char
