"""The compile functions, one for each front-end: a source and a tokenizer in, a `Grammar` out.

A front-end is imported when its function is first called, and `import_whole` keeps Ctrl-C from cutting this short.
Compiling a source a second time returns the same grammar (grammar_cache.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.grammar_cache import grammar_cache, may_build
from ffgrammar.api.late_warnings import lark_conflicts, lark_warnings, rule_warnings
from ffgrammar.api.special_names import warn_of_names
from ffgrammar.core.arguments import expect
from ffgrammar.core.collector import paused
from ffgrammar.core.errors import GrammarError
from ffgrammar.core.gate import gate
from ffgrammar.core.limits import Limits
from ffgrammar.core.path_hint import with_path_hint
from ffgrammar.core.whole_imports import import_whole
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    from ffgrammar.api.parts import Composable, Part

__all__ = [
    "compile_choice",
    "compile_ebnf",
    "compile_gbnf",
    "compile_json_schema",
    "compile_lark",
    "compile_regex",
    "compile_structural_tag",
    "compose",
    "composed",
]

_DEFAULT_LIMITS = Limits()


def _compiled(
    tokenizer: Tokenizer,
    source: object,
    limits: Limits | None,
    build: Callable[[ExprStore, Limits], GrammarIR],
    report: Callable[[Limits], list[str]] | None = None,
) -> Grammar:
    """The grammar of a source: the one in the tokenizer's cache, or a new one.

    Args:
        tokenizer: the vocabulary.
        source: the source and all options. Together with the limits, they decide what the grammar is. If `source` is
            None, the grammar is not kept.
        limits: bounds on the grammar's cost.
        build: the front-end.
        report: finds further warnings.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    expect("limits", limits, (Limits, type(None)), "Limits")
    bounds = limits or _DEFAULT_LIMITS
    cache = grammar_cache(tokenizer)
    key = None if source is None else cache.key(source, bounds)
    found = None if key is None else cache.get(key)
    if found is not None:
        return found
    may_build()
    with gate(), paused():
        late = None if report is None else partial(report, bounds)
        grammar = build(ExprStore(bounds), bounds)
        if tokenizer.characters is not None:
            import_whole("ffgrammar.api.writable")
            from ffgrammar.api.writable import only_writable

            grammar = only_writable(grammar, tokenizer.characters, tokenizer.name)
        made = Grammar(grammar, tokenizer, bounds, late)
    return made if key is None else cache.add(key, made)


def compile_json_schema(
    schema: Any,
    tokenizer: Tokenizer,
    *,
    whitespace: Literal["flexible", "compact"] | int = "flexible",
    property_order: Literal["schema", "any"] = "schema",
    formats: Literal["enforce", "annotation"] = "enforce",
    draft: Literal[4, 6, 7, 2019, 2020] | None = None,
    registry: Any = None,
    separators: tuple[str, str] | None = None,
    indent: int | None = None,
    integer_spelling: Literal["plain", "any"] = "plain",
    limits: Limits | None = None,
) -> Grammar:
    """The JSON texts whose value is valid under a schema.

    Args:
        schema: a dict, a bool, or JSON text; or a Python type, such as a pydantic model, whose schema is that of
            `schema_of`.
        tokenizer: the vocabulary.
        whitespace: "flexible" allows any JSON whitespace wherever JSON does; "compact" allows none; a number n allows
            at most n characters wherever JSON allows whitespace.
        property_order: "schema" takes named properties in the schema's order, then other keys; "any" takes keys in any
            order.
        formats: "enforce" holds strings to the formats that are known; "annotation" only warns about formats.
        draft: 4, 6, 7, 2019 or 2020; None takes what `$schema` says, else 2020.
        registry: the schemas that references to other documents lead to: a `referencing.Registry`, or a mapping from
            URIs to schemas (dicts, bools, or JSON texts). Nothing is fetched, unless the registry has a `retrieve`
            that does. The metaschemas of the drafts are known without it.
        separators: as in json.dumps, what stands between items, and between a key and its value, as (", ", ": "). No
            other whitespace may stand anywhere then.
        indent: as in json.dumps, the spaces by which each level is indented; items stand on lines of their own.
        integer_spelling: "plain" spells an integer with digits only; "any" also as 1.0 or 1e2 (not in draft 4).
        limits: bounds on the cost.

    Raises:
        GrammarError: the schema is malformed or nothing satisfies it (`pointer` says where), or an option has a wrong
            value.
        UnsupportedError: a keyword cannot be enforced exactly.
        LimitError: a bound was reached.
        ImportError: the schema is a type that needs pydantic, which is not installed.
        TypeError: the tokenizer or the limits are of another type.
    """
    import_whole("ffgrammar.grammar.json_schema")
    from ffgrammar.grammar import json_schema

    if not isinstance(schema, (dict, bool, str)):
        import_whole("ffgrammar.api.types.schema_of")
        from ffgrammar.api.types.schema_of import is_python_type, schema_of

        schema = schema_of(schema) if is_python_type(schema) else schema

    build = partial(
        json_schema.build,
        schema,
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
    # With a registry the grammar is not kept, because what the registry returns may change from one call to the next.
    source = None if registry is not None else ("json-schema", schema, options)
    return _compiled(tokenizer, source, limits, build)


def compile_lark(
    text: str,
    tokenizer: Tokenizer,
    *,
    start: str = "start",
    lexing: Literal["longest", "any"] = "longest",
    import_paths: Iterable[str | os.PathLike[str]] = (),
    base: str | os.PathLike[str] | None = None,
    grammars: Mapping[str, str | dict[str, Any] | bool] | None = None,
    limits: Limits | None = None,
) -> Grammar:
    """The texts of a grammar in Lark's notation.

    Args:
        text: the grammar.
        tokenizer: the vocabulary.
        start: the rule or terminal that matches a whole text.
        lexing: where a terminal ends. "longest" ends it where no terminal that may stand here can go on, as a lexer
            does. "any" lets it end wherever it matches, so every text counts that can be cut into terminals.
        import_paths: the folders that have the files of `%import a.NAME`. They come before the library, which has
            common, lark, python and unicode. Files are read anew by every call.
        base: the folder that has the files of `%import .a.NAME`; None refuses such imports.
        grammars: what `@name` in a rule stands for: grammars in Lark's notation, and JSON Schemas as dicts or bools.
        limits: bounds on the cost.

    Raises:
        GrammarError: the grammar is malformed (`line` and `column` say where), has no `start`, names a special token
            that the tokenizer does not have, imports what there is not, or matches nothing; or there is no such lexing
            rule.
        UnsupportedError: it uses what cannot be enforced exactly.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    import_whole("ffgrammar.grammar.lark")
    from ffgrammar.grammar import lark

    _check_lark(text, start, lexing, import_paths, grammars)
    options: dict[str, Any] = {
        "start": start,
        "special_tokens": tokenizer.special_tokens if isinstance(tokenizer, Tokenizer) else None,
        "files": lark.Files(import_paths, base),
        "grammars": grammars,
    }

    # A grammar that reads files is not kept, because the files may change from one call to the next.
    kept = not options["files"].import_paths and base is None
    source = ("lark", text, start, lexing, dict(grammars or {})) if kept else None
    conflicts = partial(lark_conflicts, text, options)
    report = partial(lark_warnings, text, tokenizer, options, None if lexing == "any" else conflicts)
    try:
        return _compiled(tokenizer, source, limits, partial(lark.build, text, lexing=lexing, **options), report)
    except GrammarError as error:
        from ffgrammar.api.writable import UnwritableError

        # (front-ends name the line, and only the engine knows that all texts are lost)
        may_be_lost = error.line is None and lexing == "longest" and not isinstance(error, UnwritableError)
        found = conflicts(limits or _DEFAULT_LIMITS) if may_be_lost else []
        if not found:
            raise with_path_hint(error, text) from None
        told = found[0]
        message = f"the grammar matches nothing: {told.message}"
        raise GrammarError(message, line=told.line, column=told.column, file=told.file, excerpt=told.excerpt) from None


def _check_lark(text: object, start: object, lexing: object, import_paths: object, grammars: Any) -> None:
    """Check the types of the arguments of `compile_lark`."""
    expect("compile_lark: text", text, str, "a str")
    expect("compile_lark: start", start, str, "a str")
    expect("compile_lark: lexing", lexing, str, "a str")
    expect("compile_lark: grammars", grammars, (Mapping, type(None)), "a dict of grammars by their names")
    for name, one in (grammars or {}).items():
        expect(f"compile_lark: the grammar {name!r}", one, (str, dict, bool), "a str, or a schema as a dict or bool")
    if lexing not in ("longest", "any"):
        raise GrammarError(f"compile_lark: lexing must be 'longest' or 'any', not {lexing!r}")
    if isinstance(import_paths, (str, bytes)):
        raise TypeError("compile_lark: import_paths must be a list of folders, not a single str")


def compile_gbnf(text: str, tokenizer: Tokenizer, *, start: str = "root", limits: Limits | None = None) -> Grammar:
    """The texts of a grammar in GBNF, the notation of llama.cpp.

    Args:
        text: the grammar.
        tokenizer: the vocabulary.
        start: the rule that matches a whole text.
        limits: bounds on the cost.

    Raises:
        GrammarError: the grammar is malformed (`line` and `column` say where), has no `start`, names a special token
            that the tokenizer does not have, or matches nothing.
        UnsupportedError: it uses what cannot be enforced exactly.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    return _compiled_rules("gbnf", text, tokenizer, start, limits)


def compile_ebnf(text: str, tokenizer: Tokenizer, *, start: str = "root", limits: Limits | None = None) -> Grammar:
    """The texts of a grammar in the EBNF of xgrammar.

    Args:
        text: the grammar.
        tokenizer: the vocabulary.
        start: the rule that matches a whole text.
        limits: bounds on the cost.

    Raises:
        GrammarError: the grammar is malformed (`line` and `column` say where), has no `start`, or matches nothing.
        UnsupportedError: it uses what cannot be enforced exactly, or has look-ahead or options of rules.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    return _compiled_rules("ebnf", text, tokenizer, start, limits)


def _compiled_rules(dialect: str, text: str, tokenizer: Tokenizer, start: str, limits: Limits | None) -> Grammar:
    import_whole("ffgrammar.grammar.gbnf")
    from ffgrammar.grammar import gbnf

    expect(f"compile_{dialect}: text", text, str, "a str")
    expect(f"compile_{dialect}: start", start, str, "a str")

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        return gbnf.build(
            text,
            store,
            bounds,
            dialect=dialect,
            start=start,
            special_tokens=tokenizer.special_tokens,
            end_tokens=tokenizer.eos_token_ids,
        )

    try:
        return _compiled(
            tokenizer, (dialect, text, start), limits, build, partial(rule_warnings, text, tokenizer, dialect)
        )
    except GrammarError as error:
        raise with_path_hint(error, text) from None


def compile_regex(
    pattern: str,
    tokenizer: Tokenizer,
    *,
    dialect: Literal["rust", "ecma"] = "rust",
    ignore_case: bool = False,
    dot_all: bool = False,
    limits: Limits | None = None,
) -> Grammar:
    """The texts that a regex matches as a whole.

    Args:
        pattern: the regex.
        tokenizer: the vocabulary.
        dialect: "rust", where classes are Unicode's, or "ecma", as in JSON Schema.
        ignore_case: whether upper and lower case match each other, as under `(?i)`.
        dot_all: whether `.` matches line ends, too, as under `(?s)`.
        limits: bounds on the cost.

    Raises:
        GrammarError: the pattern is malformed (`column` says where) or matches nothing.
        UnsupportedError: it has look-around, back-references or the like.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
        ValueError: there is no such dialect.
    """
    import_whole("ffgrammar.grammar.regex")
    from ffgrammar.grammar import regex

    expect("compile_regex: pattern", pattern, str, "a str")
    build = partial(regex.build, pattern, dialect=dialect, ignore_case=ignore_case, dot_all=dot_all)
    return _compiled(tokenizer, ("regex", pattern, dialect, ignore_case, dot_all), limits, build)


def compile_choice(
    choices: str | Iterable[str | bytes], tokenizer: Tokenizer, *, limits: Limits | None = None
) -> Grammar:
    """Any one of the given texts.

    Args:
        choices: the texts; or one str that lists them. If it begins with "[" it is a JSON array, else each of its lines
            that is not empty is a choice.
        tokenizer: the vocabulary.
        limits: bounds on the cost.

    Raises:
        GrammarError: there is no choice, a choice is not a text (`pointer` says which), or the JSON array is malformed
            (`line` and `column` say where).
        LimitError: a bound was reached.
        TypeError: `choices` is neither a str nor an iterable, or is a mapping; or the tokenizer or the limits are of
            another type.
    """
    import_whole("ffgrammar.grammar.choice")
    from ffgrammar.grammar import choice

    if isinstance(choices, Mapping) or not isinstance(choices, Iterable):
        raise TypeError(f"compile_choice: choices must be a str or a list of texts, not {type(choices).__name__}")
    # A generator can be iterated only once. It has no key in the cache, so its grammar is not kept.
    return _compiled(tokenizer, ("choice", choices), limits, partial(choice.build, choices))


def compile_structural_tag(
    tag: Mapping[str, Any] | str, tokenizer: Tokenizer, *, limits: Limits | None = None
) -> Grammar:
    """The texts that a structural tag describes: free text, tags, schemas and special tokens, one after another.

    Args:
        tag: `{"type": "structural_tag", "format": {...}}`, or the older form with `structures` and `triggers`; or the
            JSON text of one.
        tokenizer: the vocabulary.
        limits: bounds on the cost.

    A string of the tag that has the name of a special token is ordinary text nevertheless, and gives a `UserWarning`.

    Raises:
        GrammarError: the tag, or a schema or regex in it, is malformed (`pointer` says where), or nothing matches it.
        UnsupportedError: something in it cannot be enforced exactly (`pointer` says where); or a schema with
            `uniqueItems`, or another check on the text, may read the same text as what stands beside it.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    import_whole("ffgrammar.grammar.structural_tag")
    from ffgrammar.grammar import structural_tag
    from ffgrammar.grammar.composition.parts import texts

    expect("compile_structural_tag: tag", tag, (Mapping, str), "a dict or JSON text")
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    special, vocabulary = tokenizer.special_tokens, tokenizer.fingerprint
    found: list[Part] = []

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        tokens = structural_tag.Tokens(special, tokenizer.eos_token_ids, tokenizer.trie)
        found.append(structural_tag.part(tag, bounds, tokens, vocabulary))
        return structural_tag.build(found[0], store, bounds, special_tokens=special, vocabulary=vocabulary)

    made = _compiled(tokenizer, ("structural-tag", tag), limits, build)
    if made._part is None:
        made._part = found[0]
    for text in texts(made._part):
        warn_of_names(tokenizer, text, "a string of the structural tag", 2, '{{"type": "token", "token": {!r}}}')
    return made


def compose(part: Composable, tokenizer: Tokenizer, *, limits: Limits | None = None) -> Grammar:
    """The grammar of a part: of grammars, texts and special tokens, one after another or as alternatives.

    A text belongs to a sequence if it can be cut into pieces, one for each part. A token may span several pieces. Equal
    parts are one, and a compiled grammar is not compiled again. A text that has the name of a special token is ordinary
    text nevertheless, and gives a `UserWarning`.

    Args:
        part: what `sequence`, `choice_of`, `optional`, `repeat`, `text`, `special_token` and `capture` return, a
            grammar, or a str or bytes, which stand for exactly this text.
        tokenizer: the vocabulary. All grammars in the part must have been compiled for it.
        limits: bounds on the cost.

    Raises:
        GrammarError: a grammar was compiled for another vocabulary, the tokenizer has no such special token, or nothing
            matches the part.
        UnsupportedError: a schema with `uniqueItems`, or another check on the text, may read the same text as another
            part; or a composition that was loaded from a file, or a Lark grammar with schemas, may read the same text
            as what follows it.
        LimitError: a bound was reached.
        TypeError: an argument is of another type.
    """
    import_whole("ffgrammar.api.parts")
    from ffgrammar.api.parts import as_part
    from ffgrammar.grammar.composition.parts import texts

    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
    root = as_part(part)
    for text in texts(root):
        warn_of_names(tokenizer, text, "a text of the composition", 2)
    return composed(root, tokenizer, limits)


def composed(root: Part, tokenizer: Tokenizer, limits: Limits | None = None) -> Grammar:
    """`compose`, without warnings."""
    import_whole("ffgrammar.grammar.composition")
    from ffgrammar.grammar import composition

    def build(store: ExprStore, bounds: Limits) -> GrammarIR:
        return composition.build(
            root, store, bounds, special_tokens=tokenizer.special_tokens, vocabulary=tokenizer.fingerprint
        )

    made = _compiled(tokenizer, None, limits, build)
    made._part = root
    return made
