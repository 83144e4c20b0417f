"""The texts of a grammar, and the places in them that messages name.

A Lark text may import files. All texts are kept in one str, one after another. So a place is one offset, whatever text
it is in.
"""

from __future__ import annotations

from bisect import bisect_right

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.source_text import check_source_text

__all__ = ["Texts", "error_at"]

# How much of a line an error shows, before its place and after it.
MAX_BEFORE, MAX_AFTER = 100, 40


class Texts:
    """A text, and those that it imports.

    Args:
        text: the text.
        limits: `source_bytes` bounds the length of each text.

    Attributes:
        joined: all texts, with line ends between them.
    """

    def __init__(self, text: str, limits: Limits) -> None:
        check_source_text(text, "the Lark text", limits)
        self.joined = text
        self._limits = limits
        self._begins = [0]
        self._files: list[str | None] = [None]

    def add(self, text: str, file: str) -> int:
        """Add a text. Returns the offset of its beginning.

        Args:
            text: the text.
            file: what messages call it.

        Raises:
            LimitError: all texts together are too long.
        """
        begin = len(self.joined) + 1
        self.joined = f"{self.joined}\n{text}"
        check_source_text(self.joined, f"the Lark text with {file}", self._limits)
        self._begins.append(begin)
        self._files.append(file)
        return begin

    def file(self, offset: int) -> str | None:
        """The file that has an offset, or None for the text itself."""
        return self._files[bisect_right(self._begins, offset) - 1]

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset in its text, both from 1, in code points."""
        begin = self._begins[bisect_right(self._begins, offset) - 1]
        line = self.joined.count("\n", begin, offset) + 1
        return line, offset - self.joined.rfind("\n", max(begin - 1, 0), offset)

    def told(self, offset: int) -> str:
        """The place of an offset in words."""
        line, column = self.place(offset)
        file = self.file(offset)
        return f"line {line}, column {column}" if file is None else f"{file}, line {line}, column {column}"

    def excerpt(self, offset: int) -> str:
        """The line of an offset, and below it a caret at the offset."""
        text = self.joined
        index = bisect_right(self._begins, offset)
        end = self._begins[index] - 1 if index < len(self._begins) else len(text)
        first = text.rfind("\n", max(self._begins[index - 1] - 1, 0), offset) + 1
        newline = text.find("\n", offset, end)
        last = end if newline < 0 else newline
        shown = text[max(first, offset - MAX_BEFORE) : min(last, offset + MAX_AFTER)].rstrip("\r")
        before = text[max(first, offset - MAX_BEFORE) : offset]
        # (a tab is as wide as the terminal makes it)
        blank = "".join(char if char == "\t" else " " for char in before)
        return f"    {shown}\n    {blank}^"


def error_at(texts: Texts, offset: int, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
    """An error about a place in a text; the caller raises it."""
    line, column = texts.place(offset)
    return kind(message, line=line, column=column, file=texts.file(offset), excerpt=texts.excerpt(offset))
