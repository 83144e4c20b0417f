"""Warnings about schemas that are outside the subset that OpenAI's API takes with `strict`. They are compiled here
nevertheless."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ffgrammar.core.pointers import escaped

__all__ = ["strict_warnings"]

MAX_PROPERTIES = 5000
MAX_LEVELS = 10
_REFUSED = ("allOf", "not", "if", "dependentRequired", "dependentSchemas", "patternProperties")
_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def strict_warnings(schema: Any) -> Iterator[tuple[str, str]]:
    """Where a schema is outside the subset: JSON pointers and messages."""
    properties = 0
    waiting: list[tuple[Any, str, int]] = [(schema, "", 1)]
    while waiting:
        one, pointer, level = waiting.pop()
        if not isinstance(one, dict):
            continue
        is_object = one.get("type") == "object" or "properties" in one
        named = one.get("properties")
        named = named if isinstance(named, dict) else {}
        properties += len(named)
        if is_object and one.get("additionalProperties") is not False:
            yield pointer, "strict asks for additionalProperties: false"
        required = one.get("required")
        missing = [key for key in named if key not in (required if isinstance(required, list) else ())]
        if missing:
            yield pointer, f"strict asks that all properties are required: {missing[0]!r} is not"
        for word in _REFUSED:
            if word in one:
                yield f"{pointer}/{word}", f"strict does not take {word!r}"
        if is_object and level == MAX_LEVELS + 1:
            yield pointer, f"strict takes at most {MAX_LEVELS} levels of objects"
        waiting += _inner(one, pointer, level + is_object)
    if properties > MAX_PROPERTIES:
        yield "", f"strict takes at most {MAX_PROPERTIES} properties; there are {properties}"


def _inner(schema: dict[str, Any], pointer: str, level: int) -> Iterator[tuple[Any, str, int]]:
    for word in _MAPS:
        inner = schema.get(word)
        for key, one in inner.items() if isinstance(inner, dict) else ():
            # (definitions are not deeper than what refers to them)
            yield one, f"{pointer}/{word}/{escaped(key)}", 1 if word in ("$defs", "definitions") else level
    for word in _LISTS:
        inner = schema.get(word)
        for number, one in enumerate(inner if isinstance(inner, list) else ()):
            yield one, f"{pointer}/{word}/{number}", level
    for word in _SINGLE:
        if word in schema:
            yield schema[word], f"{pointer}/{word}", level
