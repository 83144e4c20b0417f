"""Which tools may be called: what `compile_tools` takes as `choice`, and what APIs call `tool_choice`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ffgrammar.api.tools.definitions import Tool
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.names import shown

__all__ = ["Choice", "read_choice"]

_SHAPES = "'auto', 'required', 'none', the name of a tool, or a tool_choice of OpenAI's or Anthropic's API"


class Choice(NamedTuple):
    """Which calls an answer has.

    Attributes:
        tools: the tools that may be called.
        required: whether there is at least one call.
        parallel: whether there may be several.
    """

    tools: tuple[Tool, ...]
    required: bool
    parallel: bool


def read_choice(choice: Any, tools: Sequence[Tool], parallel: bool) -> Choice:
    """What a choice means.

    Raises:
        GrammarError: it is malformed, names a tool that there is not, or asks for a call where there are no tools.
        UnsupportedError: it asks for a tool that is no function.
        TypeError: it is neither a str nor a dict.
    """
    if isinstance(choice, str):
        return _of_word(choice, tools, parallel)
    if not isinstance(choice, Mapping):
        raise TypeError(f"compile_tools: choice must be {_SHAPES}, not {type(choice).__name__}")
    kind = choice.get("type")
    if choice.get("disable_parallel_tool_use") is True:
        parallel = False
    if kind in ("auto", "none"):
        return _of_word(kind, tools, parallel)
    if kind == "any":
        return _of_word("required", tools, parallel)
    if kind == "function":
        inner = choice.get("function", choice)
        return _named(inner.get("name") if isinstance(inner, Mapping) else None, tools)
    if kind == "tool":
        return _named(choice.get("name"), tools)
    if kind == "allowed_tools":
        return _allowed(choice.get("allowed_tools", choice), tools, parallel)
    raise UnsupportedError(f"choice must be {_SHAPES}, not one of type {shown(kind)}", pointer="/tool_choice/type")


def _of_word(word: str, tools: Sequence[Tool], parallel: bool) -> Choice:
    if word == "none":
        return Choice((), False, parallel)
    if word == "auto":
        return Choice(tuple(tools), False, parallel)
    if word != "required":
        return _named(word, tools)
    if not tools:
        raise GrammarError("choice is 'required', and there are no tools", pointer="/tools")
    return Choice(tuple(tools), True, parallel)


def _named(name: Any, tools: Sequence[Tool]) -> Choice:
    """At least one call, of this tool only."""
    found = tuple(tool for tool in tools if tool.name == name)
    if not found:
        known = ", ".join(shown(tool.name) for tool in tools[:10]) or "none"
        more = ", …" if len(tools) > 10 else ""
        raise GrammarError(f"no tool has the name {shown(name)}; there are {known}{more}", pointer="/tool_choice")
    return Choice(found, True, False)


def _allowed(allowed: Any, tools: Sequence[Tool], parallel: bool) -> Choice:
    if not isinstance(allowed, Mapping) or not isinstance(allowed.get("tools"), list):
        raise GrammarError("'allowed_tools' needs a list of tools", pointer="/tool_choice/tools")
    found: list[Tool] = []
    for one in allowed["tools"]:
        inner = one.get("function", one) if isinstance(one, Mapping) else {}
        found += _named(inner.get("name") if isinstance(inner, Mapping) else None, tools).tools
    return _of_word("required" if allowed.get("mode") == "required" else "auto", found, parallel)
