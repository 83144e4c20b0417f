"""JSON pointers."""

from __future__ import annotations

__all__ = ["escaped"]


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
