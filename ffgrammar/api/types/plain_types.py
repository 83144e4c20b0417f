"""Schemas of the simple types: scalars, lists, dicts, unions, literals, enums, dataclasses, typed dicts and functions.

The schemas are those that pydantic makes, without titles and the like.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import math
import types
import typing
from typing import Any, Literal, Union

from ffgrammar.core.errors import UnsupportedError

__all__ = ["Unknown", "plain_schema"]

_SCALARS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
    None: "null",
}


class Unknown(Exception):
    """A type that is not one of the simple ones. The argument of the exception is the type."""


def plain_schema(kind: Any) -> dict[str, Any]:
    """The schema of a type or a function. Raises Unknown, and UnsupportedError for a value that JSON does not have."""
    return _Reader().schema(kind)


class _Reader:
    def __init__(self) -> None:
        # the classes that are being read: those that contain themselves are not simple
        self._open: list[Any] = []

    def schema(self, kind: Any) -> dict[str, Any]:
        if kind is Any:
            return {}
        if kind is None or (isinstance(kind, type) and kind in _SCALARS):
            return {"type": _SCALARS[kind]}
        origin, given = typing.get_origin(kind), typing.get_args(kind)
        if origin is Literal:
            return _enum(given)
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.schema(one) for one in given]}
        if kind is list or (origin is list and len(given) == 1):
            return {"type": "array", **({"items": self.schema(given[0])} if given else {})}
        if kind is dict or (origin is dict and given[0] is str):
            return {"type": "object", **({"additionalProperties": self.schema(given[1])} if given else {})}
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return _enum([member.value for member in kind])
        if kind in self._open:
            raise Unknown(kind)
        self._open.append(kind)
        try:
            return self._object(kind)
        finally:
            self._open.pop()

    def _object(self, kind: Any) -> dict[str, Any]:
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            fields = dataclasses.fields(kind)
            # (what pydantic makes of a dataclass may have validators)
            if hasattr(kind, "__pydantic_core_schema__") or not all(one.init for one in fields):
                raise Unknown(kind)
            return self._members(kind, {one.name: _has_default(one) for one in fields})
        if typing.is_typeddict(kind):
            return self._members(kind, {name: name in kind.__optional_keys__ for name in kind.__annotations__})
        if inspect.isfunction(kind):
            return self._members(kind, dict(_parameters(kind)))
        raise Unknown(kind)

    def _members(self, kind: Any, named: dict[str, bool]) -> dict[str, Any]:
        """An object with members, of which each may be left out or not."""
        try:
            hints = typing.get_type_hints(kind, include_extras=True)
        except Exception:  # (a text in an annotation is evaluated, and may raise anything)
            raise Unknown(kind) from None
        properties = {}
        required = []
        for name, may_miss in named.items():
            member, may_miss = _unmarked(hints.get(name, Any), may_miss)
            properties[name] = self.schema(member)
            if not may_miss:
                required.append(name)
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return {**schema, "required": required} if required else schema


def _unmarked(kind: Any, may_miss: bool) -> tuple[Any, bool]:
    """The type of a member of a typed dict without its marks, and whether the member may be left out. (The
    class itself does not know that where annotations are texts.)"""
    origin = typing.get_origin(kind)
    if origin is None or origin not in (getattr(typing, "Required", None), getattr(typing, "NotRequired", None)):
        return kind, may_miss
    return typing.get_args(kind)[0], origin is getattr(typing, "NotRequired", None)


def _has_default(field: Any) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _parameters(function: Any) -> typing.Iterator[tuple[str, bool]]:
    """The names of a function's parameters, and whether each may be left out."""
    for name, one in inspect.signature(function).parameters.items():
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            raise Unknown(function)
        yield name, one.default is not one.empty


def _enum(values: typing.Iterable[Any]) -> dict[str, Any]:
    listed = list(values)
    if not listed or not all(isinstance(one, (str, int, float, bool, type(None))) for one in listed):
        raise Unknown(listed)
    found = [one.value if isinstance(one, enum.Enum) else one for one in listed]
    for one in found:
        if isinstance(one, float) and not math.isfinite(one):
            raise UnsupportedError(f"{one} is a value of a Literal or an enum, and no JSON text has it")
    return {"enum": found}
