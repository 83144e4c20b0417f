"""Which texts contain others of a list. Aho, Corasick, *Efficient string matching* (1975): the time grows with the
length of all texts together, not with the number of pairs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

__all__ = ["Contained"]


class Contained:
    """Finds texts in other texts.

    Args:
        texts: what is looked for. No text is empty.
    """

    def __init__(self, texts: Iterable[bytes]) -> None:
        self._next: list[dict[int, int]] = [{}]
        # by state, one of the texts that end there
        self._found: list[bytes | None] = [None]
        for text in texts:
            state = 0
            for byte in text:
                state = self._next[state].setdefault(byte, len(self._next))
                if state == len(self._next):
                    self._next.append({})
                    self._found.append(None)
            self._found[state] = text
        self._fail = [0] * len(self._next)
        waiting = deque(self._next[0].values())
        while waiting:
            state = waiting.popleft()
            for byte, after in self._next[state].items():
                fail = self._fail[after] = self._step(self._fail[state], byte)
                self._found[after] = self._found[after] or self._found[fail]
                waiting.append(after)

    def _step(self, state: int, byte: int) -> int:
        while state and byte not in self._next[state]:
            state = self._fail[state]
        return self._next[state].get(byte, 0)

    def find(self, text: bytes) -> bytes | None:
        """One of the texts that is in `text`; None if there is none."""
        state = 0
        for byte in text:
            state = self._step(state, byte)
            if self._found[state] is not None:
                return self._found[state]
        return None

    def find_shorter(self, text: bytes) -> bytes | None:
        """The same, where the text that is found is not `text` itself."""
        return self.find(text[1:]) or self.find(text[:-1])
