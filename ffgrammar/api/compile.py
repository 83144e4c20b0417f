"""One function a front-end: a source and a tokenizer in, a Grammar out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.grammars import compiled
from ffgrammar.core.collector import paused
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["compile_choice", "compile_json_schema", "compile_lark", "compile_regex"]


_USUAL = Limits()


def compile_json_schema(
    schema: dict[str, Any] | bool | str,
    tokenizer: Tokenizer,
    *,
    whitespace: str | int = "flexible",
    property_order: str = "schema",
    formats: str = "enforce",
    draft: int | None = None,
    registry: Any = None,
    separators: tuple[str, str] | None = None,
    indent: int | None = None,
    integer_spelling: str = "plain",
    limits: Limits | None = None,
) -> Grammar:
    """The JSON texts whose value is valid under a schema.

    Args:
        schema: a dict, a bool, or JSON text.
        tokenizer: the vocabulary.
        whitespace: "flexible": any JSON whitespace wherever JSON allows it; "compact": none; a number n: at most n
            characters at each place.
        property_order: "schema": named properties in the schema's order, then other keys; "any": keys in any order.
        formats: "enforce": texts must be of the formats that are known; "annotation": formats are only warned about.
        draft: 4, 6, 7, 2019 or 2020; None: what `$schema` says, else 2020.
        registry: the schemas that references to other documents lead to: a `referencing.Registry`, or a mapping from
            URIs to schemas (dicts, bools, or JSON texts). Nothing is fetched, unless the registry has a `retrieve`
            that does. The metaschemas of the drafts are known without it.
        separators: as in json.dumps: what stands between items, and between a key and its value, as (", ", ": "); no
            other whitespace stands anywhere then.
        indent: as in json.dumps: items on lines of their own; each line begins with a multiple of so many spaces.
        integer_spelling: "plain": an integer is spelled with digits only; "any": also as 1.0 or 1e2 (not in draft 4).
        limits: bounds on the cost.

    Raises:
        GrammarError: the schema is malformed, or nothing satisfies it (`pointer` says where).
        UnsupportedError: a keyword cannot be enforced exactly.
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import json_schema

    bounds = limits or _USUAL

    def make() -> Grammar:
        with paused():
            ir = json_schema.build(
                schema,
                ExprStore(bounds),
                bounds,
                whitespace=whitespace,
                property_order=property_order,
                formats=formats,
                draft=draft,
                registry=registry,
                separators=separators,
                indent=indent,
                integer_spelling=integer_spelling,
            )
            return Grammar(ir, tokenizer, bounds)

    options = (whitespace, property_order, formats, draft, separators, indent, integer_spelling)
    # what a registry gives may change
    source = None if registry is not None else ("json-schema", schema, options)
    return compiled(tokenizer, source, bounds, make)


def compile_lark(text: str, tokenizer: Tokenizer, *, start: str = "start", limits: Limits | None = None) -> Grammar:
    """The texts of a grammar in Lark's notation.

    Args:
        text: the grammar.
        tokenizer: the vocabulary.
        start: the rule or terminal that a whole text is.
        limits: bounds on the cost.

    Raises:
        GrammarError: the grammar is malformed (`line` and `column` say where) or matches nothing.
        UnsupportedError: it uses what cannot be enforced exactly.
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import lark

    bounds = limits or _USUAL

    def make() -> Grammar:
        with paused():
            return Grammar(lark.build(text, ExprStore(bounds), bounds, start=start), tokenizer, bounds)

    return compiled(tokenizer, ("lark", text, start), bounds, make)


def compile_regex(
    pattern: str,
    tokenizer: Tokenizer,
    *,
    dialect: str = "rust",
    ignore_case: bool = False,
    dot_all: bool = False,
    limits: Limits | None = None,
) -> Grammar:
    """The texts that a regex matches as a whole.

    Args:
        pattern: the regex.
        tokenizer: the vocabulary.
        dialect: "rust" (classes are Unicode's), or "ecma" as in JSON Schema.
        ignore_case: upper and lower case match each other, as under `(?i)`.
        dot_all: `.` matches line ends, too, as under `(?s)`.
        limits: bounds on the cost.

    Raises:
        GrammarError: the pattern is malformed (`column` says where) or matches nothing.
        UnsupportedError: look-around, back-references and the like.
        LimitError: a bound was reached.
    """
    from ffgrammar.grammar import regex

    bounds = limits or _USUAL

    def make() -> Grammar:
        with paused():
            store = ExprStore(bounds)
            ir = regex.build(pattern, store, bounds, dialect=dialect, ignore_case=ignore_case, dot_all=dot_all)
            return Grammar(ir, tokenizer, bounds)

    return compiled(tokenizer, ("regex", pattern, dialect, ignore_case, dot_all), bounds, make)


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

    bounds = limits or _USUAL

    def make() -> Grammar:
        with paused():
            return Grammar(choice.build(choices, ExprStore(bounds), bounds), tokenizer, bounds)

    # (what can be gone through only once has no key)
    return compiled(tokenizer, ("choice", choices), bounds, make)
