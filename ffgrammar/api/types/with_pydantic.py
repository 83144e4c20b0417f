"""Schemas of all types that pydantic knows."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema

from ffgrammar.core.errors import GrammarError, UnsupportedError

__all__ = ["pydantic_schema"]


class _Closed(GenerateJsonSchema):
    """Objects have their declared members only, unless the type says that it takes others."""

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return _closed(super().model_schema(schema))

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return _closed(super().dataclass_schema(schema))

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return _closed(super().typed_dict_schema(schema))


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


def pydantic_schema(kind: Any) -> dict[str, Any]:
    """The schema of a type or a function.

    Raises:
        UnsupportedError: pydantic has no JSON Schema of it.
        GrammarError: pydantic does not know such a type, or the type is wrong.
    """
    name = getattr(kind, "__name__", None) or str(kind)
    try:
        found: dict[str, Any] = TypeAdapter(kind).json_schema(schema_generator=_Closed)
    except PydanticInvalidForJsonSchema as error:
        raise UnsupportedError(f"{name} has no JSON Schema: {error.message}") from error
    except ImportError:
        raise
    except Exception as error:  # (a text in an annotation is evaluated, and may raise anything)
        raise GrammarError(f"{name} is not a type that pydantic knows: {error}") from error
    if inspect.isroutine(kind) and found.get("type") != "object":
        raise UnsupportedError(f"{name} has parameters without names, which no JSON object has: give them names")
    return found
