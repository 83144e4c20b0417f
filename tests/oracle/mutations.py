"""Small mutations of texts: one byte or one token is dropped, doubled, replaced, swapped or put in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

__all__ = ["mutations"]

# A word, a number, a run of blanks, or one other byte.
PIECE = re.compile(rb"[A-Za-z_]+|[0-9]+|[ \t]+|[\s\S]")


def mutations(data: bytes, marks: bytes, rng: Random, count: int) -> Iterator[bytes]:
    """Mutations of a text.

    Args:
        data: the text; it is not empty.
        marks: bytes that mean something in its language.
        rng: where they are.
        count: how many.
    """
    pieces = PIECE.findall(data)
    for _ in range(count):
        if rng.random() < 0.5:
            at = rng.randrange(len(data))
            byte = bytes([rng.choice(marks) if rng.random() < 0.8 else rng.randrange(256)])
            yield rng.choice(
                [data[:at] + data[at + 1 :], data[:at] + byte + data[at + 1 :], data[:at] + byte + data[at:]]
            )
        else:
            yield b"".join(_with_pieces(pieces, rng))


def _with_pieces(pieces: list[bytes], rng: Random) -> list[bytes]:
    at = rng.randrange(len(pieces))
    before, one, after = pieces[:at], pieces[at], pieces[at + 1 :]
    kind = rng.randrange(4)
    if kind == 0:
        return [*before, *after]
    if kind == 1:
        return [*before, one, one, *after]
    if kind == 2:
        return [*before, rng.choice(pieces), *after]
    return [*before, *after[:1], one, *after[1:]]
