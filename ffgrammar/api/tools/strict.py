"""Warnings about schemas that are outside the subset that OpenAI's API takes with `strict`. They are compiled here
nevertheless."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ffgrammar.core.pointers import escaped
from ffgrammar.grammar.names import shown

__all__ = ["strict_warnings"]

MAX_PROPERTIES = 5000
MAX_LEVELS = 10
# More warnings about one schema are not told.
MAX_WARNINGS = 100
_REFUSED = ("allOf", "not", "if", "dependentRequired", "dependentSchemas", "patternProperties")
_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


# The last part of a place in a schema, and the place above it. A pointer is only written for what is told: in a schema
# that is deep, all pointers together are far longer than the schema.
_Place = tuple[str, Any] | None


def strict_warnings(schema: Any) -> Iterator[tuple[str, str]]:
    """Where a schema is outside the subset: JSON pointers and messages, MAX_WARNINGS at most."""
    return ((_pointer(place) + word, message) for place, word, message in islice(_places(schema), MAX_WARNINGS))


def _pointer(place: _Place) -> str:
    parts = []
    while place is not None:
        part, place = place
        parts.append(f"/{part}")
    return "".join(reversed(parts))


def _places(schema: Any) -> Iterator[tuple[_Place, str, str]]:
    """Places, what is added to their pointers, and messages."""
    properties = 0
    waiting: list[tuple[Any, _Place, int]] = [(schema, None, 1)]
    seen: set[int] = set()  # (what Python made may contain itself)
    while waiting:
        one, place, level = waiting.pop()
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        is_object = one.get("type") == "object" or "properties" in one
        named = one.get("properties")
        named = named if isinstance(named, dict) else {}
        properties += len(named)
        if is_object and one.get("additionalProperties") is not False:
            yield place, "", "strict asks for additionalProperties: false"
        required = one.get("required")
        there = {key for key in required if isinstance(key, str)} if isinstance(required, list) else ()
        missing = next((key for key in named if key not in there), None)
        if missing is not None:
            yield place, "", f"strict asks that all properties are required: {shown(missing)} is not"
        for word in _REFUSED:
            if word in one:
                yield place, f"/{word}", f"strict does not take {word!r}"
        if is_object and level == MAX_LEVELS + 1:
            yield place, "", f"strict takes at most {MAX_LEVELS} levels of objects"
        waiting += _inner(one, place, level + is_object)
    if properties > MAX_PROPERTIES:
        yield None, "", f"strict takes at most {MAX_PROPERTIES} properties; there are {properties}"


def _inner(schema: dict[str, Any], place: _Place, level: int) -> Iterator[tuple[Any, _Place, int]]:
    for word in _MAPS:
        inner = schema.get(word)
        for key, one in inner.items() if isinstance(inner, dict) else ():
            # (definitions are not deeper than what refers to them)
            yield one, (escaped(str(key)), (word, place)), 1 if word in ("$defs", "definitions") else level
    for word in _LISTS:
        inner = schema.get(word)
        for number, one in enumerate(inner if isinstance(inner, list) else ()):
            yield one, (str(number), (word, place)), level
    for word in _SINGLE:
        if word in schema:
            yield schema[word], (word, place), level
