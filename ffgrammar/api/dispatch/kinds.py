"""The kinds of sources that `compile` knows, one row each.

A row says how a value, a text or a file name of its kind is known, and what compiles it. A new kind is a new row. If
two rows know one source, it is refused, and the message names both.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ffgrammar.api.compile import (
    compile_choice,
    compile_ebnf,
    compile_gbnf,
    compile_json_schema,
    compile_lark,
    compile_regex,
    compile_structural_tag,
    compose,
)
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.library import compile_library, library_names
from ffgrammar.api.load import load
from ffgrammar.api.parts import Part
from ffgrammar.api.tools.compile import compile_tools
from ffgrammar.api.tools.definitions import is_definition
from ffgrammar.api.tools.response_format import RESPONSE_TYPES, compile_response_format
from ffgrammar.api.types.schema_of import is_python_type, schema_of
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["KINDS", "Kind"]

Compile = Callable[..., Grammar]


def _no(value: Any) -> bool:
    return False


@dataclass(frozen=True)
class Kind:
    """A kind of sources.

    Attributes:
        name: what it is, for messages.
        function: the function that users call to say which kind they mean.
        compile: compiles a source: the source, the tokenizer, and options.
        is_value: whether a value that is no text is of this kind.
        is_text: whether a text is of this kind.
        suffixes: how names of files end that have such texts (or, if `reads_bytes`, such bytes).
        reads_bytes: whether `compile` takes the bytes of a file.
    """

    name: str
    function: str
    compile: Compile
    is_value: Callable[[Any], bool] = _no
    is_text: Callable[[str], bool] = _no
    suffixes: tuple[str, ...] = ()
    reads_bytes: bool = False


# ---- how values are known


def _is_response_format(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("type") in RESPONSE_TYPES


def _is_tool(value: Any) -> bool:
    return is_definition(value) or inspect.isroutine(value)


def _is_tools(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_is_tool(one) or is_python_type(one) for one in value)
    return is_definition(value)


def _is_structural_tag(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("type") == "structural_tag"


# Keys of the body of a request to an API, and the types of their values. If the body were read as a schema, it would
# allow everything.
_REQUEST_KEYS = {
    "messages": list,
    "tools": list,
    "response_format": Mapping,
    "output_config": Mapping,
    "output_format": Mapping,
}


def _is_request(value: Any) -> bool:
    if not isinstance(value, Mapping) or not BY_WORD.keys().isdisjoint(value):
        return False
    return any(isinstance(value.get(key), kind) for key, kind in _REQUEST_KEYS.items())


def _is_schema(value: Any) -> bool:
    if isinstance(value, bool) or is_python_type(value) or inspect.isroutine(value):
        return True
    others = (_is_response_format, _is_tools, _is_structural_tag, _is_request)
    return isinstance(value, dict) and not any(is_other(value) for is_other in others)


def _is_choice(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple, set, frozenset))
    return is_list and bool(value) and all(isinstance(one, (str, bytes)) for one in value)


# ---- how texts are known


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("{") or text.strip() in ("true", "false")


def _is_lark(text: str) -> bool:
    return re.search(r"^[ \t]*[?!]*start\b[^:\n]*:(?!:=)", text, re.MULTILINE) is not None


def _is_gbnf(text: str) -> bool:
    return re.search(r"^[ \t]*root[ \t]*::=", text, re.MULTILINE) is not None


def _is_tools_text(text: str) -> bool:
    if not text.lstrip("\ufeff \t\r\n").startswith("["):
        return False
    try:
        return _is_tools(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return False


def _is_library_name(text: str) -> bool:
    return re.fullmatch(r"@\S+", text) is not None or (text.isidentifier() and text in library_names())


# ---- what compiles them


def _schema(source: Any, tokenizer: Tokenizer, **options: Any) -> Grammar:
    return compile_json_schema(schema_of(source) if inspect.isroutine(source) else source, tokenizer, **options)


def _tools(source: Any, tokenizer: Tokenizer, **options: Any) -> Grammar:
    if "format" not in options:
        raise GrammarError(
            "these are tools, and how a model calls them depends on its family: pass format=…, as to compile_tools"
        )
    if isinstance(source, str):
        source = json.loads(source.removeprefix("\ufeff"))
    return compile_tools([source] if isinstance(source, dict) else source, tokenizer, **options)


def _request(source: Any, tokenizer: Tokenizer, **options: Any) -> Grammar:
    """The body of a request. It may have no grammar, so `compile` does not compile it."""
    raise GrammarError("this is the body of a request to an API: call compile_request")


def _regex(source: re.Pattern[str], tokenizer: Tokenizer, **options: Any) -> Grammar:
    """A compiled pattern of Python's. Its flags are translated."""
    if isinstance(source.pattern, bytes):
        raise UnsupportedError("a pattern of bytes cannot be enforced: texts are UTF-8; compile a pattern of str")
    unknown = source.flags & ~(re.IGNORECASE | re.DOTALL | re.UNICODE)
    if unknown:
        raise UnsupportedError(
            f"the flags {re.RegexFlag(unknown)!r} have no meaning here: write the pattern without them"
        )
    flags = {"ignore_case": bool(source.flags & re.IGNORECASE), "dot_all": bool(source.flags & re.DOTALL)}
    return compile_regex(source.pattern, tokenizer, **{**flags, **options})


def _library(source: str, tokenizer: Tokenizer, **options: Any) -> Grammar:
    return compile_library(source.removeprefix("@"), tokenizer, **options)


def _grammar(source: Grammar, tokenizer: Tokenizer, **options: Any) -> Grammar:
    """A grammar that is compiled already."""
    if options:
        raise TypeError(f"compile: a compiled grammar takes no options, and there is {next(iter(options))!r}")
    if source.tokenizer.fingerprint != tokenizer.fingerprint:
        raise GrammarError("the grammar was compiled for another vocabulary")
    return source


KINDS = (
    Kind("a JSON Schema", "compile_json_schema", _schema, _is_schema, _is_json, (".json",)),
    Kind("a response format", "compile_response_format", compile_response_format, _is_response_format),
    Kind("tools", "compile_tools", _tools, _is_tools, _is_tools_text),
    Kind("a request", "compile_request", _request, _is_request),
    Kind("a list of choices", "compile_choice", compile_choice, _is_choice, suffixes=(".choice",)),
    Kind("a regex", "compile_regex", _regex, lambda value: isinstance(value, re.Pattern)),
    Kind("a regex in a file", "compile_regex", compile_regex, suffixes=(".regex",)),
    Kind("a Lark grammar", "compile_lark", compile_lark, is_text=_is_lark, suffixes=(".lark",)),
    Kind("a GBNF grammar", "compile_gbnf", compile_gbnf, is_text=_is_gbnf, suffixes=(".gbnf",)),
    Kind("a grammar in EBNF", "compile_ebnf", compile_ebnf, suffixes=(".ebnf",)),
    Kind(
        "a structural tag",
        "compile_structural_tag",
        compile_structural_tag,
        _is_structural_tag,
        suffixes=(".tag.json",),
    ),
    Kind("a name in the library", "compile_library", _library, is_text=_is_library_name),
    Kind("parts", "compose", compose, lambda value: isinstance(value, Part)),
    Kind("a grammar", "compile", _grammar, lambda value: isinstance(value, Grammar)),
    Kind("a compiled file", "load", load, suffixes=(".ffg",), reads_bytes=True),
)
