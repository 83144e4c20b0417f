# cython: language_level=3
r"""Lark's regular expressions, which are Python's, rewritten in the Rust syntax that regex/syntax/ reads.

In Python's syntax `[` is an ordinary character inside a class, as are `&&`, `--` and `~~`; a `{` that begins no repeat
is an ordinary character; `{,n}` is `{0,n}`, and `{,}` is `{0,}`; `\<` is a character; there are `(?#comments)`; and
under the flag x white space counts in classes. (`[[:alpha:]]` is read as Rust reads it, because nobody wants what
Python makes of it.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Translation", "translate"]

# A class or comment that is not closed extends to the end of the pattern, so that no part of a pattern is read twice.
_PIECES = r"""
    (?P<class>   \[\^?\]? (?: \[:\^?[a-z]+:\] | \\. | [^\]\\] )* (?:\]|\Z) )
  | (?P<escape>  \\[pPxu]\{[^{}]*\} | \\. )
  | (?P<comment> \(\?\#[^)]*\)? )
  | (?P<group>   \(\? )
  | (?P<repeat>  [*+?] | \{[0-9]+(?:,[0-9]*)?\} )
  | (?P<upto>    \{,[0-9]*\} )
  | (?P<brace>   [{}] )
  | (?P<other>   [^\\\[({}*+?\#\s]+ | . )
    """
_PIECE = re.compile(_PIECES, re.VERBOSE | re.DOTALL)
_VERBOSE_PIECE = re.compile(r"(?P<blank> [ \t\n\r\f\v]+ | \#[^\n]* ) |" + _PIECES, re.VERBOSE | re.DOTALL)
_CHAR = r"\\[pPxu]\{[^{}]*\} | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4} | \\U[0-9A-Fa-f]{8} | \\. | ."
_CLASS_ITEM = re.compile(
    rf"(?P<posix> \[:\^?[a-z]+:\] ) | (?P<first> {_CHAR} ) (?: - (?P<last> {_CHAR} ) )?", re.VERBOSE | re.DOTALL
)
# Most patterns are the same in both syntaxes: those without flags, comments and lazy repeats, whose classes have no
# `[`, `]` or `^` and no doubled `&`, `-` or `~` as characters. Each character is matched in one way only, so that a
# search that fails takes linear time.
_CLASS_CHAR = r"(?: [^\\\[\]^&~-] | \\. | &(?!&) | ~(?!~) )"
_UNCHANGED = re.compile(
    rf"""
    (?: [^\\\[({{}}*+?]
      | \\[^<>]
      | \[ \^? -? (?: {_CLASS_CHAR} (?: -{_CLASS_CHAR} )? )+ -? \]
      | \( (?: \?: | (?!\?) )
      | (?: [*+?] | \{{[0-9]+(?:,[0-9]*)?\}} ) (?!\?)
    )*
    """,
    re.VERBOSE | re.DOTALL,
)
_META_IN_CLASS = frozenset("[]^&-~# \t\n\r\f\v")
_STARTS_VERBOSE = re.compile(r"\(\?[aimsu]*x[aimsux]*\)")


class Translation(NamedTuple):
    """A pattern in Rust syntax.

    Attributes:
        pattern: the pattern.
        offsets: character i of `pattern` comes from the character at index offsets[i] of the original.
        lazy: some repeat is lazy (`*?`). This changes where a lexer ends a lexeme, but not which texts match.
    """

    pattern: str
    offsets: Sequence[int]
    lazy: bool


def translate(pattern: str, *, verbose: bool = False) -> Translation:
    """A pattern for the same language, in Rust syntax. Errors in the pattern are kept, for the parser to report.

    Args:
        pattern: the text between the slashes.
        verbose: whether the flag x stands after the pattern.
    """
    if not verbose and _UNCHANGED.fullmatch(pattern):
        return Translation(pattern, range(len(pattern)), False)
    return rewritten(pattern, verbose)


def rewritten(pattern: str, verbose: bool) -> Translation:
    """What `translate` returns for a pattern that may have to change: it is rewritten piece by piece."""
    made = _Writer(pattern)
    lazy = after_repeat = False
    verbose = verbose or _STARTS_VERBOSE.match(pattern) is not None
    for found in (_VERBOSE_PIECE if verbose else _PIECE).finditer(pattern):
        kind, piece, start = found.lastgroup, found.group(), found.start()
        if kind == "blank" or (kind == "comment" and piece.endswith(")")):
            continue
        if kind == "escape" and piece in ("\\<", "\\>"):
            # Rust's \< and \> are word boundaries, Python's are characters.
            made.write(piece[1], start, len(piece))
        elif kind == "class":
            made.write_class(start, found.end())
        elif kind == "upto":
            made.write("{0" + piece[1:], start, len(piece))
        elif kind == "other" and verbose and piece.isspace():
            # Under x, Python skips white space of ASCII only, and Rust skips all.
            made.write(f"\\x{{{ord(piece):X}}}", start, 1)
        elif kind == "brace":
            made.write("\\" + piece, start, 1)
        else:
            made.write(piece, start, len(piece))
        lazy = lazy or (after_repeat and piece == "?")
        after_repeat = kind in ("repeat", "upto") and not (after_repeat and piece == "?")
    return Translation("".join(made.parts), made.offsets, lazy)


class _Writer:
    """A translation that is being written, with the offset of each character."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.parts: list[str] = []
        self.offsets: list[int] = []

    def write(self, text: str, start: int, width: int) -> None:
        """Write what stands for `width` characters of the original from `start` on."""
        self.parts.append(text)
        if len(text) == width:
            self.offsets.extend(range(start, start + width))
        else:
            self.offsets.extend([start] * len(text))

    def write_class(self, start: int, end: int) -> None:
        """Write the character class that the original has between two indexes. It may lack its closing bracket."""
        pattern = self.pattern
        inside = start + (2 if pattern.startswith("[^", start) else 1)
        close = end - pattern.endswith("]", start, end)
        self.write(pattern[start:inside], start, inside - start)
        for item in _CLASS_ITEM.finditer(pattern, inside, close):
            if item["posix"]:
                self.write(item["posix"], item.start(), len(item["posix"]))
                continue
            self.write(_in_class(item["first"]), item.start(), len(item["first"]))
            if item["last"]:
                self.write("-", item.start("last") - 1, 1)
                self.write(_in_class(item["last"]), item.start("last"), len(item["last"]))
        self.write(pattern[close:end], close, end - close)


def _in_class(char: str) -> str:
    # White space is escaped, too: under Rust's (?x), unescaped white space means nothing even in a class.
    return "\\" + char if char in _META_IN_CLASS else char
