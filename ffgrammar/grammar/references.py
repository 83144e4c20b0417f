"""Whether a JSON Schema has references, found without reading it as a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["has_references"]


def has_references(schema: Any) -> bool:
    """Whether there is a reference somewhere in a schema."""
    waiting = [schema]
    seen: set[int] = set()  # (what Python made may contain itself)
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            if "$ref" in one or "$dynamicRef" in one or "$recursiveRef" in one:
                return True
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
    return False
