"""What the leaves of a composition read, one unit of the text after the other."""

from __future__ import annotations

from typing import Protocol

__all__ = ["SPECIAL_UNIT", "LiteralRun", "Run", "TokenRun"]

# A text is a list of units: a unit is a byte, or the id of a special token plus this.
SPECIAL_UNIT = 256


class Run(Protocol):
    """A leaf that has begun at one place of a text; `leaf_run.LeafRun` is that of a grammar.

    Attributes:
        begin: how many units are before it.
        count: how many it has read.
    """

    begin: int
    count: int

    def take(self, units: list[int], /) -> int:
        """Read the next unit. Returns 2 if the leaf may end after it, 1 if it can only go on, and 0 if it cannot have
        the unit; in the last case nothing was read."""

    def goes_on(self, units: list[int], /) -> bool:
        """Whether some text of the leaf is longer than what was read."""

    def cut(self, count: int, /) -> None:
        """Keep the first units that were read."""


class LiteralRun:
    """Exactly these bytes."""

    def __init__(self, text: bytes, begin: int) -> None:
        self.text = text
        self.begin = begin
        self.count = 0

    def take(self, units: list[int]) -> int:
        if self.count == len(self.text) or units[self.begin + self.count] != self.text[self.count]:
            return 0
        self.count += 1
        return 1 + (self.count == len(self.text))

    def goes_on(self, units: list[int]) -> bool:
        return self.count < len(self.text)

    def cut(self, count: int) -> None:
        self.count = count


class TokenRun:
    """One of these special tokens."""

    def __init__(self, tokens: tuple[int, ...], begin: int) -> None:
        self.tokens = tokens
        self.begin = begin
        self.count = 0

    def take(self, units: list[int]) -> int:
        if self.count or units[self.begin] - SPECIAL_UNIT not in self.tokens:
            return 0
        self.count = 1
        return 2

    def goes_on(self, units: list[int]) -> bool:
        return not self.count

    def cut(self, count: int) -> None:
        self.count = count
