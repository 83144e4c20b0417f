"""`compile`: any source to a grammar."""

from __future__ import annotations

import json
import os
from typing import Any

from ffgrammar.api.dispatch.kinds import KINDS, Kind
from ffgrammar.api.dispatch.unknown_text import unknown_text
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.names import shown
from ffgrammar.grammar.source_text import check_source_text
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["compile"]

_FUNCTIONS = "compile_json_schema, compile_lark, compile_gbnf, compile_regex, compile_choice, compile_tools"


def compile(source: Any, tokenizer: Tokenizer, **options: Any) -> Grammar:
    """The grammar of a source. Its kind follows from what it is.

    Args:
        source: one of

            - a dict or a bool: a JSON Schema; a `response_format`; a tool's definition; a structural tag;
            - a Python type or function: its schema, as of `schema_of`;
            - a list of texts: choices; a list of tools: tools, for which the option `format` is needed;
            - a compiled pattern of `re`, whose flags are translated;
            - a text: a dict, a bool or a list of tools as JSON; a Lark grammar with a rule `start`; a GBNF grammar with
              a rule `root`; the name of a grammar of the library, as "sql" or "@sql";
            - a path (`pathlib.Path`), whose ending says what the file has;
            - a part, as of `sequence`; or a grammar for the same vocabulary.

        tokenizer: the vocabulary.
        options: those of the function that compiles such a source.

    Raises:
        GrammarError: the source is wrong, or it is not clear of what kind. The message says what to call.
        UnsupportedError: it cannot be enforced exactly.
        LimitError: a bound was reached.
        OSError: a file cannot be read.
        TypeError: the source is of no known kind, or there is no such option.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    if isinstance(source, os.PathLike):
        return _compile_file(os.fspath(source), tokenizer, options)
    if isinstance(source, str):
        return _compile_text(source, tokenizer, options)
    found = [kind for kind in KINDS if kind.is_value(source)]
    if found:
        return _one(found).compile(source, tokenizer, **options)
    if isinstance(source, (list, tuple, set, frozenset)):
        raise GrammarError("a list is one of texts, which are choices, or one of tools; this one is neither")
    raise TypeError(f"compile: nothing is known that compiles a {type(source).__name__}; there are {_FUNCTIONS}")


def _one(found: list[Kind]) -> Kind:
    """The only kind that a source may be of."""
    if len(found) > 1:
        names = " or ".join(kind.name for kind in found)
        functions = " or ".join(dict.fromkeys(kind.function for kind in found))
        raise GrammarError(f"this could be {names}: call {functions}")
    return found[0]


def _compile_text(text: str, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    check_source_text(text, "the text", options.get("limits") or Limits())
    found = [kind for kind in KINDS if kind.is_text(text)]
    if not found:
        raise GrammarError(
            f"it is not clear what kind of grammar the text {shown(text)} is: {unknown_text(text)}; "
            f"or call one of {_FUNCTIONS}"
        )
    kind = _one(found)
    value = _json(text, options) if kind.function == "compile_json_schema" else None
    if value is not None and not kind.is_value(value):
        return compile(value, tokenizer, **options)
    return kind.compile(text, tokenizer, **options)


def _json(text: str, options: dict[str, Any]) -> Any:
    """The value of a JSON text, to see of what kind it is; None if it is no JSON. (What compiles it says why not.)"""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _compile_file(path: str | bytes, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    name = os.fsdecode(path).lower()
    # (of .json and .tag.json, the longer one counts)
    suffix = max((end for kind in KINDS for end in kind.suffixes if name.endswith(end)), key=len, default="")
    found = [kind for kind in KINDS if suffix in kind.suffixes]
    if not found:
        known = ", ".join(end for kind in KINDS for end in kind.suffixes)
        raise GrammarError(
            f"{os.fsdecode(path)}: the ending does not say what this is, as {known} would; call one of {_FUNCTIONS}"
        )
    kind = _one(found)
    with open(path, "rb") as file:
        data = file.read()
    if kind.reads_bytes:
        return kind.compile(data, tokenizer, **options)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GrammarError(f"{os.fsdecode(path)}: not UTF-8 at byte {error.start}") from None
    check_source_text(text, "the text", options.get("limits") or Limits())
    if kind.function == "compile_json_schema":
        value = _json(text, options)
        if value is not None and not kind.is_value(value):
            return compile(value, tokenizer, **options)
    if suffix == ".regex":
        # (a line end at the end of such a file comes from an editor)
        text = text.removesuffix("\n").removesuffix("\r")
    return kind.compile(text, tokenizer, **options)
