"""Objects as XML parameters, as some models write the arguments of a call.

    <parameter=city>Oslo</parameter>
    <parameter=days>3</parameter>

The parameters stand in the schema's order, with white space before, between and after them. Strings are written as they
are, without quotes and escapes. All other values are JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.core.pointers import unescaped
from ffgrammar.grammar.composition.parts import Part, Repeat, Sequence
from ffgrammar.grammar.names import did_you_mean
from ffgrammar.grammar.structural_tag.entries import Entry
from ffgrammar.grammar.structural_tag.free import choice, free_text, literal, then
from ffgrammar.grammar.structural_tag.leaves import Leaves
from ffgrammar.grammar.structural_tag.raw_strings import BOUNDS

__all__ = ["xml_parameters"]


class Style(NamedTuple):
    """How a parameter is written: what stands before its name, between the name and the value, and after the value.

    What stands before a string may differ from what stands before JSON. Between the pieces there may be white space.
    """

    prefix: str
    before_string: tuple[str, ...]
    before_json: tuple[str, ...]
    suffix: str


STYLES = {
    "qwen_xml": Style("<parameter=", (">",), (">",), "</parameter>"),
    "minimax_xml": Style('<parameter name="', ('">',), ('">',), "</parameter>"),
    "deepseek_xml": Style(
        '<｜DSML｜parameter name="', ('" string="true">',), ('" string="false">',), "</｜DSML｜parameter>"
    ),
    "glm_xml": Style("<arg_key>", ("</arg_key>", "<arg_value>"), ("</arg_key>", "<arg_value>"), "</arg_value>"),
}
# How deep anyOf and references may be nested.
MAX_DEPTH = 50
NOT_READ = ("cohere_xml", "deepseek_v4_1_xml", "gemma", "kimi_k3_xml", "minimax_m3_xml")

ANNOTATIONS = {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
OF_OBJECTS = {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "$defs",
    "definitions",
    "$schema",
    "$id",
    "strict",
}
# All types but that of strings.
JSON_TYPES = ["object", "array", "number", "boolean", "null"]
# The types of JSON values, by those of Python.
TYPES = {str: "string", bool: "boolean", int: "integer", type(None): "null", list: "array", dict: "object"}


def xml_parameters(schema: Entry, style: Entry, leaves: Leaves, whitespace: str | int) -> Part:
    """The objects of a schema as XML parameters.

    Args:
        schema: the schema.
        style: the name of the style.
        leaves: makes the parts of values.
        whitespace: "flexible", or how many characters of white space may stand at one place.

    Raises:
        GrammarError: the style or the schema is malformed, or nothing satisfies the schema.
        UnsupportedError: the style is not supported, or a keyword cannot be enforced without quotes.
        LimitError: a bound was reached.
    """
    return _Parameters(schema, _style(style), leaves, whitespace).part()


def _style(entry: Entry) -> Style:
    name = entry.value
    if isinstance(name, str) and name in STYLES:
        return STYLES[name]
    known = ["json", *STYLES]
    if name in NOT_READ:
        raise entry.error(f"the style {name!r} is not supported; there are {', '.join(known)}", UnsupportedError)
    like = did_you_mean(name, known) if isinstance(name, str) else ""
    raise entry.error(f"there is no style {name!r}{like or '; there are ' + ', '.join(known)}")


class _Parameters:
    def __init__(self, schema: Entry, style: Style, leaves: Leaves, whitespace: str | int) -> None:
        self.root = schema
        self.style = style
        self.leaves = leaves
        self.whitespace = whitespace
        self.most = None if isinstance(whitespace, str) else whitespace
        self.blank = leaves.blank(self.most)
        self.suffix = style.suffix.encode()
        # the values of schemas by their pointers, and the pointers of those that are being read
        self.known: dict[str, _Values] = {}
        self.reading: set[str] = set()

    def part(self) -> Part:
        """All parameters."""
        schema = self.target(self.root)
        if schema.value is True:
            raise self.unnamed(schema)
        if not isinstance(schema.value, Mapping):
            raise schema.expected("a schema of an object")
        for key in schema.value:
            if key not in OF_OBJECTS and key not in ANNOTATIONS:
                raise schema.member(key).error(
                    f"{key!r} cannot be enforced for XML parameters; leave it out, or use the style 'json'",
                    UnsupportedError,
                )
        if schema.value.get("type", "object") != "object":
            raise schema.member("type").error("XML parameters are for objects: the type must be 'object'")
        if schema.value.get("additionalProperties", False) is not False:
            raise self.unnamed(schema.member("additionalProperties"))
        named = list(self.named(schema))
        known = {name for name, _ in named}
        required = set()
        for one in self.required(schema):
            required.add(one.value)
            if one.value not in known:
                raise one.error(f"the parameter {one.value!r} is required, and `properties` does not have it")
        parts = [self.blank]
        for name, value in named:
            parameter = Sequence((self.parameter(name, value), self.blank))
            parts.append(parameter if name in required else Repeat(parameter, 0, 1))
        return Sequence(tuple(parts))

    def unnamed(self, entry: Entry) -> UnsupportedError:
        error = entry.error(
            "XML parameters must have names: list them in `properties`; additionalProperties may only be false",
            UnsupportedError,
        )
        assert isinstance(error, UnsupportedError)
        return error

    def named(self, schema: Entry) -> Iterator[tuple[str, Entry]]:
        if "properties" not in schema.value:
            return
        properties = schema.member("properties")
        if not isinstance(properties.value, Mapping):
            raise properties.expected("an object")
        for name in properties.value:
            yield name, properties.member(name)

    def required(self, schema: Entry) -> list[Entry]:
        names = schema.value.get("required", [])
        if not isinstance(names, (list, tuple)):
            raise schema.member("required").expected("an array of strings")
        found = schema.member("required").items("strings") if names else []
        for one in found:
            one.text()
        return found

    def parameter(self, name: str, schema: Entry) -> Part:
        """A parameter: its name and its value."""
        style = self.style
        found = self.values(schema)
        ways = []
        for before, values in ((style.before_string, found.strings), (style.before_json, found.json)):
            if values is not None:
                first, *others = before
                begin = Entry(style.prefix + name + first, schema.pointer).text()
                ways.append(Sequence((literal(begin), *(one for more in others for one in self.spaced(more)), values)))
        # (any string is also what any JSON value is written as)
        return ways[0] if found.any_string and style.before_string == style.before_json else choice(ways)

    def spaced(self, text: str) -> tuple[Part, Part]:
        return self.blank, literal(text.encode())

    def target(self, schema: Entry) -> Entry:
        """A schema, or what its `$ref` leads to."""
        for _ in range(100):
            value = schema.value
            if not isinstance(value, Mapping) or "$ref" not in value:
                return schema
            if not ANNOTATIONS.union({"$ref", "$defs", "definitions"}).issuperset(value):
                break
            schema = self.found(schema.member("$ref"))
        raise schema.error("this reference cannot be followed for XML parameters", UnsupportedError)

    def found(self, reference: Entry) -> Entry:
        words = str(reference.value).split("/")
        found = self.root
        for word in words[1:]:
            key = unescaped(word)
            if words[0] != "#" or not isinstance(found.value, Mapping) or key not in found.value:
                raise reference.error(f"there is no {reference.value!r} in this schema", UnsupportedError)
            found = found.member(key)
        return found

    def values(self, schema: Entry) -> _Values:
        """The values of a schema, each with what ends its parameter."""
        found = self.target(schema)
        pointer = found.pointer
        if pointer not in self.known:
            if pointer in self.reading or len(self.reading) > MAX_DEPTH:
                raise found.error("anyOf leads back to itself, or is nested too deep", UnsupportedError)
            self.reading.add(pointer)
            self.known[pointer] = self.read_values(found)
            self.reading.remove(pointer)
        return self.known[pointer]

    def read_values(self, found: Entry) -> _Values:
        value = found.value
        if value is True or (isinstance(value, Mapping) and ANNOTATIONS.issuperset(value)):
            return _Values(self.free(), self.json(Entry({"type": JSON_TYPES}, found.pointer)), True)
        if not isinstance(value, Mapping) or not self.may_be_string(found):
            return _Values(None, self.json(found, self.root))
        keys = set(value) - ANNOTATIONS
        if keys & {"enum", "const"} and keys <= {"enum", "const", "type"}:
            return self.listed(found)
        if keys == {"anyOf"}:
            return _union([self.values(one) for one in found.member("anyOf").items("schemas")])
        if "type" in keys and keys.issubset({"type", *BOUNDS}):
            types = value["type"] if isinstance(value["type"], list) else [value["type"]]
            others = [one for one in types if one != "string"]
            json = self.json(Entry({"type": others}, found.pointer)) if others else None
            if keys == {"type"}:
                return _Values(self.free(), json, True)
            return _Values(self.leaves.raw_string(found, self.most, self.suffix), json)
        refused = ", ".join(sorted(map(str, keys.difference({"type", "anyOf", "enum", "const"}, BOUNDS) or keys)))
        raise found.error(
            f"a string is written as it is in XML parameters, and there {refused} cannot be enforced, at least not "
            "together; leave it out, or use the style 'json'",
            UnsupportedError,
        )

    def free(self) -> Part:
        """Any string."""
        return free_text([self.suffix], (self.suffix,))

    def json(self, schema: Entry, root: Entry | None = None) -> Part:
        """The JSON texts of a schema. If it is one of `root`, references may lead elsewhere there."""
        return then(self.leaves.schema(schema, self.whitespace, root=root), (self.suffix,))

    def may_be_string(self, schema: Entry) -> bool:
        """Whether a value of a schema may be a string, as far as its type, its list of values, or anyOf says."""
        value = schema.value
        if not isinstance(value, Mapping):
            return bool(value)
        if "type" in value:
            return "string" in (value["type"] if isinstance(value["type"], list) else [value["type"]])
        if "const" in value or "enum" in value:
            return any(isinstance(one, str) for one in _values(value))
        if "anyOf" in value:
            return any(self.values(one).strings is not None for one in schema.member("anyOf").items("schemas"))
        return True

    def listed(self, schema: Entry) -> _Values:
        """One of some values."""
        types = schema.value.get("type", list(TYPES.values()))
        types = types if isinstance(types, list) else [types]
        values = [one for one in _values(schema.value) if _has_type(one, types)]
        if not values:
            raise schema.error("no value obeys this schema")
        texts = [literal(Entry(one, schema.pointer).text()) for one in values if isinstance(one, str)]
        others = [one for one in values if not isinstance(one, str)]
        strings = Sequence((self.blank, choice(texts), self.blank, literal(self.suffix))) if texts else None
        return _Values(strings, self.json(Entry({"enum": others}, schema.pointer)) if others else None)


class _Values(NamedTuple):
    """The values of a schema: strings and JSON, each with what ends the parameter; and whether any string is one."""

    strings: Part | None
    json: Part | None
    any_string: bool = False


def _union(found: list[_Values]) -> _Values:
    strings = [one.strings for one in found if one.strings is not None]
    free = [one.strings for one in found if one.strings is not None and one.any_string]
    json = [one.json for one in found if one.json is not None]
    return _Values(choice(free[:1] or strings) if strings else None, choice(json) if json else None, bool(free))


def _values(schema: Mapping[str, Any]) -> list[Any]:
    values = schema.get("enum", [schema.get("const")])
    if not isinstance(values, list):
        return []
    return [one for one in values if "const" not in schema or one == schema["const"]]


def _has_type(value: Any, types: list[Any]) -> bool:
    kind = TYPES.get(type(value), "number")
    return kind in types or (kind == "integer" and "number" in types)
