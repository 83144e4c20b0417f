"""A request's source to a grammar, within limits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ffgrammar.api.compile import (
    compile_choice,
    compile_ebnf,
    compile_gbnf,
    compile_json_schema,
    compile_lark,
    compile_regex,
    compile_structural_tag,
)
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import FFGrammarError
from ffgrammar.play.bounds import LIMITS
from ffgrammar.play.fields import Fields
from ffgrammar.play.places import error_place
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["KINDS", "Source", "compile_source", "error_answer", "read_source"]

# (kind, source, whether a schema has white space)
Source = tuple[str, str, bool]


def _schema(text: str, tok: Tokenizer, compact: bool) -> Grammar:
    return compile_json_schema(text, tok, whitespace="compact" if compact else "flexible", limits=LIMITS)


def _plain(compile: Callable[..., Grammar]) -> Callable[[str, Tokenizer, bool], Grammar]:
    return lambda text, tok, compact: compile(text, tok, limits=LIMITS)


KINDS: dict[str, Callable[[str, Tokenizer, bool], Grammar]] = {
    "json-schema": _schema,
    "lark": _plain(compile_lark),
    "gbnf": _plain(compile_gbnf),
    "ebnf": _plain(compile_ebnf),
    "regex": lambda text, tok, compact: compile_regex(text.removesuffix("\n"), tok, limits=LIMITS),
    "choice": _plain(compile_choice),
    "structural-tag": _plain(compile_structural_tag),
}


def read_source(fields: Fields) -> Source:
    """The source of a request. Raises BadRequest."""
    return fields.choice("kind", tuple(KINDS)), fields.text("source"), fields.flag("compact")


def compile_source(source: Source, tokenizer: Tokenizer) -> Grammar:
    """The grammar of a source. Nothing is read from files or fetched.

    Raises:
        FFGrammarError: as the compile functions.
    """
    kind, text, compact = source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # (they are in `Grammar.warnings`, too)
        return KINDS[kind](text, tokenizer, compact)


def error_answer(error: FFGrammarError, source: str = "") -> dict[str, Any]:
    """What the page is told of an error: its kind and message, and where in the source it is, in code points."""
    begin, end = error_place(error, source)
    return {"error": {"kind": type(error).__name__, "message": str(error)[:2000], "from": begin, "to": end}}
