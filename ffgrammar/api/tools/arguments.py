"""The arguments of a tool as a part of a composition: a JSON object, or one text for each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from ffgrammar.api.compile import _compiled, compile_json_schema
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import Composable, Part, capture, choice_of, optional, sequence
from ffgrammar.api.tools.definitions import Tool
from ffgrammar.api.tools.format import Mark, Parameters, Piece, first_char
from ffgrammar.api.tools.marks import Marks
from ffgrammar.api.tools.names import is_python_name
from ffgrammar.api.tools.values import OTHERS, check_plain, is_any_string, raw_values, resolved, saying
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.core.pointers import escaped
from ffgrammar.grammar import raw_text
from ffgrammar.grammar.raw_text import RawText, Strings
from ffgrammar.grammar.references import has_references
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
    found = [
        (writer.parameter(key, one, f"{pointer}/properties/{escaped(key)}"), key in required)
        for key, one in properties.items()
    ]
    return _joined(found, style.between)


def _joined(found: list[tuple[Part, bool]], between: str) -> Part:
    """Parts of which some are required, with a text between those that are there."""
    if not between:
        return sequence(*(part if required else optional(part) for part, required in found))
    # What may follow each part, from the last one to the first; and the first part that is there with what follows it.
    rest, ways = sequence(), [sequence()]
    for part, required in reversed(found):
        whole = sequence(part, rest)
        ways = [whole] if required else [whole, *ways]
        more = sequence(between, part)
        rest = sequence(more if required else optional(more), rest)
    return choice_of(*ways)


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


class _Way(NamedTuple):
    """A way to write a value.

    Attributes:
        kind: with what the name of its capture begins: "string", if the format tells strings apart and this is one.
        middle: what stands before it.
        value: the value and what ends it.
    """

    kind: str
    middle: tuple[Piece, ...]
    value: list[Composable]


class _Writer:
    """Writes the parameters of one tool. Pointers are those into the tool's schema."""

    def __init__(self, tool: Tool, style: Parameters, context: Context) -> None:
        self._tool = tool
        self._style = style
        self._context = context

    def parameter(self, key: str, schema: Any, pointer: str) -> Part:
        """One parameter: its key, its value and what ends it."""
        style, above = self._style, self._tool.pointer
        ender = first_char(style.middle)
        if ender in key or "\n" in key or not key:
            reason = f"{ender!r} ends it"
        elif style.stop is None and not is_python_name(key):
            reason = "names are as in Python"
        else:
            reason = ""
        if reason:
            raise UnsupportedError(
                f"the name {key!r} cannot be written in this format, where {reason}: choose a format with "
                "JSON arguments",
                pointer=above + pointer,
            )
        try:
            ways = self._values(schema, pointer)
        except GrammarError as error:
            where = pointer if error.pointer is None else error.pointer
            raise type(error)(error.message, pointer=above + where) from error
        pieces = self._context.marks.pieces
        found = []
        for kind, middle, value in ways:
            named = capture(f"{kind}:{key}", sequence(*value))
            found.append(sequence(*pieces((*style.before, key, *middle)), named))
        return choice_of(*found)

    def _values(self, schema: Any, pointer: str) -> list[_Way]:
        """The ways to write a value."""
        style, context = self._style, self._context
        json = None
        if style.stop is None or not is_any_string(schema):
            # (Also where strings have no quotes: this checks the schema.)
            json = self._json(schema, pointer)
            context.warnings.extend(moved(warning, self._tool.pointer + pointer) for warning in json.warnings)
        if style.stop is None:
            assert json is not None
            return [_Way("argument", style.middle, [json])]
        strings, others = raw_values(schema, self._tool.schema, pointer, style.other_middle is not None)
        ways = []
        if strings is not None:
            kind = "argument" if style.other_middle is None else "string"
            ways.append(_Way(kind, style.middle, self._text(strings, style.stop)))
        if others:
            if not style.other_stop:
                check_plain(schema, self._tool.schema, pointer)
            if strings is not None:
                json = self._json(schema, pointer, but_strings=True)
            assert json is not None
            end = context.marks.pieces((style.lead, style.stop, style.trail)) if style.other_stop else []
            ways.append(_Way("argument", style.other_middle or style.middle, [json, *end]))
        return ways

    def _text(self, strings: tuple[Strings, ...], stop: Mark) -> list[Composable]:
        """A string without quotes, and what ends it."""
        style, context = self._style, self._context
        if context.marks.is_special(stop):
            rule = RawText(strings, excluded=(stop.text,))
            return [compiled_text(rule, context), *context.marks.pieces((style.lead, stop, style.trail))]
        # The text and its end are one lexeme: it is known then where the text ends.
        rule = RawText(strings, excluded=(stop.text,), end=style.lead + stop.text + style.trail)
        return [compiled_text(rule, context)]

    def _json(self, schema: Any, pointer: str, *, but_strings: bool = False) -> Grammar:
        """A value as JSON; if `but_strings`, one that is no string."""
        tokenizer, layout, whole = self._context.tokenizer, self._context.layout, self._tool.schema
        others = {"type": OTHERS}
        if not has_references(schema):
            one = {"allOf": [schema, others]} if but_strings else schema
            return compiled_schema(one, tokenizer, layout, pointer, "/allOf/0" if but_strings else "")
        # References are followed in the whole document, whose base is a name of its own.
        document = {**whole, "$id": whole.get("$id", _DOCUMENT)}
        ref = {"$ref": f"{document['$id']}#{pointer}"}
        # (beside a $ref other keywords may have no meaning)
        wrapped: dict[str, Any] = {"allOf": [ref, others]} if but_strings else ref
        wrapped["$defs"] = {"arguments": document}
        if "$schema" in document:
            wrapped["$schema"] = document["$schema"]
        return compiled_schema(wrapped, tokenizer, layout, "", "/$defs/arguments")


def moved(warning: str, pointer: str) -> str:
    """A warning about a schema that stands at a pointer."""
    place, colon, message = warning.partition(": ")
    if not colon or not place.startswith("at /"):
        return f"at {pointer}: {warning}"
    inner = "" if place.startswith("at / (") else place[3:]
    return f"at {pointer}{inner}: {message}"
