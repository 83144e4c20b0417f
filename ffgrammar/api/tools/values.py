"""Which texts a schema allows where strings are written without quotes, and all other values as JSON.

Only the schema tells a reader whether `12` is a string there. So it must say of each value whether it is a string.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.pointers import escaped
from ffgrammar.grammar.json_schema.strings.formats import FORMATS
from ffgrammar.grammar.raw_text import Strings
from ffgrammar.regex.expr.store import MAX_REPEAT

__all__ = ["is_any_string", "raw_strings", "resolved"]

_TYPES = frozenset({"string", "number", "boolean", "null", "array", "object"})
# Keywords that say nothing about which values there are.
_ANNOTATIONS = frozenset(
    "title description default examples example deprecated readOnly writeOnly $comment $schema $id $anchor "
    "contentEncoding contentMediaType contentSchema".split()
)
_ABOUT_STRINGS = frozenset("type enum const pattern format minLength maxLength anyOf oneOf".split())
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
        others = _validating(schema) - {"$ref"}
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
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, list) and key.isdecimal() and int(key) < len(schema):
            schema = schema[int(key)]
        elif isinstance(schema, dict) and key in schema:
            schema = schema[key]
        else:
            raise GrammarError(f"the reference {reference!r} leads nowhere", pointer=pointer)
    return schema


def raw_strings(schema: Any, root: Any, pointer: str) -> tuple[Strings, ...] | None:
    """The strings of a schema, as they are written without quotes; None if it has no strings.

    Args:
        schema: the schema.
        root: the document that it is in.
        pointer: where it stands.

    The schema must have been compiled as JSON before: that checks the values of keywords.

    Raises:
        UnsupportedError: the value may be a string or something else, so that its text could be read in two ways; or a
            keyword is not known for strings without quotes.
    """
    schema, pointer = resolved(schema, root, pointer)
    types = _types(schema, root, pointer)
    if "string" not in types:
        return None
    if is_any_string(schema):
        return (Strings(),)
    if not types <= {"string", "null"}:
        others = ", ".join(sorted(types - {"string"}))
        raise UnsupportedError(
            f"this value may be a string or something else ({others}), and this format writes both without quotes: "
            "say which one it is by `type`, or choose a format with JSON arguments",
            pointer=pointer,
        )
    found = list(_strings(schema, root, pointer))
    if "null" in types:
        found.append(Strings(listed=("null",)))
    return tuple(found)


def is_any_string(schema: Any) -> bool:
    """Whether a schema says of a value no more than that it is a string, or nothing at all. Then every text may be
    written."""
    if not isinstance(schema, dict):
        return schema is True
    words = _validating(schema)
    return not words or (words == {"type"} and schema["type"] == "string")


def _validating(schema: dict[str, Any]) -> set[str]:
    """The keywords of a schema that are no annotations."""
    return {word for word in schema if word not in _ANNOTATIONS and not word.startswith("x-")}


def _types(schema: Any, root: Any, pointer: str, depth: int = 0) -> frozenset[str]:
    """The types that values of a schema may have; perhaps more than they have."""
    schema, pointer = resolved(schema, root, pointer)
    if schema is False:
        return frozenset()
    if not isinstance(schema, dict) or depth > MAX_REFERENCES:
        return _TYPES
    found = _TYPES
    if "type" in schema:
        named = schema["type"]
        listed = named if isinstance(named, list) else [named]
        found &= {"number" if one == "integer" else one for one in listed if isinstance(one, str)}
    if isinstance(schema.get("enum"), list):
        found &= {_type_of(one) for one in schema["enum"]}
    if "const" in schema:
        found &= {_type_of(schema["const"])}
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list):
            ways = [
                _types(one, root, f"{pointer}/{word}/{number}", depth + 1) for number, one in enumerate(schema[word])
            ]
            found &= frozenset().union(*ways)
    if isinstance(schema.get("allOf"), list):
        for number, one in enumerate(schema["allOf"]):
            found &= _types(one, root, f"{pointer}/allOf/{number}", depth + 1)
    return found


def _type_of(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "number"


def _strings(schema: Any, root: Any, pointer: str) -> Iterable[Strings]:
    """The strings of a schema that has strings and perhaps null."""
    schema, pointer = resolved(schema, root, pointer)
    if "string" not in _types(schema, root, pointer):
        return
    unknown = _validating(schema) - _ABOUT_STRINGS
    ways = [word for word in ("anyOf", "oneOf") if word in schema]
    about = set(schema) & (_ABOUT_STRINGS - {"type", "anyOf", "oneOf"})
    if unknown or len(ways) > 1 or (ways and about):
        word = sorted(unknown or about)[0]
        raise UnsupportedError(
            f"{word!r} is not known for a string that is written without quotes: choose a format with JSON arguments",
            pointer=f"{pointer}/{escaped(word)}",
        )
    if not ways:
        yield _plain(schema)
        return
    word = ways[0]
    inner = [list(_strings(one, root, f"{pointer}/{word}/{number}")) for number, one in enumerate(schema[word])]
    found = [one for several in inner for one in several]
    if word == "oneOf" and len(found) > 1:
        raise UnsupportedError(
            "'oneOf' of several strings is not known where they are written without quotes: use 'anyOf'",
            pointer=f"{pointer}/oneOf",
        )
    yield from found


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
