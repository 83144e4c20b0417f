"""The best path of a unigram model, slowly: at every character all pieces are tried, and the best sum is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["best_path", "words"]

PENALTY = 10.0


def best_path(
    text: str,
    pieces: Mapping[str, tuple[int, float]],
    worst: float,
    unknown: int,
    single: bool,
    byte_tokens: Sequence[int] | None,
) -> list[int]:
    """The tokens of a text.

    Args:
        text: the text.
        pieces: id and score by text.
        worst: the worst score.
        unknown: the token for a run of characters that are no pieces.
        single: whether sums have 32 bits.
        byte_tokens: tokens for the bytes of characters that are no pieces, instead of `unknown`.
    """
    number: Any = np.float32 if single else float
    best: list[tuple[Any, int, int] | None] = [(number(0), -1, -1), *[None] * len(text)]
    for start in range(len(text)):
        found = best[start]
        assert found is not None
        ends = [end for end in range(start + 1, len(text) + 1) if text[start:end] in pieces]
        offers = [(end, *pieces[text[start:end]]) for end in ends]
        if start + 1 not in ends:
            offers.append((start + 1, -1, number(worst) - number(PENALTY)))
        for end, piece, score in offers:
            total = found[0] + number(score)
            known = best[end]
            if known is None or total > known[0]:
                best[end] = (total, start, piece)
    path: list[tuple[int, str]] = []
    at = len(text)
    while at:
        _, start, piece = best[at] or (0, 0, 0)
        path.insert(0, (piece, text[start:at]))
        at = start
    ids: list[int] = []
    for k, (piece, part) in enumerate(path):
        if piece >= 0:
            ids.append(piece)
        elif byte_tokens is not None:
            ids += [byte_tokens[value] for value in part.encode()]
        elif k == 0 or path[k - 1][0] >= 0:
            ids.append(unknown)
    return ids


def words(text: str) -> list[str]:
    """The parts of a text that begin at its spaces."""
    parts: list[str] = []
    for letter in text:
        if letter == " " or not parts:
            parts.append("")
        parts[-1] += letter
    return parts
