"""Reading what a path names, where - is stdin."""

from __future__ import annotations

import sys

__all__ = ["read_input"]


def read_input(path: str) -> bytes:
    """The bytes of a file, or of stdin for -."""
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()
