"""Reads, compiles and loads the grammars and vocabularies that the command line names."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import click

from .files import read_input
from .messages import in_flags, told
from .options import EMBEDDED, EXTENSIONS, KINDS
from .show import complain

if TYPE_CHECKING:
    from ffgrammar import Grammar, Limits, Tokenizer

    from .options import VocabularyName

__all__ = [
    "FOR_JSON",
    "BadGrammar",
    "Source",
    "compile_source",
    "compile_with_warnings",
    "load_grammar",
    "load_tokenizer",
    "read_source",
    "settle_special",
]


# The bounds that --limit can begin with: methods of Limits.
PRESETS = ("public", "trusted")

# The kinds of grammars that have options of their own, and what messages call them.
FOR_LARK = (("lark",), "Lark grammars")
FOR_RULES = (("lark", "gbnf", "ebnf"), "grammars in Lark, GBNF and EBNF")
FOR_SCHEMAS = (("json-schema",), "JSON schemas")
FOR_TOOLS = (("tools",), "tools")
FOR_MODELS = (("tools", "request"), "tools and requests")
FOR_JSON = (("json-schema", "tools", "request"), "JSON schemas, tools and requests")
OPTIONS_FOR = {
    "import_paths": FOR_LARK,
    "lexing": FOR_LARK,
    "property_order": FOR_JSON,
    "reasoning": FOR_MODELS,
    "start_rule": FOR_RULES,
    "tool_choice": FOR_TOOLS,
    "tool_format": FOR_MODELS,
    "whitespace": FOR_JSON,
}
# The options whose flags have other names.
FLAGS = {"import_paths": "import-path", "start_rule": "start"}
# The options that say what white space a schema has.
LAYOUT = ("whitespace", "separators", "indent")


class BadGrammar(click.ClickException):
    """The grammar itself is wrong, which is exit code 3."""

    exit_code = 3


@dataclass(frozen=True)
class Source:
    """A grammar before it is compiled: its kind, its bytes, what to call it in messages, and the folder it is in."""

    kind: str
    data: bytes
    name: str
    folder: str | None = None


def read_source(path: str, kind: str | None) -> Source:
    """Read a grammar, or take the one of the library that @NAME names. The kind comes from --type, else from the
    extension; on stdin a JSON schema is recognised."""
    if path.startswith("@"):
        return _from_library(path, kind)
    name = "stdin" if path == "-" else path
    kind = kind or EXTENSIONS.get(max(filter(path.lower().endswith, EXTENSIONS), key=len, default=""))
    data = read_input(path)
    if not data and kind not in ("regex", "compiled"):
        raise click.UsageError(f"{name} is empty; a grammar is expected")
    if kind is None and path != "-":
        raise click.UsageError(
            f"{name}: the extension does not say what kind of grammar this is, as {', '.join(EXTENSIONS)} would; "
            f"use --type {'|'.join(KINDS)}"
        )
    if kind is None:
        if not data.lstrip().startswith((b"{", b"true", b"false")):
            hint = _other_kind(Source("json-schema", data, name))
            raise click.UsageError(f"{name}: this is not a JSON schema{hint}; say what it is: --type {'|'.join(KINDS)}")
        kind = "json-schema"
    return Source(kind, data, name, None if path == "-" else os.path.dirname(path) or ".")


def _from_library(path: str, kind: str | None) -> Source:
    from ffgrammar import GrammarError, library_grammar

    try:
        found = library_grammar(path[1:])
    except GrammarError as error:
        raise click.UsageError(f"{error} (`ffgrammar grammars` lists them; a file of this name is ./{path})") from error
    if kind not in (None, found.kind):
        raise click.UsageError(f"{path} is of type {found.kind}, not {kind}")
    return Source(found.kind, found.text.encode(), path)


def _text(source: Source) -> str:
    try:
        return source.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadGrammar(f"{source.name}: not UTF-8 at byte {error.start}") from error


def _limits(given: tuple[str, ...]) -> Limits:
    from ffgrammar import Limits

    preset: Callable[[], Limits] = Limits
    limits: dict[str, Any] = {}
    for item in given:
        if item in PRESETS:
            if preset is not Limits:
                raise click.UsageError(f"--limit {item}: only one of {' and '.join(PRESETS)} can be given")
            preset = getattr(Limits, item)
            continue
        name, _, value = item.partition("=")
        if name == "seconds" and value.replace(".", "", 1).isdecimal():
            limits[name] = float(value)
        elif value.isdecimal():
            limits[name] = int(value)
        else:
            number = "a number of seconds, such as 0.5," if name == "seconds" else "a whole number"
            raise click.UsageError(f"--limit {item}: NAME=VALUE with {number} is expected, or {' or '.join(PRESETS)}")
    try:
        return replace(preset(), **limits)
    except TypeError as error:
        known = ", ".join([*PRESETS, *Limits.__dataclass_fields__])
        wrong = ", ".join([name for name in limits if name not in Limits.__dataclass_fields__])
        raise click.UsageError(f"--limit {wrong}: no such limit; there are {known}") from error


def _options(source: Source, limits: tuple[str, ...], compiling: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in compiling.items() if value not in (None, ())}
    for name in sorted(options):
        kinds, grammars = OPTIONS_FOR.get(name, FOR_SCHEMAS)
        if source.kind not in kinds:
            flag = FLAGS.get(name) or name.replace("_", "-")
            raise click.UsageError(f"--{flag} is for {grammars}; {source.name} is of type {source.kind}")
    whitespace = options.get("whitespace", "")
    if whitespace.isdecimal():
        options["whitespace"] = int(whitespace)
    elif whitespace not in ("", "flexible", "compact"):
        raise click.UsageError(f"--whitespace {whitespace}: flexible, compact or a number is expected")
    if options.get("draft", 2020) not in (4, 6, 7, 2019, 2020):
        raise click.UsageError(f"--draft {options['draft']}: 4, 6, 7, 2019 or 2020 is expected")
    if "start_rule" in options:
        options["start"] = options.pop("start_rule")
    if "registry" in options:
        from .registry import read_registry

        options["registry"] = read_registry(options["registry"])
    if limits:
        options["limits"] = _limits(limits)
    return options


def compile_source(source: Source, tokenizer: Tokenizer, limits: tuple[str, ...] = (), **compiling: Any) -> Grammar:
    """Compile a grammar. Raises BadGrammar for an error in it."""
    import ffgrammar as ff

    options = _options(source, limits, compiling)
    try:
        if source.kind == "compiled":
            return ff.load(source.data, tokenizer, **options)
        own = _COMPILERS.get(source.kind)
        if own is not None:
            return own(source, tokenizer, options)
        named: Callable[..., Grammar] = getattr(ff, "compile_" + source.kind.replace("-", "_"))
        return named(_text(source), tokenizer, **options)
    except ff.FFGrammarError as error:
        raise BadGrammar(f"{source.name}: {told(error)}{_other_kind(source)}") from error


def _compile_lark(source: Source, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    import ffgrammar as ff

    return ff.compile_lark(_text(source), tokenizer, base=source.folder, **options)


def _compile_regex(source: Source, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    import ffgrammar as ff

    # A newline at the end of the file comes from an editor. A pattern that means a newline says \n.
    return ff.compile_regex(_text(source).removesuffix("\n").removesuffix("\r"), tokenizer, **options)


def _compile_structural_tag(source: Source, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    import ffgrammar as ff

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grammar = ff.compile_structural_tag(_text(source), tokenizer, **options)
    for warning in caught:
        complain(f"warning: {warning.message}")
    return grammar


def _other_kind(source: Source) -> str:
    """A hint at the kind of a source that was read as a schema and is something else."""
    if source.kind == "json-schema":
        if re.search(rb'"type"\s*:\s*"structural_tag"', source.data):
            return "; this is a structural tag: --type structural-tag reads it"
        if re.search(rb'"type"\s*:\s*"json_schema"', source.data):
            return "; this is a response format: compile the schema in it"
        if source.data.lstrip().startswith(b"[") and re.search(rb'"(function|parameters|input_schema)"', source.data):
            return "; this is a list of tools: --type tools reads it"
        if re.search(rb'"type"\s*:\s*"function"', source.data):
            return "; this is a tool: --type tools reads it in a list, [...]"
    return ""


def _compile_tools(source: Source, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    import ffgrammar as ff

    names = {"tool_format": "format", "tool_choice": "choice"}
    named = {names.get(name, name): value for name, value in options.items()}
    if "format" not in named:
        raise _format_missing(source)
    tools = _json(source, list, "the tools are", "a JSON array of tools")
    try:
        return ff.compile_tools(tools, tokenizer, **named)
    except TypeError as error:
        # (a tool that is no object)
        raise BadGrammar(f"{source.name}: {error}") from error


def _format_missing(source: Source) -> click.UsageError:
    import ffgrammar as ff

    formats = ", ".join(get_args(get_type_hints(ff.compile_tools)["format"]))
    return click.UsageError(
        f"{source.name}: how tools are called depends on the model: use --tool-format NAME; there are {formats}"
    )


def _compile_request(source: Source, tokenizer: Tokenizer, options: dict[str, Any]) -> Grammar:
    import ffgrammar as ff

    request = _json(source, dict, "the request is", "a JSON object")
    named = {"format" if name == "tool_format" else name: value for name, value in options.items()}
    if request.get("tools") and "format" not in named:
        raise _format_missing(source)
    return ff.compile_request(request, tokenizer, **named) or ff.compose(ff.text(), tokenizer)


def _json(source: Source, kind: type, what: str, expected: str) -> Any:
    """The value of a JSON text, which must be of a type."""
    try:
        found = json.loads(_text(source))
    except ValueError as error:
        raise BadGrammar(f"{source.name}: {what} not JSON: {error}") from error
    if not isinstance(found, kind):
        raise BadGrammar(f"{source.name}: {expected} is expected")
    return found


# What compiles the kinds for which it is not just the function `compile_KIND`.
_COMPILERS: dict[str, Callable[[Source, Tokenizer, dict[str, Any]], Grammar]] = {
    "lark": _compile_lark,
    "regex": _compile_regex,
    "request": _compile_request,
    "structural-tag": _compile_structural_tag,
    "tools": _compile_tools,
}


def load_grammar(
    path: str, tokenizer: Tokenizer, kind: str | None, *, compact: bool = False, **compiling: Any
) -> Grammar:
    """Read and compile a grammar. Its warnings go to stderr.

    Args:
        path, kind: as for read_source.
        tokenizer: the vocabulary.
        compact: whether a schema has no white space, if the options do not say what white space it has.
        compiling: the options of compilation.
    """
    source = read_source(path, kind)
    if compact and source.kind == "json-schema" and not any(compiling.get(one) for one in LAYOUT):
        compiling["whitespace"] = "compact"
    return compile_with_warnings(source, tokenizer, compiling)


def compile_with_warnings(source: Source, tokenizer: Tokenizer, compiling: dict[str, Any]) -> Grammar:
    """Compile a grammar. Its warnings go to stderr."""
    grammar = compile_source(source, tokenizer, **compiling)
    for warning in grammar.warnings:
        complain(f"warning: {in_flags(warning)}")
    return grammar


def load_tokenizer(named: VocabularyName) -> Tokenizer:
    """A vocabulary by its embedded name, or from a file or a folder."""
    from ffgrammar import Tokenizer, TokenizerError

    name = named.name
    is_path = "/" in name or name.endswith((".json", ".tiktoken", ".model", ".gguf")) or Path(name).exists()
    # (a misspelt name gets the error that lists the embedded ones)
    if name in EMBEDDED or not is_path:
        if named.pattern is not None:
            raise click.UsageError("--pattern is for rank files")
        return Tokenizer.from_tiktoken(name, eos_token_ids=named.eos)
    try:
        return Tokenizer.from_file(name, eos_token_ids=named.eos, pattern=named.pattern)
    except TokenizerError:
        if named.eos is not None or not name.endswith(".tiktoken"):
            raise
        # Ranks alone do not say what ends a text. Masks are shown without end-of-text tokens.
        return Tokenizer.from_file(name, eos_token_ids=(), pattern=named.pattern)


def settle_special(start: dict[str, Any], tokenizer: Tokenizer) -> None:
    """If --special is not given, sets it to "text", and warns if the prompt has the name of a special token.

    Args:
        start: the keyword arguments of `Grammar.matcher`.
        tokenizer: the vocabulary.
    """
    if "prompt" not in start or start["special"] is not None:
        return
    start["special"] = "text"
    name = tokenizer.special_names.first(start["prompt"])
    if name is not None:
        complain(
            f"warning: the prompt has {name!r}, which is spelled out as ordinary text; --special allow makes it the "
            "special token, --special text leaves it without this warning"
        )
