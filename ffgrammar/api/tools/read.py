"""`read_answer`: what an answer says, as a server hands it on to its client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ffgrammar.api.tools import harmony
from ffgrammar.api.tools.arguments import root
from ffgrammar.api.tools.compile import ToolFormat
from ffgrammar.api.tools.definitions import Tool, read_tools
from ffgrammar.api.tools.format import Format, Mark, Parameters
from ffgrammar.api.tools.reasoning import read_reasoning
from ffgrammar.api.tools.table import FORMATS, check_format
from ffgrammar.api.tools.values import is_any_string, types_of
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.pointers import escaped
from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.grammar.names import shown

__all__ = ["Answer", "ToolCall", "read_answer"]


class ToolCall(NamedTuple):
    """A call of a tool.

    Attributes:
        name: the name of the tool.
        arguments: its arguments as JSON; while the call is written, what there is so far.
    """

    name: str
    arguments: str


class Answer(NamedTuple):
    """What an answer says.

    Attributes:
        content: the text; None if there is none beside the calls.
        reasoning: the reasoning; None if there is none.
        calls: the calls.
    """

    content: str | None
    reasoning: str | None
    calls: tuple[ToolCall, ...]


def read_answer(
    matcher: Matcher,
    request: Mapping[str, Any],
    *,
    format: ToolFormat | None = None,
    reasoning: str | tuple[str, str] | None = None,
) -> Answer:
    """What the text of a matcher says, whose grammar is that of `compile_request` or `compile_tools`.

    The text need not be complete. Then texts and JSON arguments are what was written so far. In formats with tags,
    arguments are those that are complete.

    Args:
        matcher: the matcher.
        request: the request, of which `tools` is read.
        format, reasoning: as when the grammar was compiled.

    Raises:
        GrammarError: as `compile_request`, or the text calls a tool that the request does not have.
        TypeError: an argument is of another type.
    """
    expect("matcher", matcher, Matcher, "a Matcher (as of Grammar.matcher)")
    expect("read_answer: request", request, Mapping, "a dict")
    pair = read_reasoning(reasoning)
    if format is None and pair is None:
        return Answer(_decoded(matcher.text_bytes), None, ())
    name = None if format is None else check_format(format)
    style = FORMATS[name] if name is not None and name != harmony.NAME else None
    special = matcher.engine.tokenizer.special_tokens
    parts: dict[str, list[str]] = {"content": [], "reasoning": []}
    ends = {"content": _content_ends(style), "reasoning": [pair[1]] if pair else []}
    if name == harmony.NAME:
        ends = {key: [harmony.END.text, harmony.RETURN.text] for key in parts}
    calls: list[tuple[Capture, list[Capture]]] = []
    for one in matcher.captures():
        if one.name in parts:
            parts[one.name].append(_without(_decoded(one.text), ends[one.name]))
        elif one.name.startswith("call:"):
            calls.append((one, []))
        elif one.name.startswith(("argument:", "string:")):
            calls[-1][1].append(one)
    tools = {tool.name: tool for tool in read_tools(request.get("tools") or ())}
    read = []
    for call, arguments in calls:
        tool = tools.get(call.name.removeprefix("call:"))
        if tool is None:
            raise GrammarError(
                f"the text calls {shown(call.name[5:])}, and the request has no such tool", pointer="/tools"
            )
        tags = None if style is None else style.parameters
        text = _decoded(call.text) if tags is None else _object(tool, arguments, tags, special)
        read.append(ToolCall(tool.name, text))
    content, thought = ("\n".join(one for one in parts[key] if one) for key in ("content", "reasoning"))
    return Answer(content if content or not read else None, thought if parts["reasoning"] else None, tuple(read))


def _decoded(data: bytes) -> str:
    """A text, without a character of which only a part was written."""
    return data.decode("utf-8", "ignore")


def _without(text: str, ends: list[str]) -> str:
    for end in ends:
        if text.endswith(end):
            return text[: len(text) - len(end)]
    return text


def _content_ends(style: Format | None) -> list[str]:
    """The marks that may stand at the end of captured content, because they are no special tokens."""
    if style is None:
        return []
    first = (style.begin + style.before)[0]
    marks = [] if style.bare or not isinstance(first, Mark) else [first]
    return [mark.text for mark in (*marks, *(style.content or ())[1:])]


def _object(tool: Tool, arguments: list[Capture], style: Parameters, special: Mapping[str, int]) -> str:
    """Arguments between tags as a JSON object. Those that are not complete are left out."""
    schema, pointer = root(tool)
    found = []
    for one in arguments:
        kind, _, key = one.name.partition(":")
        text, end = _decoded(one.text), _end_of(kind, style, special)
        if one.end is None or not text.endswith(end):
            continue
        value = text[: len(text) - len(end)]
        where = f"{pointer}/properties/{escaped(key)}"
        if kind == "string":
            value = json.dumps(value, ensure_ascii=False)
        elif style.stop is not None and style.other_middle is None:
            value = _value(value, schema["properties"][key], tool, where)
        found.append(f"{json.dumps(key, ensure_ascii=False)}: {value}")
    return "{" + ", ".join(found) + "}"


def _end_of(kind: str, style: Parameters, special: Mapping[str, int]) -> str:
    """The text that ends a captured argument."""
    if style.stop is None or (kind != "string" and not style.other_stop):
        return ""
    return style.lead + ("" if style.stop.text in special else style.stop.text) + style.trail


def _value(text: str, schema: Any, tool: Tool, pointer: str) -> str:
    """A value as JSON. What is no string is written as JSON already."""
    if not is_any_string(schema):
        types = types_of(schema, tool.schema, pointer)
        if "string" not in types or ("null" in types and text == "null"):
            return text
    return json.dumps(text, ensure_ascii=False)
