"""`ffgrammar bench`: the home of all benches. They use public names only; docs/performance.md has their figures.

The main one is MaskBench, engine against engine in one process. In reading order:

- data: schemas with documents, from a file of MaskBench or a directory.
- order: documents with their keys in schema order.
- engines: one adapter for each engine.
- walk: what is measured, one schema on one engine.
- run: all schemas; the engines take turns.
- memory: what an engine takes, in a process of its own.
- report: figures, ratios and the table.
- plot: the distribution of times between masks.

Grammars of programming languages have a bench of the same kind:

- languages: grammars in Lark or GBNF with texts, engine against engine.
- language_report: figures, ratios and the table.

The others measure ffgrammar alone. Each has `measure`, which returns what --json writes, and `table`, its lines for a
terminal:

- micro: single calls.
- curves: what the cost of a grammar grows with.
- large: large generated schemas.
- batch: a batch of masks on several threads.

(Long checks, which compare with oracles and print figures on the way, are in the repository, under tests/long_checks.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any

import click

from ..html_report import html_option, write_page
from ..options import VocabularyName, example, json_option, tokenizer_option

if TYPE_CHECKING:
    from .data import Schema
    from .languages import Language

__all__ = ["command"]

NAMES = ("ffgrammar", "llguidance", "xgrammar")


def _names(given: str) -> list[str]:
    """The engines asked for that are installed.

    Raises:
        click.UsageError: one is unknown, or none is installed.
    """
    from ..show import complain
    from .engines import available

    asked = list(dict.fromkeys(given.split(",")))
    for name in asked:
        if name not in NAMES:
            raise click.UsageError(f"--engines {name}: there are {', '.join(NAMES)}")
    found = [name for name in asked if available(name)]
    for name in asked:
        if name not in found:
            complain(f"{name} is not installed: left out")
    if not found:
        raise click.UsageError("--engines: none of these is installed")
    return found


def _maskbench(
    data: str,
    schemas: list[Schema],
    names: list[str],
    named: VocabularyName,
    timeout: float,
    forced: bool,
    memory: bool,
) -> tuple[dict[str, Any], str]:
    """The report of a run over schemas, and its picture."""
    from ..show import counted
    from .engines import ENGINES
    from .memory import measure
    from .plot import distribution
    from .report import full_report
    from .run import ready, run

    engines = [ENGINES[name](named) for name in names]
    seconds = ready(engines)
    results = run(engines, schemas, timeout, forced=forced)
    sizes = measure(names, named, schemas, timeout, forced=forced) if memory else {}
    versions = {engine.name: engine.version for engine in engines}
    report = {
        "data": "stdin" if data == "-" else data,
        "tokenizer": named.name,
        "schemas": len(schemas),
        **full_report(results, versions, seconds, sizes),
    }
    return report, distribution(results, f"{counted(len(schemas), 'schema')}, {named.name}")


def _write_html(file: Any, picture: str, lines: list[str]) -> None:
    """The report as a page: the picture, if there is one, and the lines."""
    from ffgrammar import draw

    shown = [draw.picture(picture, "Share of masks by the time between masks")] if picture else []
    write_page(file, "ffgrammar bench", *shown, draw.Html(f"<pre>{draw.html(chr(10).join(lines))}</pre>"))


# The notations of rules: kind, name, and key of the report.
NOTATIONS = (("lark", "Lark", "languages"), ("gbnf", "GBNF", "gbnf"))


def _languages(
    languages: list[Language], title: str, names: list[str], named: VocabularyName, timeout: float
) -> dict[str, Any]:
    from ..show import complain
    from .engines import LANGUAGE_ENGINES
    from .language_report import language_report
    from .languages import run

    readers = LANGUAGE_ENGINES[languages[0].kind]
    for name in names:
        if name not in readers:
            complain(f"{name} reads no {title} grammars: left out for these")
    engines = [readers[name](named) for name in names if name in readers]
    if not engines:
        raise click.UsageError(f"--engines: none of these reads {title} grammars")
    versions = {engine.name: engine.version for engine in engines}
    return language_report(languages, *run(engines, languages, timeout), versions)


def _data(data: str, selection: dict[str, Any]) -> tuple[list[Schema], list[Language]]:
    """The schemas and the grammars of DATA.

    Raises:
        click.ClickException: there are none of either, or something is malformed.
    """
    from .data import NothingSelected, load_schemas
    from .languages import load_languages

    languages = load_languages(data, **selection)
    try:
        return load_schemas(data, **selection), languages
    except NothingSelected:
        if not languages:
            raise
        return [], languages


def _check_usage(data: str | None, may_be_left_out: bool, batch: int | None, plot: IO[bytes] | None) -> None:
    """Check the options before anything is run.

    Raises:
        click.UsageError: the options do not go together.
    """
    if data is None and (batch is not None or not may_be_left_out):
        raise click.UsageError("DATA is missing: a file of MaskBench, or a directory of schemas")
    if plot is not None:
        if data is None or batch is not None:
            raise click.UsageError("--plot draws a run of engines over DATA")


# A key of the report, a function that measures its value, and a function from the value to lines for a terminal.
_Bench = tuple[str, Callable[[], Any], Callable[[Any], list[str]]]


def _alone(
    data: str | None, selection: dict[str, Any], named: VocabularyName, micro: bool, large: bool, threads: int | None
) -> Iterator[_Bench]:
    """The benches of ffgrammar alone that were asked for."""
    if micro:
        from . import curves
        from . import micro as single

        yield "micro", lambda: single.measure(named), single.table
        yield "curves", lambda: curves.measure(named), curves.table
    if large:
        from . import large as large_schemas

        yield "large", lambda: large_schemas.measure(named), large_schemas.table
    if threads is not None and data is not None:
        from . import batch
        from .data import load_schemas

        schemas = load_schemas(data, **selection)
        yield "batch", lambda: batch.measure(named, schemas, threads), batch.table


@click.command(
    "bench",
    epilog=example(
        """echo '{"id": "a number", "schema": {"type": "number"}, "tests": [{"data": 1.5, "valid": true}]}' | """
        "ffgrammar bench - --engines ffgrammar --no-memory"
    ),
)
@click.argument("data", metavar="[DATA]", required=False)
@click.option(
    "--engines",
    default=",".join(NAMES),
    show_default=True,
    metavar="NAMES",
    help="The engines to run, as far as they are installed. Ratios are of the first to each of the others.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N schemas and the first N grammars."
)
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only N schemas and N grammars at random.")
@click.option("--seed", default=0, show_default=True, help="Equal seeds give equal samples.")
@click.option("--only", default="", metavar="TEXT", help="Only schemas and grammars with this in their id.")
@click.option(
    "--timeout",
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long one schema with its documents may take, and one grammar with its texts.",
)
@click.option("--no-forced", is_flag=True, help="Leave out forced tokens.")
@click.option("--no-memory", is_flag=True, help="Leave out memory, for which each engine runs once more.")
@click.option("--micro", is_flag=True, help="Measure single calls of ffgrammar too, and what their cost grows with.")
@click.option("--large", is_flag=True, help="Measure large generated schemas too.")
@click.option(
    "--batch",
    type=click.IntRange(min=2),
    metavar="THREADS",
    help="Instead of engines: a batch of 64 documents of DATA on one thread and on this many.",
)
@json_option
@click.option(
    "-o",
    "--output",
    type=click.File("w", "utf-8", lazy=False),
    metavar="FILE.json",
    help="Also write the report as JSON to this file.",
)
@click.option(
    "--plot",
    type=click.File("wb", lazy=True),  # lazy: a file that exists is kept if nothing can be drawn
    metavar="FILE.svg",
    help="Draw how the times between masks are distributed.",
)
@html_option
@tokenizer_option
def command(
    data: str | None,
    engines: str,
    limit: int | None,
    sample: int | None,
    seed: int,
    only: str,
    timeout: float,
    no_forced: bool,
    no_memory: bool,
    micro: bool,
    large: bool,
    batch: int | None,
    as_json: bool,
    output: IO[str] | None,
    plot: IO[bytes] | None,
    html: Any,
    tokenizer: VocabularyName,
) -> int:
    """Measure masks along real documents, side by side with other engines.

    DATA is a file of MaskBench (.jsonl or .jsonl.gz; each line has a schema and its documents; - is stdin), or a
    directory. There, a JSON schema is NAME.json with NAME.samples.ndjson beside it, and a grammar of rules NAME.lark or
    NAME.gbnf with texts/NAME.ndjson. With --micro or --large, DATA may be left out.

    The engines take turns of 20 schemas, or of one grammar. TBM is the time between masks: one mask and one
    accepted token. TTFM is the time to the first mask: compiling, and the mask at the start. Both are in microseconds,
    as seen from Python. Of grammars of rules, the masks of the engines are compared too.

    docs/performance.md in the sources has figures. It also names the long checks: comparisons that need the sources.
    """
    import json

    from ..show import write_json, write_lines

    _check_usage(data, micro or large, batch, plot)
    report: dict[str, Any] = {}
    lines: list[str] = []
    picture = ""
    selection = {"limit": limit, "sample": sample, "seed": seed, "only": only}
    if data is not None and batch is None:
        from .report import table

        names = _names(engines)
        schemas, languages = _data(data, selection)
        if schemas:
            report, picture = _maskbench(data, schemas, names, tokenizer, timeout, not no_forced, not no_memory)
            lines += table(report)
        for kind, title, key in NOTATIONS:
            found = [language for language in languages if language.kind == kind]
            if found:
                from .language_report import language_table

                report[key] = _languages(found, title, names, tokenizer, timeout)
                lines += [*([""] if lines else []), *language_table(report[key], title)]
    for name, measure, as_table in _alone(data, selection, tokenizer, micro, large, batch):
        report[name] = measure()
        lines += as_table(report[name])
    if output is not None:
        output.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    if plot is not None and picture:
        plot.write(picture.encode())
    if html is not None:
        _write_html(html, picture, lines)
    if as_json:
        write_json(report)
    else:
        write_lines(lines)
    return 0
