"""One function a front-end: a source and a tokenizer in, a Grammar out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["compile_choice", "compile_json_schema", "compile_lark", "compile_regex"]


def _start(limits: Limits | None) -> tuple[ExprStore, Limits]:
    limits = limits or Limits()
    return ExprStore(limits), limits


def compile_json_schema(
    schema: dict[str, Any] | bool | str,
    tokenizer: Tokenizer,
    *,
    limits: Limits | None = None,
    **options: Any,
) -> Grammar:
    """The JSON texts whose value is valid under a schema.

    Args:
        schema: a dict, a bool, or JSON text.
        tokenizer: the vocabulary.
        limits: bounds on the cost.
        options: `whitespace="flexible"|"compact"|N`, and the others of `ffgrammar.grammar.json_schema.build`.

    Raises:
        GrammarError: the schema is malformed, or nothing satisfies it (`pointer` says where).
        UnsupportedError: a keyword cannot be enforced exactly.
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import json_schema

    store, limits = _start(limits)
    return Grammar(json_schema.build(schema, store, limits, **options), tokenizer, limits)


def compile_lark(text: str, tokenizer: Tokenizer, *, limits: Limits | None = None, **options: Any) -> Grammar:
    """The texts of a grammar in Lark's notation.

    Raises:
        GrammarError: the grammar is malformed (`line` and `column` say where) or matches nothing.
        UnsupportedError: it uses what cannot be enforced exactly.
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import lark

    store, limits = _start(limits)
    return Grammar(lark.build(text, store, limits, **options), tokenizer, limits)


def compile_regex(pattern: str, tokenizer: Tokenizer, *, limits: Limits | None = None, **options: Any) -> Grammar:
    """The texts that a regex matches as a whole.

    Raises:
        GrammarError: the pattern is malformed (`column` says where) or matches nothing.
        UnsupportedError: look-around, back-references and the like.
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import regex

    store, limits = _start(limits)
    return Grammar(regex.build(pattern, store, limits, **options), tokenizer, limits)


def compile_choice(
    choices: str | Iterable[str | bytes], tokenizer: Tokenizer, *, limits: Limits | None = None
) -> Grammar:
    """Any one of some texts.

    Args:
        choices: the texts; or one string that lists them: a JSON array, or one a line.
        tokenizer: the vocabulary.
        limits: bounds on the cost.

    Raises:
        GrammarError: there is no choice, or one is not a text (`pointer` says which).
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import choice

    store, limits = _start(limits)
    return Grammar(choice.build(choices, store, limits), tokenizer, limits)
