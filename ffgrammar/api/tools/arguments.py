"""The arguments of a tool as a part of a composition: a JSON object, or one text for each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from ffgrammar.api.compile import _compiled, compile_json_schema
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import Composable, Part, capture, optional, sequence
from ffgrammar.api.tools.definitions import Tool
from ffgrammar.api.tools.format import Parameters, first_char
from ffgrammar.api.tools.marks import Marks
from ffgrammar.api.tools.values import is_any_string, raw_strings, resolved, saying
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.core.pointers import escaped
from ffgrammar.grammar import raw_text
from ffgrammar.grammar.raw_text import RawText, Strings
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Context", "Layout", "compiled_arguments", "compiled_schema", "compiled_text", "moved", "parameters", "root"]

# Where a schema with references stands in the schema of one of its parameters.
_DOCUMENT = "urn:ffgrammar:arguments"
_ROOT_WORDS = frozenset("type properties required additionalProperties unevaluatedProperties".split())


class Layout(NamedTuple):
    """How JSON values are written: the options of `compile_json_schema`."""

    options: Mapping[str, Any]
    limits: Limits | None


class Context(NamedTuple):
    """What all parts of one grammar are made with.

    Attributes:
        tokenizer: the vocabulary.
        marks: the pieces of the format.
        layout: how JSON is written.
        content: what text that is no call must be; None: any text.
        warnings: where warnings are added.
    """

    tokenizer: Tokenizer
    marks: Marks
    layout: Layout
    content: Grammar | None
    warnings: list[str]


def compiled_schema(schema: Any, tokenizer: Tokenizer, layout: Layout, pointer: str, inside: str = "") -> Grammar:
    """The grammar of a schema that stands at a JSON pointer.

    Args:
        schema, tokenizer, layout: as for `compile_json_schema`.
        pointer: where the schema stands; errors begin with it.
        inside: the beginning of pointers in `schema` itself that is left out.

    Raises:
        GrammarError, UnsupportedError, LimitError: as `compile_json_schema`.
    """
    try:
        return compile_json_schema(schema, tokenizer, limits=layout.limits, **layout.options)
    except GrammarError as error:
        if error.pointer is None:
            raise
        raise type(error)(error.message, pointer=pointer + error.pointer.removeprefix(inside)) from error


def compiled_arguments(tool: Tool, context: Context) -> Grammar:
    """The grammar of a tool's arguments as a JSON object."""
    grammar = compiled_schema(tool.schema, context.tokenizer, context.layout, tool.pointer)
    context.warnings.extend(moved(warning, tool.pointer) for warning in grammar.warnings)
    return grammar


def compiled_text(rule: RawText, context: Context) -> Grammar:
    """The grammar of a text that is written without quotes."""
    source = ("raw text", rule.among, rule.excluded, rule.not_first, rule.end)
    return _compiled(context.tokenizer, source, context.layout.limits, partial(raw_text.build, rule))


def parameters(tool: Tool, style: Parameters, context: Context) -> Part:
    """The arguments of a tool, each between tags: its declared parameters, in the order of the schema.

    Raises:
        UnsupportedError: the schema says more about its object than which properties there are and which are required,
            a name cannot be written, or a value could be read in two ways.
        GrammarError, LimitError: as `compile_json_schema`.
    """
    schema, pointer = root(tool)
    for word in schema:
        if word in saying(schema) - _ROOT_WORDS:
            raise UnsupportedError(
                f"{word!r} is about several parameters, which this format writes one by one: choose a format with "
                "JSON arguments",
                pointer=f"{tool.pointer}{pointer}/{escaped(word)}",
            )
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise GrammarError("'properties' must be an object", pointer=f"{tool.pointer}{pointer}/properties")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(key, str) for key in required):
        raise GrammarError("'required' must be an array of names", pointer=f"{tool.pointer}{pointer}/required")
    for key in required:
        if key not in properties:
            raise UnsupportedError(
                f"{key!r} is required and has no schema under 'properties'",
                pointer=f"{tool.pointer}{pointer}/required",
            )
    writer = _Writer(tool, style, context)
    found: list[Composable] = []
    for key, one in properties.items():
        part = writer.parameter(key, one, f"{pointer}/properties/{escaped(key)}")
        found.append(part if key in required else optional(part))
    return sequence(*found)


def root(tool: Tool) -> tuple[dict[str, Any], str]:
    """The schema of an object, and where it stands in the schema of the tool."""
    schema = tool.schema
    if "$ref" in schema:
        schema = {word: value for word, value in schema.items() if word not in ("type", "$defs", "definitions")}
    try:
        found, pointer = resolved(schema, tool.schema, "")
    except GrammarError as error:
        raise type(error)(error.message, pointer=tool.pointer + (error.pointer or "")) from error
    if not isinstance(found, dict):
        raise GrammarError("the schema of a tool's arguments must be an object", pointer=tool.pointer + pointer)
    return found, pointer


class _Writer:
    """Writes the parameters of one tool. Pointers are those into the tool's schema."""

    def __init__(self, tool: Tool, style: Parameters, context: Context) -> None:
        self._tool = tool
        self._style = style
        self._context = context

    def parameter(self, key: str, schema: Any, pointer: str) -> Part:
        """One parameter: its key, its value and the tags."""
        style, above = self._style, self._tool.pointer
        ender = first_char(style.middle)
        if ender in key or "\n" in key or not key:
            raise UnsupportedError(
                f"the name {key!r} cannot be written in this format, where {ender!r} ends it: choose a format with "
                "JSON arguments",
                pointer=above + pointer,
            )
        before = self._context.marks.pieces((*style.before, key, *style.middle))
        try:
            return sequence(*before, capture(f"argument:{key}", sequence(*self._value(schema, pointer))))
        except GrammarError as error:
            where = pointer if error.pointer is None else error.pointer
            raise type(error)(error.message, pointer=above + where) from error

    def _value(self, schema: Any, pointer: str) -> list[Composable]:
        """A value and what ends it."""
        style, context = self._style, self._context
        end = (style.lead, style.stop, style.trail)
        strings: tuple[Strings, ...] | None = (Strings(),)
        if not is_any_string(schema):
            # (Also where strings have no quotes: this checks the schema.)
            json = self._json(schema, pointer)
            context.warnings.extend(moved(warning, self._tool.pointer + pointer) for warning in json.warnings)
            strings = raw_strings(schema, self._tool.schema, pointer)
        if strings is None:
            return [json, *context.marks.pieces(end)]
        if context.marks.is_special(style.stop):
            rule = RawText(strings, excluded=(style.stop.text,))
            return [compiled_text(rule, context), *context.marks.pieces(end)]
        # The text and its end are one lexeme: it is known then where the text ends.
        rule = RawText(strings, excluded=(style.stop.text,), end=style.lead + style.stop.text + style.trail)
        return [compiled_text(rule, context)]

    def _json(self, schema: Any, pointer: str) -> Grammar:
        """A value as JSON."""
        tokenizer, layout, whole = self._context.tokenizer, self._context.layout, self._tool.schema
        if not _refers(schema):
            return compiled_schema(schema, tokenizer, layout, pointer)
        # References are followed in the whole document, whose base is a name of its own.
        document = {**whole, "$id": whole.get("$id", _DOCUMENT)}
        wrapped = {"$ref": f"{document['$id']}#{pointer}", "$defs": {"arguments": document}}
        if "$schema" in document:
            wrapped["$schema"] = document["$schema"]
        return compiled_schema(wrapped, tokenizer, layout, "", "/$defs/arguments")


def _refers(schema: Any) -> bool:
    """Whether there is a reference somewhere in a schema."""
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if not {"$ref", "$dynamicRef", "$recursiveRef"}.isdisjoint(one):
                return True
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False


def moved(warning: str, pointer: str) -> str:
    """A warning about a schema that stands at a pointer."""
    place, colon, message = warning.partition(": ")
    if not colon or not place.startswith("at /"):
        return f"at {pointer}: {warning}"
    inner = "" if place.startswith("at / (") else place[3:]
    return f"at {pointer}{inner}: {message}"
