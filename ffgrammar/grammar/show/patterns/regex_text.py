r"""From trees over characters to regular expressions in the syntax that Lark, Python and Rust share.

A character is written as itself if it is visible, and as an escape (`\n`, `\x1f`, `\u2028`) if not. Sets are written in
the shorter of the two ways, as `[a-z]` or as `[^"\\]`.
"""

from __future__ import annotations

from collections.abc import Callable

from ffgrammar.core.visible import visible_char
from ffgrammar.regex.syntax.charset import ANY, Charset, negate
from ffgrammar.regex.syntax.parser import Node

__all__ = ["counts", "ranges_text", "regex_text"]

MARKS = frozenset("\\^$.|?*+()[]{}/")
MARKS_IN_CLASS = frozenset("\\^-[]/")
DOT = negate(((0x0A, 0x0A),))


def _plain(char: str) -> str:
    return "\\" + char if char in MARKS else visible_char(char)


def _in_class(char: str) -> str:
    return "\\" + char if char in MARKS_IN_CLASS else visible_char(char)


def ranges_text(members: Charset, written: Callable[[str], str]) -> str:
    """The inside of a character class."""
    parts = []
    for lo, hi in members:
        parts.append(written(chr(lo)))
        if hi > lo:
            parts.append(("-" if hi > lo + 1 else "") + written(chr(hi)))
    return "".join(parts)


def _charset_text(members: Charset) -> str:
    """A character class. The set must not be empty."""
    straight = f"[{ranges_text(members, _in_class)}]"
    others = negate(members)
    turned = f"[^{ranges_text(others, _in_class)}]" if others else straight
    return turned if len(turned) < len(straight) else straight


def _set_text(members: Charset) -> str:
    if members == ANY:
        return r"[\s\S]"
    if members == DOT:
        return "."
    return _charset_text(members) if members else r"[^\s\S]"


def counts(lo: int, hi: int | None) -> str:
    """The operator of a repeat."""
    if (lo, hi) in ((0, None), (1, None), (0, 1)):
        return {(0, None): "*", (1, None): "+", (0, 1): "?"}[lo, hi]
    if hi is None:
        return f"{{{lo},}}"
    return f"{{{lo}}}" if lo == hi else f"{{{lo},{hi}}}"


def regex_text(node: Node, special: Callable[[Node], str | None] = lambda node: None) -> str:
    """A regular expression.

    Args:
        node: a tree without ("and", ...), ("not", ...) and ("digits", ...), unless `special` writes them.
        special: gives the text of nodes that are not written out; None for other nodes. The text must be an item that
            may be repeated.
    """
    return _written(node, 0, special)


def _written(node: Node, level: int, special: Callable[[Node], str | None]) -> str:
    """The text of a node that may be an alternative (level 0), a part of a sequence (1), or repeated (2)."""
    named = special(node)
    if named is not None:
        return named
    kind = node[0]
    if kind == "empty":
        return "(?:)"
    if kind == "set":
        return _set_text(node[1])
    if kind == "text":
        text = "".join(map(_plain, node[1]))
        return f"(?:{text})" if level == 2 and len(node[1]) > 1 else text
    if kind == "rep":
        text = _written(node[1], 2, special) + counts(node[2], node[3])
        return f"(?:{text})" if level == 2 else text
    if kind == "cat":
        text = "".join([_written(one, 1, special) for one in node[1]])
        return f"(?:{text})" if level == 2 else text
    text = "|".join([_written(one, 1, special) for one in node[1]])
    return f"(?:{text})" if level else text
