"""Branches that are about the value of one key, as one schema for that value.

The branches of

    {"anyOf": [{"properties": {"a": A}}, {"properties": {"a": B}}]}

together say the same as `{"properties": {"a": {"anyOf": [A, B]}}}`. So objects need not be multiplied out: several such
choices are met in the value alone, where choices about strings become one expression (see string_choices.py).

A `oneOf` demands that the key is there: objects without it, and values that are not objects, obey all branches.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.contents import one_property
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas

__all__ = ["OneKeys"]


class OneKeys:
    """The `anyOf`s and `oneOf`s of one build whose branches are about one key."""

    def __init__(self, subschemas: Subschemas) -> None:
        self._subschemas = subschemas
        self._known: dict[tuple[int, str], Conj | None] = {}

    def find(self, subschema: Subschema, word: str, options: list[Conj]) -> Conj | None:
        """A conjunction that says the same as an `anyOf` or `oneOf`; None if its branches are not all about one key.

        Args:
            subschema: the one with the keyword.
            word: the keyword.
            options: its branches.
        """
        key = id(subschema), word
        if key not in self._known:
            self._known[key] = self._find(subschema, word, options)
        return self._known[key]

    def _find(self, subschema: Subschema, word: str, options: list[Conj]) -> Conj | None:
        name = ""
        around: dict[str, Any] | None = None
        values = []
        for option in options:
            branch = self._subschemas.list[option[0] if len(option) == 1 else 0]
            # (a branch behind a reference may be read in another resource or scope)
            if option == NEVER or len(option) != 1 or branch.numbers is not subschema.numbers:
                return None
            found = one_property(branch.schema)
            if found is None:
                return None
            key, value = found
            demanded = {word: branch.schema[word] for word in ("type", "required") if word in branch.schema}
            if around is None:
                name, around = key, demanded
            if key != name or demanded != around:
                return None
            # (each value has its own position in messages)
            self._subschemas.child(branch, value, ("properties", name))
            values.append(value)
        if around is None or len(values) < 2:
            return None
        if word == "oneOf":
            around = {"type": "object", "required": [name]}
        return self._subschemas.synthesized(subschema, {**around, "properties": {name: {word: values}}}, word)
