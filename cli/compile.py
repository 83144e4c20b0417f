"""`ffgrammar compile`: compile, report, save."""

from __future__ import annotations

from typing import Any

import click

from .options import VocabularyName, example, grammar_argument, grammar_options, json_option, tokenizer_option

__all__ = ["command"]

# Of the statistics those that say how large the grammar is; the others count what its use has cached.
SIZES = ("productions", "lexemes", "expressions", "bytes")


@click.command(
    "compile",
    epilog=example("""echo '{"type": "array", "items": {"type": "integer"}}' | ffgrammar compile - -o list.ffg"""),
)
@grammar_argument
@click.option("-o", "--output", metavar="FILE.ffg", help="Write the compiled grammar here.")
@json_option
@grammar_options
@tokenizer_option
def command(grammar: str, output: str | None, as_json: bool, tokenizer: VocabularyName, **compiling: Any) -> int:
    """Compile a grammar; report on it; write a compiled file.

    The report is the size, the warnings and the time it took. A compiled file is bound to the vocabulary that it was
    compiled for. Exit code 3: the grammar is bad.
    """
    from time import perf_counter

    from .show import complain, write_json, write_lines
    from .sources import compile_source, load_tokenizer, read_source

    source = read_source(grammar, compiling.pop("kind"))
    start = perf_counter()
    vocabulary = load_tokenizer(tokenizer)
    loaded = perf_counter()
    compiled = compile_source(source, vocabulary, **compiling)
    done = perf_counter()
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
    if as_json:
        write_json({**report, "warnings": list(compiled.warnings)})
        return 0
    write_lines(f"{name}\t{value}" for name, value in report.items())
    for warning in compiled.warnings:
        complain(f"warning: {warning}")
    return 0
