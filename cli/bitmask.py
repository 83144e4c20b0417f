"""One mask, counted, listed or encoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ffgrammar import Matcher, Tokenizer

__all__ = ["Mask"]


class Mask:
    """A bitmask of one row. It is kept as bytes, because importing numpy takes longer than the rest of a command."""

    def __init__(self, matcher: Matcher, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.accepting = matcher.is_accepting()
        words = (tokenizer.vocab_size + 31) // 32
        self.data = bytearray(4 * words)
        matcher.fill_bitmask(memoryview(self.data).cast("i", (1, words)))

    def count(self) -> int:
        """How many tokens are allowed."""
        return int.from_bytes(self.data, "little").bit_count()

    def ids(self) -> Iterator[int]:
        """The ids of the allowed tokens, ascending."""
        for start, byte in enumerate(self.data):
            while byte:
                lowest = byte & -byte
                yield 8 * start + lowest.bit_length() - 1
                byte ^= lowest

    def as_json(self, form: str) -> dict[str, Any]:
        """A JSON object: the count, whether the text may end, and the tokens.

        Args:
            form: how the tokens are given: "ids", "bitmask", "count" (not at all), or anything else (as objects).
        """
        found: dict[str, Any] = {"count": self.count(), "accepting": self.accepting}
        if form == "ids":
            found["ids"] = list(self.ids())
        elif form == "bitmask":
            found["bitmask"] = self.base64()
        elif form != "count":
            from .show import token_as_json

            found["tokens"] = [token_as_json(self.tokenizer, token) for token in self.ids()]
        return found

    def base64(self) -> str:
        """The int32 words, little-endian, in base64."""
        import base64

        return base64.b64encode(self.data).decode()
