"""Which texts a schema allows where strings are written without quotes, and all other values as JSON.

Only the schema tells a reader whether `12` is a string there. So it must say of each value whether it is a string.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.pointers import escaped, unescaped
from ffgrammar.grammar.json_schema.spec.keywords import KEYWORDS, Role
from ffgrammar.grammar.json_schema.strings.formats import FORMATS
from ffgrammar.grammar.raw_text import Strings
from ffgrammar.regex.expr.store import MAX_REPEAT

__all__ = ["OTHERS", "check_plain", "is_any_string", "raw_values", "resolved", "saying", "types_of"]

# All types but strings.
OTHERS = ["number", "boolean", "null", "array", "object"]
_TYPES = frozenset({"string", *OTHERS})
# The types of values in which there is no string.
_PLAIN = frozenset({"number", "boolean", "null"})
# The types of which two alternatives of a oneOf must not both have values.
_SIMPLE = frozenset({"string", "null"})
_SAYING = frozenset(keyword.word for keyword in KEYWORDS if keyword.role is not Role.ANNOTATION)
_ABOUT_STRINGS = frozenset({"enum", "const", "pattern", "format", "minLength", "maxLength"})
# Keywords that may exclude strings in ways that are not known here.
_REFUSED = frozenset({"allOf", "not", "if", "then", "else", "$dynamicRef", "$recursiveRef"})
# How deep alternatives may be nested.
MAX_DEPTH = 50
MAX_REFERENCES = 50


def resolved(schema: Any, root: Any, pointer: str) -> tuple[Any, str]:
    """What a schema refers to inside its document, and where that stands; a schema without `$ref` is returned as it is.

    Raises:
        UnsupportedError: the reference leads out of the document, stands beside other keywords, or to itself.
        GrammarError: it leads nowhere.
    """
    for _ in range(MAX_REFERENCES):
        if not (isinstance(schema, dict) and "$ref" in schema):
            return schema, pointer
        others = saying(schema) - {"$ref"}
        reference = schema["$ref"]
        if others or not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            raise UnsupportedError(
                "in formats with tags, a $ref must lead into the schema itself ('#/…') and stand alone: "
                "write the schema of the parameter here",
                pointer=f"{pointer}/$ref",
            )
        schema, pointer = _found(root, reference, f"{pointer}/$ref"), reference[1:]
    raise UnsupportedError("a $ref leads to itself", pointer=pointer)


def _found(root: Any, reference: str, pointer: str) -> Any:
    schema = root
    for part in reference.split("/")[1:]:
        key = unescaped(part)
        if isinstance(schema, list) and key.isdecimal() and len(key) < 10 and int(key) < len(schema):
            schema = schema[int(key)]
        elif isinstance(schema, dict) and key in schema:
            schema = schema[key]
        else:
            raise GrammarError(f"the reference {reference!r} leads nowhere", pointer=pointer)
    return schema


def raw_values(schema: Any, root: Any, pointer: str, told_apart: bool) -> tuple[tuple[Strings, ...] | None, bool]:
    """The strings of a schema, as they are written without quotes, or None; and whether it has other values.

    Args:
        schema: the schema.
        root: the document that it is in.
        pointer: where it stands.
        told_apart: whether the format tells a reader which values are strings. If it does not, the null of a value that
            may be a string is the text "null".

    The schema must have been compiled as JSON before: that checks the values of keywords.

    Raises:
        UnsupportedError: the value may be a string or something else, so that its text could be read in two ways; or a
            keyword is not known for strings without quotes.
    """
    schema, pointer = resolved(schema, root, pointer)
    reader = _Reader(root)
    types = reader.types(schema, pointer, 0)
    if "string" not in types:
        return None, True
    if told_apart:
        return reader.strings(schema, pointer), types != {"string"}
    if is_any_string(schema):
        return (Strings(),), False
    if not types <= {"string", "null"}:
        others = ", ".join(sorted(types - {"string"}))
        raise UnsupportedError(
            f"this value may be a string or something else ({others}), and this format writes both without quotes: "
            "say which one it is by `type`, or choose a format with JSON arguments",
            pointer=pointer,
        )
    found = reader.strings(schema, pointer)
    return ((*found, Strings(listed=("null",))) if "null" in types else found), False


def check_plain(schema: Any, root: Any, pointer: str) -> None:
    """Checks that no value of a schema has a string or an object in it, apart from values that are strings.

    Raises:
        UnsupportedError: one may have.
    """
    reader = _Reader(root)
    schema, pointer = resolved(schema, root, pointer)
    types = reader.types(schema, pointer, 0) - {"string"}
    if types <= _PLAIN:
        return
    items = schema.get("items") if isinstance(schema, dict) else None
    if types <= {*_PLAIN, "array"} and items is not None and "prefixItems" not in schema:
        if reader.types(items, f"{pointer}/items", 0) <= _PLAIN:
            return
    raise UnsupportedError(
        "this format does not write objects, nor lists of anything but numbers, booleans and null, as JSON: "
        "choose a format with JSON arguments",
        pointer=pointer,
    )


def types_of(schema: Any, root: Any, pointer: str) -> frozenset[str]:
    """The types that values of a schema may have, of a document that was compiled. Raises as `raw_values`."""
    return _Reader(root).types(schema, pointer, 0)


def is_any_string(schema: Any) -> bool:
    """Whether a schema says of a value no more than that it is a string, or nothing at all. Then every text may be
    written."""
    if not isinstance(schema, dict):
        return schema is True
    words = saying(schema)
    return not words or (words == {"type"} and schema["type"] == "string")


def saying(schema: dict[str, Any]) -> set[str]:
    """The keywords of a schema that say something about values."""
    return {word for word in schema if word in _SAYING}


class _Reader:
    """Reads schemas of one document. What was read is kept, because many schemas may refer to one."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._types: dict[int, frozenset[str]] = {}
        self._strings: dict[int, tuple[Strings, ...]] = {}

    def types(self, schema: Any, pointer: str, depth: int) -> frozenset[str]:
        """The types that values of a schema may have; perhaps more than they have."""
        schema, pointer = resolved(schema, self._root, pointer)
        if not isinstance(schema, dict):
            return frozenset() if schema is False else _TYPES
        if depth > MAX_DEPTH:
            raise UnsupportedError("alternatives are nested too deep to tell whether this is a string", pointer=pointer)
        found = self._types.get(id(schema))
        if found is None:
            # (a schema that leads back to itself has no other values because of that)
            self._types[id(schema)] = frozenset()
            found = self._types[id(schema)] = self._read_types(schema, pointer, depth)
        return found

    def _read_types(self, schema: dict[str, Any], pointer: str, depth: int) -> frozenset[str]:
        found = _TYPES
        if "type" in schema:
            named = schema["type"]
            listed = named if isinstance(named, list) else [named]
            found &= {"number" if one == "integer" else one for one in listed}
        if "enum" in schema:
            found &= {_type_of(one) for one in schema["enum"]}
        if "const" in schema:
            found &= {_type_of(schema["const"])}
        for word in ("anyOf", "oneOf", "allOf"):
            if word not in schema:
                continue
            inner = [self.types(one, where, depth + 1) for one, where in _ways(schema, word, pointer)]
            if word == "oneOf" and any(sum(kind in one for one in inner) > 1 for kind in _SIMPLE):
                raise UnsupportedError(
                    "'oneOf' of several strings is not known where they have no quotes: use 'anyOf'",
                    pointer=f"{pointer}/oneOf",
                )
            found &= frozenset.intersection(*inner) if word == "allOf" else frozenset().union(*inner)
        return found

    def strings(self, schema: Any, pointer: str) -> tuple[Strings, ...]:
        """The strings of a schema that has strings or null, and no other values."""
        schema, pointer = resolved(schema, self._root, pointer)
        if not isinstance(schema, dict):
            return () if schema is False else (Strings(),)
        found = self._strings.get(id(schema))
        if found is None:
            self._strings[id(schema)] = ()
            found = self._strings[id(schema)] = self._read_strings(schema, pointer)
        return found

    def _read_strings(self, schema: dict[str, Any], pointer: str) -> tuple[Strings, ...]:
        words = saying(schema)
        ways = sorted(words & {"anyOf", "oneOf"})
        about = words & _ABOUT_STRINGS
        refused = (words & _REFUSED) or set(ways[1:]) or (about if ways else set())
        if refused:
            word = min(refused)
            raise UnsupportedError(
                f"{word!r} is not known here for a string that is written without quotes: choose a format with JSON "
                "arguments",
                pointer=f"{pointer}/{escaped(word)}",
            )
        if not ways:
            return (_plain(schema),) if "string" in self.types(schema, pointer, 0) else ()
        found = [self.strings(one, where) for one, where in _ways(schema, ways[0], pointer)]
        if "string" not in self.types(schema, pointer, 0):
            return ()
        return tuple(dict.fromkeys(one for several in found for one in several))


def _ways(schema: dict[str, Any], word: str, pointer: str) -> list[tuple[Any, str]]:
    return [(one, f"{pointer}/{word}/{number}") for number, one in enumerate(schema[word])]


def _type_of(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "number"


def _plain(schema: dict[str, Any]) -> Strings:
    listed = None
    if "enum" in schema or "const" in schema:
        every = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
        listed = tuple(one for one in every if isinstance(one, str) and _is_listed(one, schema))
    name = schema.get("format")
    high = schema.get("maxLength")
    return Strings(
        low=_bounded(schema.get("minLength", 0)),
        high=None if high is None else _bounded(high),
        patterns=(schema["pattern"],) if "pattern" in schema else (),
        formats=(name,) if name in FORMATS else (),
        listed=listed,
    )


def _is_listed(text: str, schema: dict[str, Any]) -> bool:
    return text in schema.get("enum", [text]) and schema.get("const", text) == text


def _bounded(count: Any) -> int:
    """A number of characters. No text has more than can be counted."""
    return min(int(count), MAX_REPEAT)
