"""What a model of sentencepiece says, read from its file.

The file is a protocol buffer. Few of its fields matter here, so this module reads it, and no package is needed:

    model = parse_model(path, data)
    model.pieces[42].text, model.kind == UNIGRAM
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ffgrammar.core.errors import TokenizerError

__all__ = [
    "BPE",
    "BYTE",
    "CONTROL",
    "NORMAL",
    "SPACE",
    "UNIGRAM",
    "UNKNOWN",
    "UNUSED",
    "USER_DEFINED",
    "Model",
    "Piece",
    "parse_model",
]

SPACE = "\u2581"
# Kinds of pieces
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
# Kinds of models
UNIGRAM, BPE = 1, 2


class Piece(NamedTuple):
    """A token of a model."""

    text: str
    score: float
    kind: int


class Model(NamedTuple):
    """What a file says.

    Attributes:
        pieces: by id.
        kind: UNIGRAM or BPE.
        eos_id: the id of the token that ends a text; -1 if there is none.
        byte_fallback: whether a character that is no piece is written with tokens for its bytes.
        adds_space: whether a space is put before a text.
        joins_spaces: whether a run of spaces in a text becomes one, and those at its start and end are removed.
        charsmap: the map of characters that a text is normalized with; empty if there is none.
        map_name: the name of this map.
        spaces: what else the model does with spaces that is unusual; "" if nothing.
    """

    pieces: list[Piece]
    kind: int
    eos_id: int
    byte_fallback: bool
    adds_space: bool
    joins_spaces: bool = False
    charsmap: bytes = b""
    map_name: str = ""
    spaces: str = ""

    @property
    def normalizes(self) -> str:
        """How the model changes a text before encoding it, apart from a space before it, and what else it does with
        spaces that is unusual; "" if neither."""
        changes = [
            self.charsmap and (self.map_name or "its own map of characters"),
            self.joins_spaces and "surplus spaces are removed",
            self.spaces,
        ]
        return ", ".join(str(change) for change in changes if change)


def parse_model(path: Path, data: bytes) -> Model:
    """Reads a model.

    Args:
        path: for messages.
        data: what is in the file.

    Raises:
        TokenizerError: it is no such model, or is neither BPE nor unigram.
    """
    try:
        model = _read_model(data)
    except (AttributeError, IndexError, TypeError, ValueError, struct.error):
        raise TokenizerError(f"{path}: not a sentencepiece model, or damaged") from None
    if model.kind not in (UNIGRAM, BPE):
        raise TokenizerError(f"{path}: a sentencepiece model that is neither BPE nor unigram")
    return model


def _read_model(data: bytes) -> Model:
    pieces: list[Piece] = []
    trainer: dict[int, Any] = {}
    normalizer: dict[int, Any] = {}
    for field, value in _fields(data):
        if field == 1:
            parts = dict(_fields(value))
            score = struct.unpack("<f", parts[2])[0] if 2 in parts else 0.0
            pieces.append(Piece(parts.get(1, b"").decode("utf-8"), score, parts.get(3, NORMAL)))
        elif field == 2:
            trainer.update(_fields(value))
        elif field == 3:
            normalizer.update(_fields(value))
    if not pieces or len({piece.text for piece in pieces}) < len(pieces):
        raise ValueError
    spaces = ["spaces stay spaces"] if not normalizer.get(5, 1) else []
    spaces += ["spaces end words"] if trainer.get(24, 0) else []
    eos_id = trainer.get(42, 2)
    return Model(
        pieces,
        trainer.get(3, UNIGRAM),
        # (a number below zero has all high bits set)
        -1 if eos_id >> 31 else eos_id,
        bool(trainer.get(35, 0)),
        bool(normalizer.get(3, 1)),
        bool(normalizer.get(4, 1)),
        b"" + normalizer.get(2, b""),
        normalizer.get(1, b"").decode("utf-8"),
        ", ".join(spaces),
    )


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """(number, value) of each field of a message. The value is an int or bytes. Raises IndexError or ValueError if the
    message ends too soon, or has a kind of field that is not known."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
                yield key >> 3, value
                continue
            case 1:
                size = 8
            case 2:
                size, at = _varint(data, at)
            case 5:
                size = 4
            case _:
                raise ValueError
        if at + size > len(data):
            raise ValueError
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """(a number, the offset after it)."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            raise ValueError
