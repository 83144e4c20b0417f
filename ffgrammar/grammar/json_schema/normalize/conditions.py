"""Many `if` on one key, as one choice.

Schemas often have a list like this one:

    {"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": ...}
    {"if": {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}, "then": ...}

Read one by one, each is a choice between two alternatives, and most of their products are contradictions. Together they
are one choice with an alternative for each string that a condition names, and one each for other values of the key, for
objects without the key, and for values that are not objects. (200 of them compile in 0.1 s, and in 2.5 s if each is a
choice.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.shape.choices import Choice, Condition

__all__ = ["Conditions"]

# Fewer conditions on one key are left alone.
FEW = 3
# What a condition may consist of, and what its one property may say, beside words that say nothing.
_SILENT = frozenset({"title", "description", "$comment"})
_OUTER = _SILENT | {"type", "properties", "required"}
_INNER = _SILENT | {"type", "const", "enum"}
_OTHER_TYPES = ["null", "boolean", "number", "string", "array"]


class _Tag(NamedTuple):
    """A condition on one key.

    Attributes:
        name: the key.
        strings: the condition holds if the key's value is one of these.
        without_key: whether it holds for objects that do not have the key.
        other_types: whether it holds for values that are not objects.
    """

    name: str
    strings: frozenset[str]
    without_key: bool
    other_types: bool


class Conditions:
    """The conditions of one build."""

    def __init__(self, subschemas: Subschemas) -> None:
        self._subschemas = subschemas
        self._tags: dict[Conj, _Tag | None] = {}
        self._merged: dict[tuple[Condition, ...], list[Conj]] = {}

    def merged(self, choices: list[Choice]) -> list[Choice]:
        """The same choices. Conditions on one key are merged into one choice if there are a few of them."""
        by_name: dict[str, list[int]] = {}
        for index, choice in enumerate(choices):
            # (with owners, what a condition evaluates counts: see unevaluated.py)
            if choice.condition is not None and not choice.path[2]:
                tag = self._tag(choice.condition.when)
                if tag is not None:
                    by_name.setdefault(tag.name, []).append(index)
        kept: list[Choice | None] = list(choices)
        for name, members in by_name.items():
            if len(members) < FEW:
                continue
            conditions = tuple([condition for at in members if (condition := choices[at].condition) is not None])
            options = self._merged.get(conditions)
            if options is None:
                at = choices[members[0]].path[0]
                options = self._merged[conditions] = self._options(self._subschemas.list[at], name, conditions)
            for member in members:
                kept[member] = None
            kept[members[0]] = Choice(options, choices[members[0]].path)
        return [choice for choice in kept if choice is not None]

    def _tag(self, when: Conj) -> _Tag | None:
        """The key and the strings of a condition; None if it says something else."""
        if when not in self._tags:
            self._tags[when] = self._read(self._subschemas.list[when[0]]) if len(when) == 1 and when[0] else None
        return self._tags[when]

    def _read(self, subschema: Subschema) -> _Tag | None:
        schema = subschema.schema
        properties = schema.get("properties")
        known = all([subschema.dialect.knows(word) for word in ("type", "properties", "required", "enum", "not")])
        if subschema.modern or not known or not _OUTER.issuperset(schema) or not isinstance(properties, dict):
            return None
        if len(properties) != 1:
            return None
        ((name, value),) = properties.items()
        required = schema.get("required", [])
        if not isinstance(name, str) or required not in ([], [name]):
            return None
        if schema.get("type", "object") != "object":
            return None
        strings = _strings(subschema, value)
        return None if strings is None else _Tag(name, strings, not required, "type" not in schema)

    def _options(self, subschema: Subschema, name: str, conditions: tuple[Condition, ...]) -> list[Conj]:
        tags = [tag for condition in conditions if (tag := self._tag(condition.when)) is not None]
        holding: dict[str, list[int]] = {}
        for index, tag in enumerate(tags):
            for text in sorted(tag.strings):
                holding.setdefault(text, []).append(index)
        classes: dict[tuple[int, ...], list[str]] = {}
        for text, indices in holding.items():
            classes.setdefault(tuple(indices), []).append(text)

        def about(value: Any) -> dict[str, Any]:
            return {"type": "object", "required": [name], "properties": {name: value}}

        cases: list[tuple[dict[str, Any], Iterable[int]]] = []
        cases += [(about({"enum": texts}), indices) for indices, texts in classes.items()]
        cases.append((about({"not": {"enum": list(holding)}}), ()))
        without = [index for index, tag in enumerate(tags) if tag.without_key]
        cases.append(({"type": "object", "properties": {name: False}}, without))
        cases.append(({"type": _OTHER_TYPES}, [index for index, tag in enumerate(tags) if tag.other_types]))
        return [
            _joined(self._subschemas.synthesized(subschema, schema, "if"), conditions, indices)
            for schema, indices in cases
        ]


def _joined(conj: Conj, conditions: tuple[Condition, ...], holding: Iterable[int]) -> Conj:
    """A conjunction, and what follows if some of the conditions hold, by index, and the others do not."""
    held = set(holding)
    joined = set(conj)
    for index in held:
        joined.update(conditions[index].when, conditions[index].then)
    for index, condition in enumerate(conditions):
        if condition.otherwise and index not in held:
            joined.update(condition.otherwise)
    return (0,) if 0 in joined else tuple(sorted(joined))


def _strings(subschema: Subschema, schema: Any) -> frozenset[str] | None:
    """The strings that a schema lists; None if it says something else."""
    if not isinstance(schema, dict) or not _INNER.issuperset(schema) or schema.get("type", "string") != "string":
        return None
    lists = []
    if "const" in schema:
        if not subschema.dialect.knows("const"):
            return None
        lists.append([schema["const"]])
    if "enum" in schema:
        lists.append(schema["enum"])
    if not lists or not all([isinstance(one, list) and all([type(text) is str for text in one]) for one in lists]):
        return None
    found = frozenset(lists[0]).intersection(*lists[1:])
    return found or None
