"""`ffgrammar compile`: compiles a grammar, reports its size and time, and saves it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from .options import PATH, VocabularyName, example, grammar_argument, grammar_options, json_option, tokenizer_option

if TYPE_CHECKING:
    from ffgrammar import Grammar

__all__ = ["command"]

# What `Grammar.emit` takes.
Kind = Literal["ir", "lark", "gbnf", "dot", "svg"]

# The statistics that say how large the grammar is. The others are about its caches.
SIZES = ("productions", "lexemes", "expressions", "bytes")


def _emit(grammar: Grammar, name: str, notation: Kind, output: str | None, as_json: bool) -> int:
    """Write a grammar in another notation."""
    from ffgrammar import UnsupportedError

    from .messages import in_flags
    from .show import write_json, write_lines
    from .sources import BadGrammar

    try:
        text = grammar.emit(notation)
    except UnsupportedError as error:
        raise BadGrammar(f"{name}: {in_flags(str(error))}") from error
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    elif as_json:
        write_json({"notation": notation, "text": text})
    else:
        write_lines([text.removesuffix("\n")])
    return 0


@click.command(
    "compile",
    epilog=example("""echo '{"type": "array", "items": {"type": "integer"}}' | ffgrammar compile - -o list.ffg"""),
)
@grammar_argument
@click.option(
    "-o", "--output", type=PATH, metavar="FILE", help="Write the compiled grammar, or what --emit says, here."
)
@click.option(
    "--emit",
    "notation",
    type=click.Choice(get_args(Kind)),
    help="Write the grammar in another notation, in place of the report. lark and gbnf: a text that means the same, or "
    "is refused; ir: a listing of the compiled rules and lexemes; dot: a graph of the rules, for Graphviz; svg: "
    "railroad diagrams.",
)
@json_option
@grammar_options
@tokenizer_option
def command(
    grammar: str,
    output: str | None,
    notation: Kind | None,
    as_json: bool,
    tokenizer: VocabularyName,
    **compiling: Any,
) -> int:
    """Compile a grammar; report on it; write a compiled file, or the grammar in another notation.

    The report has sizes, warnings and times. A compiled file works only with the vocabulary that it was compiled for.
    Exit code 3: the grammar is bad, or the notation of --emit cannot say it.
    """
    from time import perf_counter

    from .messages import in_flags
    from .show import complain, write_json, write_lines
    from .sources import compile_source, load_tokenizer, read_source

    if output is not None and Path(output).exists() and Path(grammar).exists() and Path(output).samefile(grammar):
        raise click.UsageError(f"-o {output} would overwrite the grammar")
    source = read_source(grammar, compiling.pop("kind"))
    start = perf_counter()
    vocabulary = load_tokenizer(tokenizer)
    loaded = perf_counter()
    compiled = compile_source(source, vocabulary, **compiling)
    done = perf_counter()
    if notation is not None:
        return _emit(compiled, source.name, notation, output, as_json)
    if output is not None:
        compiled.save(output)
    stats = compiled.stats()
    report: dict[str, Any] = {
        "grammar": source.name,
        "kind": source.kind,
        **{name: stats[name] for name in SIZES},
        "tokenizer_ms": round(1000 * (loaded - start), 1),
        "compile_ms": round(1000 * (done - loaded), 1),
    }
    if output is not None:
        report["output"] = output
    warnings = [in_flags(warning) for warning in compiled.warnings]
    if as_json:
        write_json({**report, "warnings": warnings})
        return 0
    write_lines(f"{name}\t{value}" for name, value in report.items())
    for warning in warnings:
        complain(f"warning: {warning}")
    return 0
