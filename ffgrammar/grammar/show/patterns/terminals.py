"""Lexemes as regular expressions, with `&` and `~` between them where a lexeme is an intersection or a complement."""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.core.visible import visible_char
from ffgrammar.grammar.show.patterns.cuts import Cuts
from ffgrammar.grammar.show.patterns.regex_text import regex_text
from ffgrammar.grammar.show.patterns.written import Notation
from ffgrammar.regex.syntax.parser import Node

__all__ = ["TerminalText", "lark_repeat", "string_text"]


def string_text(text: str) -> str:
    """A string in double quotes, as Lark reads it."""
    shown = [f"\\{char}" if char in '"\\' else "\\x0b" if char == "\v" else visible_char(char) for char in text]
    return f'"{"".join(shown)}"'


def lark_repeat(item: str, lo: int, hi: int | None) -> str:
    """A repeat in Lark's notation."""
    if (lo, hi) in ((0, None), (1, None), (0, 1)):
        return item + {(0, None): "*", (1, None): "+", (0, 1): "?"}[lo, hi]
    if hi is None:
        return f"{item}~{lo} {item}*"
    return f"{item}~{lo}" if lo == hi else f"{item}~{lo}..{hi}"


def digits_text(node: Node) -> str:
    """What a node ("digits", ...) asks for, for readers: no notation has it."""
    _, kind, divisor, carry, *bounds = node
    what = f"<a multiple of {divisor}" if kind == "multiples" else f"<digits that complete a multiple of {divisor}"
    return f"{what}: {', '.join(map(str, [carry, *bounds]))}>"


class TerminalText:
    """Writes lexemes.

    Args:
        cuts: the parts of the lexemes that have names of their own.
        parts: their names.
    """

    def __init__(self, cuts: Cuts, parts: Sequence[str]) -> None:
        self._cuts = cuts
        self._parts = parts
        self._whole: Node | None = None
        self._notation = Notation(self._leaf, lark_repeat)

    def text(self, tree: Node, is_part: bool = False) -> str:
        """The text of a lexeme, or of a part with a name."""
        # (a part that is defined here is written out, and not by its name)
        self._whole = tree if is_part else None
        return self._notation.text(tree)

    def _leaf(self, node: Node) -> str | None:
        if id(node) in self._cuts.named and node is not self._whole:
            return self._parts[self._cuts.named[id(node)]]
        if node[0] == "digits":
            return digits_text(node)
        if node[0] == "text":
            return string_text(node[1])
        if node[0] == "empty":
            return '""'
        # (a set that is a part with a name has no operators inside)
        is_plain = node[0] == "set" or id(node) not in self._cuts.has_operators
        return f"/{regex_text(node)}/" if is_plain else None
