"""`compile_request`: what the body of a request to an API asks of the answer."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from ffgrammar.api.compile import composed
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import capture, repeat, sequence
from ffgrammar.api.tools.answer import MAX_LINES
from ffgrammar.api.tools.arguments import moved
from ffgrammar.api.tools.choice import read_choice
from ffgrammar.api.tools.compile import Content, ToolFormat, compile_answers, kept
from ffgrammar.api.tools.marks import Marks
from ffgrammar.api.tools.reasoning import read_reasoning, reasoning_block
from ffgrammar.api.tools.response_format import compile_response_format
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.core.pointers import escaped
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["compile_request"]

# Where APIs have the format of an answer: OpenAI's chat completions and responses, Anthropic's messages (two ways).
_FORMATS = (("response_format",), ("text", "format"), ("output_config", "format"), ("output_format",))
# Keys that ask something of an answer which is not read here, and what to do instead.
_OTHERS = {
    "functions": "use 'tools'",
    "function_call": "use 'tool_choice'",
    "grammar": "compile it with compile_gbnf or compile_lark",
    "json_schema": "use 'response_format'",
    "guided_json": "use 'response_format'",
    "guided_regex": "compile it with compile_regex",
    "guided_choice": "compile it with compile_choice",
    "guided_grammar": "compile it with compile_gbnf or compile_lark",
    "regex": "compile it with compile_regex",
    "ebnf": "compile it with compile_ebnf",
    "structured_outputs": "use 'response_format', or compile the constraint itself",
}
# A key that resembles one of these this much is a misspelling of it. No key of a known API does.
_READ = ("response_format", "output_config", "output_format", "tools", "tool_choice", "parallel_tool_calls")
_LIKE = 0.85
# How many keys, and of how many letters, are compared.
_MAX_KEYS, _MAX_LETTERS = 1000, 60


def compile_request(
    request: Mapping[str, Any],
    tokenizer: Tokenizer,
    *,
    format: ToolFormat | None = None,
    reasoning: str | tuple[str, str] | None = None,
    whitespace: Literal["flexible", "compact"] | int | None = None,
    property_order: Literal["schema", "any"] = "schema",
    limits: Limits | None = None,
) -> Grammar | None:
    """The answers that a request to OpenAI's chat completions or responses, or to Anthropic's messages, asks for.

    These keys are read: `response_format`, `text.format`, `output_config.format` or `output_format`; `tools`,
    `tool_choice` and `parallel_tool_calls`. If there are both tools and a format, an answer is one or several calls, or
    a text in the format. `read_answer` reads the answer.

    Args:
        request: the body of the request. Keys that do not bear on which answers there may be are ignored. One that
            looks like a misspelling of a key that is read is an error.
        tokenizer: the vocabulary of the model.
        format: the format in which the model calls tools, as in `compile_tools`. It is needed if there are tools.
        reasoning: the block that stands before the answer, as in `compile_tools`.
        whitespace: where JSON may have white space, as in `compile_json_schema`. None: in a response format at most one
            blank at a place, and in arguments the layout that models of the family write.
        property_order: as in `compile_json_schema`.
        limits: bounds on the cost.

    Returns:
        The grammar; None if every text is an answer.

    Raises:
        GrammarError: the request is wrong (`pointer` says where), or `format` is missing.
        UnsupportedError: something cannot be enforced exactly, or is asked for in a way that is not known.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    expect("compile_request: request", request, Mapping, "a dict")
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    _refuse_others(request)
    _check_spelling(request)
    content = _content(request, tokenizer, {"whitespace": whitespace, "property_order": property_order}, limits)
    tools, choice, parallel = _calls(request)
    if not tools:
        read_choice(choice, (), parallel)  # (which may ask for a call)
        if content is None:
            return None
        if format is None:
            return _plain(content, tokenizer, reasoning, limits)
    elif format is None:
        raise GrammarError("the request has tools, and how a model calls them depends on its family: pass format=…")
    return compile_answers(
        tools,
        tokenizer,
        content,
        format=format,
        choice=choice,
        parallel=parallel,
        reasoning=reasoning,
        whitespace=whitespace,
        property_order=property_order,
        limits=limits,
    )


def _refuse_others(request: Mapping[str, Any]) -> None:
    for key, instead in _OTHERS.items():
        if request.get(key) is not None:
            raise UnsupportedError(f"{key!r} is not read here: {instead}", pointer=f"/{key}")


def _check_spelling(request: Mapping[str, Any]) -> None:
    """Raise GrammarError for a key that is spelled nearly as one that is read: what it asks for would be ignored."""
    for key, value in islice(request.items(), _MAX_KEYS):
        if value is not None and isinstance(key, str) and len(key) <= _MAX_LETTERS and (meant := _meant(key)):
            raise GrammarError(f"{key!r} is not read; did you mean {meant}?", pointer=f"/{escaped(key)}")


@lru_cache(maxsize=256)
def _meant(key: str) -> str | None:
    """The key of which another one is a misspelling."""
    return None if key in _READ else next(iter(difflib.get_close_matches(key.lower(), _READ, 1, _LIKE)), None)


def _calls(request: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str | Mapping[str, Any], bool]:
    """The tools, which of them may be called, and whether several may be."""
    tools, choice, parallel = (request.get(key) for key in ("tools", "tool_choice", "parallel_tool_calls"))
    if tools is not None and not isinstance(tools, list):
        raise GrammarError("'tools' must be an array", pointer="/tools")
    for number, tool in enumerate(tools or ()):
        if not isinstance(tool, dict):
            raise GrammarError("a tool must be an object", pointer=f"/tools/{number}")
    if choice is not None and not isinstance(choice, (str, Mapping)):
        raise GrammarError("'tool_choice' must be a text or an object", pointer="/tool_choice")
    if parallel is not None and not isinstance(parallel, bool):
        raise GrammarError("'parallel_tool_calls' must be true or false", pointer="/parallel_tool_calls")
    return tools or [], "auto" if choice is None else choice, parallel is not False


def _formats(request: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The formats that a request has: where each stands, and what it is."""
    for path in _FORMATS:
        found: Any = request
        for key in path:
            found = found.get(key) if isinstance(found, Mapping) else None
        if found is not None:
            yield "/" + "/".join(path), found


def _content(
    request: Mapping[str, Any], tokenizer: Tokenizer, options: Mapping[str, Any], limits: Limits | None
) -> Content | None:
    """What a text must be; None: any text."""
    formats = list(_formats(request))
    if len(formats) > 1:
        raise GrammarError("the request has several formats of the answer: leave one out", pointer=formats[1][0])
    if not formats:
        return None
    pointer, given = formats[0]
    if not isinstance(given, Mapping):
        raise GrammarError("the format of an answer must be an object", pointer=pointer)
    if given.get("type") == "text":
        return None
    options = {key: value for key, value in options.items() if value is not None}
    try:
        grammar = compile_response_format(given, tokenizer, limits=limits, **options)
    except GrammarError as error:
        if error.pointer is None:
            raise
        raise type(error)(error.message, pointer=pointer + error.pointer) from error
    if grammar.warnings:
        grammar = grammar._warned(moved(warning, pointer) for warning in grammar.warnings)
    return Content(grammar, (pointer, given, options))


def _plain(
    content: Content, tokenizer: Tokenizer, reasoning: str | tuple[str, str] | None, limits: Limits | None
) -> Grammar:
    """A text in a format, from a model that is not asked to call tools."""
    pair = read_reasoning(reasoning)
    if pair is None:
        return content.grammar

    def make() -> Grammar:
        block = reasoning_block(pair, Marks(tokenizer, "reasoning", limits))
        made = composed(
            sequence(block, repeat("\n", 0, MAX_LINES), capture("content", content.grammar)), tokenizer, limits
        )
        made._warnings = content.grammar.warnings
        return made

    return kept(("reasoning", pair, content.source), tokenizer, limits, make)
