"""Texts from the files of this machine: programs, documentation, locales, JSON."""

from __future__ import annotations

import hashlib
import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["KINDS", "RealText", "chunks", "real_texts"]

KINDS = ("py", "pyi", "pyx", "md", "rst", "txt", "html", "json", "po", "c", "h", "hpp", "js", "ts", "css", "xml", "sh")
# A longer file becomes several texts.
MAX_CHARACTERS = 200_000
# Characters of a chunk of texts, which becomes a row group.
CHUNK = 4_000_000


class RealText(NamedTuple):
    """A text of a file.

    Attributes:
        path: the path of the file.
        kind: the end of its name: one of KINDS.
        text: what is in it, or a piece of that.
    """

    path: str
    kind: str
    text: str


def real_texts(megabytes: float) -> Iterator[RealText]:
    """Different texts, about as many megabytes of UTF-8 as are asked for, or all that there are."""
    left = int(megabytes * 1_000_000)
    seen: set[bytes] = set()
    for path in _files():
        try:
            data = path.read_bytes()
            text = data.decode()
        except (OSError, UnicodeDecodeError):
            continue
        digest = hashlib.sha256(data).digest()
        if not data or digest in seen:
            continue
        seen.add(digest)
        for at in range(0, len(text), MAX_CHARACTERS):
            piece = text[at : at + MAX_CHARACTERS]
            yield RealText(str(path), path.suffix[1:], piece)
            left -= len(piece.encode())
            if left <= 0:
                return


def chunks(megabytes: float) -> Iterator[list[RealText]]:
    """`real_texts`, as many at a time as fit into memory."""
    chunk: list[RealText] = []
    size = 0
    for one in real_texts(megabytes):
        chunk.append(one)
        size += len(one.text)
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _files() -> Iterator[Path]:
    paths = sysconfig.get_paths()
    for root in dict.fromkeys([paths["stdlib"], paths["purelib"], "/usr/share", "/usr/lib", "/usr/include", "/opt"]):
        for folder, names, files in os.walk(root):
            names.sort()
            yield from (Path(folder, name) for name in sorted(files) if name.rpartition(".")[2] in KINDS)
