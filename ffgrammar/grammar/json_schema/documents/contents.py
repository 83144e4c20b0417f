"""What subschemas say, for comparing them: two subschemas with equal contents say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschemas

__all__ = ["SILENT", "Contents", "one_property"]

# Words whose text says nothing.
SILENT = frozenset({"title", "description", "$comment"})
_ONE_PROPERTY = SILENT | {"type", "properties", "required"}
# Words whose values are constants, not schemas.
_CONSTANTS = frozenset({"const", "enum"})


def one_property(schema: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The key and the schema of its value, if a schema is about one key of an object and says nothing else."""
    properties = schema.get("properties")
    if not _ONE_PROPERTY.issuperset(schema) or not isinstance(properties, dict) or len(properties) != 1:
        return None
    ((name, value),) = properties.items()
    if schema.get("required", [name]) != [name] or schema.get("type", "object") != "object":
        return None
    return name, value


class Contents:
    """The contents of the conjunctions of one build, each worked out once."""

    def __init__(self, subschemas: Subschemas) -> None:
        self._subschemas = subschemas
        self._known: dict[Conj, Any] = {}
        self._firsts: dict[Any, Conj] = {}

    def of(self, conj: Conj) -> Any:
        """The content of a conjunction. It can be hashed."""
        found = self._known.get(conj)
        if found is None:
            found = self._known[conj] = tuple([self._schema(at) for at in conj])
        return found

    def first(self, conj: Conj) -> Conj:
        """The first conjunction with this content that was asked for."""
        return self._firsts.setdefault(self.of(conj), conj)

    def _schema(self, at: int) -> Any:
        """Equal for two subschemas only if they say the same: in one resource and scope, references do."""
        subschema = self._subschemas.list[at]
        if not at or subschema.modern:
            return at
        content = _value(subschema.schema)
        return at if content is None else (id(subschema.resource), subschema.scope, content)


def _value(value: Any, is_schema: bool = True) -> Any:
    """A value that can be hashed, and is equal only for JSON values that say the same.

    It is None if a schema in the value has a name of its own, or keys that are no strings.

    Args:
        value: a schema, a part of one, or a constant.
        is_schema: False for constants, in which each word counts.
    """
    if isinstance(value, dict):
        if "$id" in value or type(value.get("id")) is str or not all([type(key) is str for key in value]):
            return None
        found = [
            (key, _value(inner, is_schema and key not in _CONSTANTS))
            for key, inner in value.items()
            # (where the word is the name of a property, a schema follows)
            if not is_schema or key not in SILENT or type(inner) is not str
        ]
        return None if any([content is None for _, content in found]) else frozenset(found)
    if isinstance(value, (list, tuple)):
        parts = tuple([_value(inner, is_schema) for inner in value])
        return None if None in parts else parts
    return type(value), value
