"""Documents with their keys in the order of the schema, to tell a rejection by property order from any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

__all__ = ["reorderings"]

_BRANCHES = ("anyOf", "oneOf")


def reorderings(data: Any, schema: Any) -> Iterator[Any]:
    """The document in schema order, in a few readings: branches of anyOf/oneOf merged, then one at a time."""
    seen = [_spelling(data)]
    for branch in (None, 0, 1, 2, 3):
        ordered = _reorder(data, [schema], schema, branch)
        if _spelling(ordered) not in seen:
            seen.append(_spelling(ordered))
            yield ordered


def _spelling(data: Any) -> str:
    return repr(data)


def _reorder(data: Any, schemas: list[Any], root: Any, branch: int | None) -> Any:
    flat: list[dict[str, Any]] = []
    for schema in schemas:
        _flatten(schema, root, branch, flat)
    if isinstance(data, dict):
        listed = [key for one in flat for key in one.get("properties", {})]
        listed += [key for one in flat for key in one.get("required", []) if isinstance(one.get("required"), list)]
        place = {key: index for index, key in reversed(list(enumerate(listed)))}
        keys = sorted(data, key=lambda key: place.get(key, len(listed)))
        return {key: _reorder(data[key], _of_property(key, flat), root, branch) for key in keys}
    if isinstance(data, list):
        return [_reorder(value, _of_item(index, flat), root, branch) for index, value in enumerate(data)]
    return data


def _flatten(schema: Any, root: Any, branch: int | None, flat: list[dict[str, Any]]) -> None:
    """The schema and all it refers to in place."""
    if not isinstance(schema, dict) or any(schema is one for one in flat):
        return
    flat.append(schema)
    if isinstance(schema.get("$ref"), str):
        _flatten(_resolve(schema["$ref"], root), root, branch, flat)
    for part in schema.get("allOf", ()):
        _flatten(part, root, branch, flat)
    for word in _BRANCHES:
        parts = schema.get(word, ())
        for part in parts if branch is None or not parts else [parts[branch % len(parts)]]:
            _flatten(part, root, branch, flat)
    for word in ("if", "then", "else"):
        _flatten(schema.get(word), root, branch, flat)


def _of_property(key: str, flat: list[dict[str, Any]]) -> list[Any]:
    found = []
    for schema in flat:
        named = schema.get("properties", {})
        patterns = [sub for pattern, sub in schema.get("patternProperties", {}).items() if _search(pattern, key)]
        if key in named:
            found.append(named[key])
        found += patterns
        if key not in named and not patterns:
            found.append(schema.get("additionalProperties"))
    return found


def _of_item(index: int, flat: list[dict[str, Any]]) -> list[Any]:
    found = []
    for schema in flat:
        items = schema.get("items")
        first = schema.get("prefixItems") or (items if isinstance(items, list) else [])
        rest = schema.get("additionalItems") if isinstance(items, list) else items
        found.append(first[index] if index < len(first) else rest)
    return found


def _search(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False


def _resolve(ref: str, root: Any) -> Any:
    """The target of a local reference, or None."""
    if not ref.startswith("#"):
        return None
    here = root
    for part in unquote(ref[1:]).split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        elif isinstance(here, dict) and part in here:
            here = here[part]
        else:
            return None
    return here
