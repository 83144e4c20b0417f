"""`compile_tools`: from tools to the answers of a model that may call them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from ffgrammar.api.compile import composed
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.grammar_cache import grammar_cache
from ffgrammar.api.parts import Part, sequence
from ffgrammar.api.tools import harmony
from ffgrammar.api.tools.answer import answer
from ffgrammar.api.tools.arguments import Context, Layout
from ffgrammar.api.tools.choice import Choice, read_choice
from ffgrammar.api.tools.definitions import Tool, read_tools
from ffgrammar.api.tools.format import COMPACT
from ffgrammar.api.tools.marks import Marks
from ffgrammar.api.tools.reasoning import read_reasoning, reasoning_block
from ffgrammar.api.tools.strict import strict_warnings
from ffgrammar.api.tools.table import FORMATS, check_format
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Content", "ToolFormat", "compile_answers", "compile_tools", "kept"]

ToolFormat = Literal[
    "hermes",
    "llama3",
    "mistral",
    "mistral-v11",
    "deepseek-v3",
    "deepseek-v3.1",
    "kimi-k2",
    "granite",
    "phi4-mini",
    "command-r7b",
    "hunyuan",
    "nemotron",
    "internlm2",
    "json-list",
    "qwen3-coder",
    "glm-4.5",
    "glm-4.7",
    "minimax-m2",
    "seed-oss",
    "deepseek-v3.2",
    "functiongemma",
    "gemma4",
    "pythonic",
    "lfm2",
    "gpt-oss",
]

_DEFAULT_LIMITS = Limits()


class Content(NamedTuple):
    """What an answer's text must be, where it is no call.

    Attributes:
        grammar: the grammar of the text.
        source: what it was compiled from.
    """

    grammar: Grammar
    source: object


def compile_tools(
    tools: Iterable[Any],
    tokenizer: Tokenizer,
    *,
    format: ToolFormat,
    choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    reasoning: str | tuple[str, str] | None = None,
    whitespace: Literal["flexible", "compact"] | int | None = None,
    property_order: Literal["schema", "any"] = "schema",
    limits: Limits | None = None,
) -> Grammar:
    """The answers of a model that may call tools, in the format that models of its family write.

    `Matcher.captures` says which tools are called: the capture `call:NAME` is the text of the arguments of the tool
    NAME. There are also the captures `content` and `reasoning`. If a tool says `strict`, and its schema is outside the
    subset that OpenAI's API takes, the grammar has warnings.

    Args:
        tools: definitions of tools, as for OpenAI's chat completions or responses, or for Anthropic's messages; Python
            functions, whose signatures are the arguments; or types, such as pydantic models.
        tokenizer: the vocabulary. Special tokens of the format are special tokens of the tokenizer if it has them.
        format: the name of a format.
        choice: "auto": text, or calls, or text and then calls; "required": at least one call; "none": text; the name of
            a tool: one call of this tool. A `tool_choice` of OpenAI's or Anthropic's API is taken, too.
        parallel: whether there may be several calls, in formats that have several.
        reasoning: a block that stands before the answer: the name of a family, or the texts that begin and end it. If
            the first text is empty, the prompt has begun the block. None: there is none, as for models that do not
            reason, and for those that were told not to.
        whitespace: where JSON may have white space, as in `compile_json_schema`. None: the layout that models of the
            family write, which is one of json.dumps.
        property_order: as in `compile_json_schema`.
        limits: bounds on the cost.

    Raises:
        GrammarError: a definition, a schema or the choice is wrong (`pointer` says where, and begins with /tools),
            there is no such format or reasoning, or the tokenizer lacks a token that the format needs.
        UnsupportedError: a schema cannot be enforced exactly, or cannot be written in this format.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    expect("parallel", parallel, bool, "a bool")
    return compile_answers(
        tools,
        tokenizer,
        None,
        format=format,
        choice=choice,
        parallel=parallel,
        reasoning=reasoning,
        whitespace=whitespace,
        property_order=property_order,
        limits=limits,
    )


def compile_answers(
    tools: Iterable[Any],
    tokenizer: Tokenizer,
    content: Content | None,
    *,
    format: ToolFormat,
    choice: str | Mapping[str, Any],
    parallel: bool,
    reasoning: str | tuple[str, str] | None,
    whitespace: Literal["flexible", "compact"] | int | None,
    property_order: Literal["schema", "any"],
    limits: Limits | None,
) -> Grammar:
    """`compile_tools`, where `content` says what a text must be that is no call; None: any text."""
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    expect("limits", limits, (Limits, type(None)), "Limits")
    name = check_format(format)
    listed = read_tools(tools)
    chosen = read_choice(choice, listed, parallel)
    pair = read_reasoning(reasoning)
    if pair is not None and name == harmony.NAME:
        raise UnsupportedError(f"the format {name!r} has its own reasoning: leave `reasoning` out")
    layout = Layout(_json_options(name, whitespace, property_order), limits)
    called = [tool.pointer for tool in chosen.tools]
    told = None if content is None else content.source
    source = ("tools", [tuple(tool) for tool in listed], called, *chosen[1:], name, pair, told, *layout.options.items())

    def make() -> Grammar:
        context = Context(tokenizer, Marks(tokenizer, name, limits), layout, content and content.grammar, [])
        made = composed(_answer(name, chosen, context, pair), tokenizer, limits)
        warnings = content.grammar.warnings if content is not None else ()
        made._warnings = (*warnings, *context.warnings, *_strict(listed))
        return made

    return kept(source, tokenizer, limits, make)


def kept(source: object, tokenizer: Tokenizer, limits: Limits | None, make: Callable[[], Grammar]) -> Grammar:
    """The grammar of a source: the one in the tokenizer's cache, or a new one."""
    cache = grammar_cache(tokenizer)
    key = cache.key(source, limits or _DEFAULT_LIMITS)
    found = None if key is None else cache.get(key)
    if found is not None:
        return found
    made = make()
    return made if key is None else cache.add(key, made)


def _json_options(name: str, whitespace: str | int | None, property_order: str) -> dict[str, Any]:
    """The options of the schemas of all arguments."""
    options: dict[str, Any] = {"property_order": property_order}
    if whitespace is None:
        options["separators"] = FORMATS[name].separators if name in FORMATS else COMPACT
    else:
        options["whitespace"] = whitespace
    return options


def _answer(name: str, chosen: Choice, context: Context, pair: tuple[str, str] | None) -> Part:
    if name == harmony.NAME:
        return harmony.harmony_answer(chosen, context)
    part = answer(FORMATS[name], chosen, context, pair is not None)
    return part if pair is None else sequence(reasoning_block(pair, context.marks), part)


def _strict(tools: list[Tool]) -> list[str]:
    return [
        f"at {tool.pointer}{pointer}: {message}"
        for tool in tools
        if tool.strict
        for pointer, message in strict_warnings(tool.schema)
    ]
