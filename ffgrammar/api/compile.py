"""One function a front-end: a source and a tokenizer in, a Grammar out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.grammars import GrammarCache
from ffgrammar.core.arguments import expect
from ffgrammar.core.collector import paused
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["compile_choice", "compile_json_schema", "compile_lark", "compile_regex"]

_USUAL = Limits()


def _compiled(
    tokenizer: Tokenizer, source: object, limits: Limits | None, build: Callable[[ExprStore, Limits], GrammarIR]
) -> Grammar:
    """The grammar of a source with all options: one that is kept, or a new one.

    Args:
        tokenizer: the vocabulary.
        source: what decides about the grammar beside the limits; None: nothing is kept.
        limits: bounds on its cost.
        build: the front-end.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    expect("limits", limits, (Limits, type(None)), "Limits")
    bounds = limits or _USUAL
    cache: GrammarCache | None = tokenizer.grammars
    if cache is None:
        # (two threads may both get here: the cache of one is lost)
        cache = tokenizer.grammars = GrammarCache(tokenizer.grammar_bytes)
    key = None if source is None else cache.key(source, bounds)
    found = None if key is None else cache.get(key)
    if found is not None:
        return found
    with paused():
        made = Grammar(build(ExprStore(bounds), bounds), tokenizer, bounds)
    return made if key is None else cache.add(key, made)


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

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        return json_schema.build(
            schema,
            store,
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

    options = (whitespace, property_order, formats, draft, separators, indent, integer_spelling)
    # what a registry gives may change
    source = None if registry is not None else ("json-schema", schema, options)
    return _compiled(tokenizer, source, limits, build)


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

    expect("text", text, str, "a str")

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        return lark.build(text, store, bounds, start=start)

    return _compiled(tokenizer, ("lark", text, start), limits, build)


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

    expect("pattern", pattern, str, "a str")

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        return regex.build(pattern, store, bounds, dialect=dialect, ignore_case=ignore_case, dot_all=dot_all)

    return _compiled(tokenizer, ("regex", pattern, dialect, ignore_case, dot_all), limits, build)


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

    expect("choices", choices, Iterable, "a str or an iterable of texts")

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        return choice.build(choices, store, bounds)

    # (what can be gone through only once has no key)
    return _compiled(tokenizer, ("choice", choices), limits, build)
