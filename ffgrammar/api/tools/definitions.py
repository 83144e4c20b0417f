"""Tools as users define them: as in OpenAI's two APIs, as in Anthropic's, or as Python functions and models."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ffgrammar.api.types.schema_of import is_python_type, schema_of
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.pointers import escaped
from ffgrammar.grammar.names import did_you_mean, shown

__all__ = ["Tool", "as_tool", "is_definition", "read_tools"]

# Keys under which one API or another has the schema of the arguments; and keys that are no misspelt ones.
_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
_OTHER_KEYS = frozenset({"name", "type", "description", "strict"})
_NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}


class Tool(NamedTuple):
    """A tool.

    Attributes:
        name: its name.
        schema: the schema of its arguments, which are an object.
        pointer: where the schema stands in the list of tools, as a JSON pointer.
        name_pointer: where the name stands.
        strict: whether the definition says so.
    """

    name: str
    schema: dict[str, Any]
    pointer: str
    name_pointer: str
    strict: bool = False


def is_definition(value: object) -> bool:
    """Whether a value is a dict that defines a tool."""
    if not isinstance(value, dict):
        return False
    if value.get("type") == "function":
        return "function" in value or "name" in value
    return "name" in value and "input_schema" in value


def read_tools(tools: Iterable[Any]) -> list[Tool]:
    """The tools of a list.

    Raises:
        GrammarError: a definition is malformed, or two tools have one name. `pointer` says where.
        UnsupportedError: a tool is of a kind whose calls are no JSON objects, or of a server's own.
        TypeError: `tools` is no list, or a tool is neither a dict nor a function nor a type.
    """
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
        raise TypeError(f"compile_tools: tools must be a list of tools, not {type(tools).__name__}")
    found = [as_tool(tool, f"/tools/{number}") for number, tool in enumerate(tools)]
    names: set[str] = set()
    for tool in found:
        if tool.name in names:
            raise GrammarError(f"two tools have the name {tool.name!r}", pointer=tool.name_pointer)
        names.add(tool.name)
    return found


def as_tool(tool: Any, pointer: str) -> Tool:
    """A tool of a definition that stands at a JSON pointer. Raises as `read_tools`."""
    if not isinstance(tool, dict):
        return _of_python(tool, pointer)
    kind = tool.get("type", "custom" if "input_schema" in tool else None)
    if kind == "function" and "function" in tool:
        inner = tool["function"]
        if not isinstance(inner, dict):
            raise GrammarError("'function' must be an object", pointer=f"{pointer}/function")
        return _tool(inner, "parameters", f"{pointer}/function")
    if kind == "function":
        return _tool(tool, "parameters", pointer)
    if kind == "custom" and "input_schema" in tool:
        return _tool(tool, "input_schema", pointer)
    if kind is None:
        raise GrammarError(
            "a tool is {'type': 'function', 'function': {'name': …, 'parameters': …}}, or "
            "{'name': …, 'input_schema': …}",
            pointer=pointer,
        )
    raise UnsupportedError(
        f"a tool of type {shown(kind)} has no schema of arguments: only functions can be called here; leave it out",
        pointer=f"{pointer}/type",
    )


def _tool(definition: dict[str, Any], key: str, pointer: str) -> Tool:
    name = definition.get("name")
    if not isinstance(name, str) or not name:
        raise GrammarError("a tool needs a name, which is a text", pointer=f"{pointer}/name")
    if not name.isprintable() and any("\ud800" <= char <= "\udfff" for char in name):
        raise GrammarError("the name has half of a surrogate pair", pointer=f"{pointer}/name")
    if key not in definition:
        _check_spelling(definition, key, pointer)
    schema = definition.get(key)
    schema = _object(_NOTHING if schema is None else schema, f"{pointer}/{key}")
    return Tool(name, schema, f"{pointer}/{key}", f"{pointer}/name", definition.get("strict") is True)


def _check_spelling(definition: dict[str, Any], key: str, pointer: str) -> None:
    """Checks that a tool without a schema has no key that resembles the one of the schema."""
    for other in definition:
        if isinstance(other, str) and other not in _OTHER_KEYS and did_you_mean(other, [key, *_SCHEMA_KEYS]):
            raise GrammarError(
                f"{other!r} is not read, and {key!r} is missing, so the tool would have no arguments; did you mean "
                f"{key}?",
                pointer=f"{pointer}/{escaped(other)}",
            )


def _object(schema: Any, pointer: str) -> dict[str, Any]:
    """A schema of arguments, which says that they are an object."""
    if schema is True:
        return {"type": "object"}
    if is_python_type(schema):
        schema = schema_of(schema)
    if not isinstance(schema, dict):
        raise GrammarError("the schema of a tool's arguments must be an object", pointer=pointer)
    kind = schema.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        raise GrammarError(f"the arguments of a tool are an object, not {shown(kind)}", pointer=f"{pointer}/type")
    return schema if kind == "object" and "type" in schema else {**schema, "type": "object"}


def _of_python(tool: Any, pointer: str) -> Tool:
    """A tool of a function, with its name and signature; or of a type."""
    if not (inspect.isroutine(tool) or is_python_type(tool)):
        raise TypeError(f"at {pointer}: a tool must be a dict, a function or a type, not {type(tool).__name__}")
    name = getattr(tool, "__name__", "")
    if not name or name == "<lambda>":
        raise GrammarError("a function without a name cannot be a tool", pointer=pointer)
    return Tool(name, _object(schema_of(tool), pointer), pointer, pointer)
