"""Documents with their keys in the order of the schema.

An engine that fixes the order of properties rejects a valid document with another order. If it rejects a valid document
but accepts the same document in schema order, the order is the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

__all__ = ["reorderings"]

_BRANCHES = ("anyOf", "oneOf")
# (branches of an anyOf or oneOf, value) -> the branches that count for the value
Choose = Callable[[list[Any], Any], list[Any]]


def reorderings(data: Any, schema: Any) -> Iterator[Any]:
    """The document with its keys in schema order, in several variants. No two variants have the same
    order of keys, and none has that of the document.

    The variants differ in which branches of each anyOf and oneOf decide the order: all, those that the value satisfies,
    or one.
    """
    seen = [repr(data)]
    chooses: list[Choose] = [lambda branches, value: branches, *_that_hold(schema)]
    chooses += [lambda branches, value, n=number: [branches[n % len(branches)]] for number in range(4)]  # type: ignore
    for choose in chooses:
        ordered = _reorder(data, [schema], schema, choose)
        if repr(ordered) not in seen:
            seen.append(repr(ordered))
            yield ordered


def _that_hold(root: Any) -> list[Choose]:
    """A list of one function, which chooses the branches that a value satisfies. The list is empty if jsonschema is not
    installed."""
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for
    except ImportError:
        return []
    if not isinstance(root, dict):
        return []
    validator = validator_for(root, default=Draft202012Validator)(root)

    def choose(branches: list[Any], value: Any) -> list[Any]:
        try:
            return [branch for branch in branches if validator.evolve(schema=branch).is_valid(value)] or branches
        except Exception:  # references that cannot be resolved, patterns that Python does not know
            return branches

    return [choose]


def _reorder(data: Any, schemas: list[Any], root: Any, choose: Choose) -> Any:
    flat: list[dict[str, Any]] = []
    for schema in schemas:
        _flatten(schema, root, data, choose, flat)
    if isinstance(data, dict):
        listed = [key for one in flat for key in one.get("properties", {})]
        listed += [key for one in flat for key in one.get("required", []) if isinstance(one.get("required"), list)]
        place = {key: index for index, key in reversed(list(enumerate(listed)))}
        keys = sorted(data, key=lambda key: place.get(key, len(listed)))
        return {key: _reorder(data[key], _of_property(key, flat), root, choose) for key in keys}
    if isinstance(data, list):
        return [_reorder(value, _of_item(index, flat), root, choose) for index, value in enumerate(data)]
    return data


def _flatten(schema: Any, root: Any, data: Any, choose: Choose, flat: list[dict[str, Any]]) -> None:
    """Collect a schema and all the subschemas that apply at the same place."""
    if not isinstance(schema, dict) or any(schema is one for one in flat):
        return
    flat.append(schema)
    if isinstance(schema.get("$ref"), str):
        _flatten(_resolve(schema["$ref"], root), root, data, choose, flat)
    for part in schema.get("allOf", ()):
        _flatten(part, root, data, choose, flat)
    for word in _BRANCHES:
        if schema.get(word):
            for part in choose(schema[word], data):
                _flatten(part, root, data, choose, flat)
    for word in ("if", "then", "else"):
        _flatten(schema.get(word), root, data, choose, flat)


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
    """The target of a local reference; None if it has none."""
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
