"""`schema_of`: from a Python type or function to a JSON Schema."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from typing import Any

from ffgrammar.api.types.plain_types import Unknown, plain_schema
from ffgrammar.core.errors import GrammarError

__all__ = ["is_python_type", "schema_of"]


def is_python_type(value: object) -> bool:
    """Whether a value is a type (a class, `list[int]`, `int | None`, a `Literal`), and no other object."""
    return (
        isinstance(value, (type, types.GenericAlias, types.UnionType))
        or typing.get_origin(value) is not None
        or value is Any
    )


def schema_of(type_or_function: Any) -> dict[str, Any]:
    """The JSON Schema of a Python type, or of the arguments of a function.

    Scalars, lists, dicts with string keys, unions, `Literal`, enums, dataclasses, typed dicts and functions of such
    types need no further package. All other types, such as pydantic models and `Annotated`, need pydantic 2. Objects
    have their declared members only, unless a pydantic model says `extra="allow"`.

    Args:
        type_or_function: the type; or a function, whose parameters are the properties of an object.

    Raises:
        GrammarError: the type is wrong, or has a model of pydantic 1.
        UnsupportedError: the type has no JSON Schema.
        ImportError: the type needs pydantic, which is not installed.
        TypeError: the argument is neither a type nor a function.
    """
    kind = type_or_function
    if not (is_python_type(kind) or inspect.isroutine(kind)):
        raise TypeError(f"schema_of: a type or a function is expected, not {type(kind).__name__}")
    if isinstance(kind, type) and not hasattr(kind, "__pydantic_core_schema__") and hasattr(kind, "__fields__"):
        if any(base.__module__.split(".")[0] == "pydantic" for base in kind.__mro__):
            raise GrammarError(
                f"{kind.__name__} is a model of pydantic 1: pass {kind.__name__}.schema(), or derive it from "
                "pydantic 2's BaseModel"
            )
    try:
        return plain_schema(kind)
    except Unknown as unknown:
        if "pydantic" not in sys.modules and not _has_pydantic():
            name = getattr(unknown.args[0], "__name__", None) or str(unknown.args[0])
            raise ImportError(
                f"the type {name} is read with pydantic 2, which is not installed: pip install 'pydantic>=2'",
                name="pydantic",
            ) from None
    from ffgrammar.api.types.with_pydantic import pydantic_schema

    return pydantic_schema(kind)


def _has_pydantic() -> bool:
    from importlib.util import find_spec

    return find_spec("pydantic") is not None
