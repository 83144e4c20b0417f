"""The allowed tokens as a trie, node by node, with counts; and a search in them.

The tokens of a vocabulary are sorted by their bytes once. Those below a node are then next to each other, and a running
sum over a mask counts them. So a node takes well below a millisecond, whatever the size of the vocabulary.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.draw.text import visible
from ffgrammar.play.bounds import MAX_BRANCHES, MAX_FOUND
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["SortedTokens"]


class SortedTokens:
    """The tokens of a vocabulary, sorted by their bytes. Special tokens stand apart.

    Args:
        tok: the vocabulary.
    """

    def __init__(self, tok: Tokenizer) -> None:
        self._tok = tok
        pairs = sorted((tok.token_bytes(token), token) for token in range(tok.vocab_size))
        first = bisect_left(pairs, (b"\0", -1))
        self._bytes = [data for data, _ in pairs[first:]]
        self._ids = np.array([token for _, token in pairs[first:]], dtype=np.int64)
        self._special = np.array([token for _, token in pairs[:first]], dtype=np.int64)

    def node(self, allowed: NDArray[np.int32], prefix: bytes) -> dict[str, Any]:
        """The allowed tokens that begin with some bytes, in branches by what comes next.

        Args:
            allowed: the ids of the allowed tokens.
            prefix: the bytes.
        """
        mask = np.zeros(self._tok.vocab_size, dtype=bool)
        mask[allowed] = True
        places = np.flatnonzero(mask[self._ids])
        low = int(np.searchsorted(places, bisect_left(self._bytes, prefix)))
        high = int(np.searchsorted(places, self._end(prefix)))
        branches: list[dict[str, Any]] = []
        here: list[int] = []
        while low < high and len(branches) < MAX_BRANCHES:
            data = self._bytes[places[low]]
            if data == prefix:
                here.append(int(self._ids[places[low]]))
                low += 1
                continue
            step = data[: len(prefix) + 1]
            end = min(high, int(np.searchsorted(places, self._end(step))))
            branches.append(self._branch(places[low:end], prefix))
            low = end
        names = [(int(one), self._tok.visible_token(int(one))) for one in self._special[mask[self._special]]]
        return {
            "here": here,
            "branches": branches,
            "more": high - low,
            "special": names[:MAX_BRANCHES] if not prefix else [],
        }

    def search(self, allowed: NDArray[np.int32], needle: bytes) -> dict[str, Any]:
        """The allowed tokens that have some bytes inside; shorter ones first."""
        mask = np.zeros(self._tok.vocab_size, dtype=bool)
        mask[allowed] = True
        places = np.flatnonzero(mask[self._ids])
        found = [at for at in places.tolist() if needle in self._bytes[at]]
        found.sort(key=lambda at: (not self._bytes[at].startswith(needle), len(self._bytes[at])))
        listed = [(int(self._ids[at]), visible(self._bytes[at])) for at in found[:MAX_FOUND]]
        return {"found": listed, "count": len(found)}

    def _end(self, prefix: bytes) -> int:
        """Where the tokens end that begin with some bytes."""
        stem = prefix.rstrip(b"\xff")
        if not stem:
            return len(self._bytes)
        return bisect_left(self._bytes, stem[:-1] + bytes([stem[-1] + 1]))

    def _branch(self, places: NDArray[np.int64], prefix: bytes) -> dict[str, Any]:
        """Tokens that go on with the same byte, and with all bytes that they share."""
        data = _shared(self._bytes[places[0]], self._bytes[places[-1]])
        ends = [int(self._ids[at]) for at in places[:4] if self._bytes[at] == data]
        return {
            "bytes": data.hex(),
            "text": visible(data[len(prefix) :]),
            "count": len(places),
            "token": ends[0] if ends else None,
        }


def _shared(one: bytes, other: bytes) -> bytes:
    """What two texts begin with."""
    size = min(len(one), len(other))
    return one[: next((at for at in range(size) if one[at] != other[at]), size)]
