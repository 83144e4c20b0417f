"""Characters that people can see: invisible ones as escapes, as in Python's and Lark's strings."""

from __future__ import annotations

__all__ = ["in_quotes", "visible_char"]

CONTROLS = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\v": "\\v"}


def visible_char(char: str) -> str:
    """A character as itself or as an escape."""
    if char in CONTROLS:
        return CONTROLS[char]
    if char.isprintable():
        return char
    point = ord(char)
    return f"\\x{point:02x}" if point < 0x80 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def in_quotes(text: str) -> str:
    """What stands for a text between double quotes."""
    return "".join([f"\\{char}" if char in '"\\' else visible_char(char) for char in text])
