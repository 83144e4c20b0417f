"""Where a text that grows first has a match of a regex.

stop = Stop("</s>", tok)
stop.find(b"one </")         # None
stop.find(b"one </s> two")   # 4
"""

from __future__ import annotations

from ffgrammar.api.compile import compile_regex
from ffgrammar.core.errors import GrammarError
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Stop"]


class Stop:
    """Looks for the match that ends first; of the matches that end there, for the longest.

    Raises:
        GrammarError: the pattern is wrong, or matches the empty text.
        UnsupportedError, LimitError: as for `compile_regex`.
    """

    def __init__(self, pattern: str, tok: Tokenizer) -> None:
        self._whole = compile_regex(pattern, tok)
        self._ends = compile_regex(f"(?s:.*)(?:{pattern})", tok).matcher()
        self._read = 0
        if self._whole.matcher().is_accepting():
            raise GrammarError(f"the stop {pattern!r} matches the empty text")

    def find(self, text: bytes) -> int | None:
        """Where the match begins, in a text that has grown since the last call; None if there is none yet."""
        while self._read < len(text):
            self._read += 1
            self._ends.accept_bytes(text[self._read - 1 : self._read])
            if self._ends.is_accepting():
                return next(start for start in range(self._read) if self._matches(text[start : self._read]))
        return None

    def _matches(self, data: bytes) -> bool:
        matcher = self._whole.matcher()
        return matcher.accept_bytes(data) == len(data) and matcher.is_accepting()
