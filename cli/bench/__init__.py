"""`ffgrammar bench`: MaskBench, engine against engine in one process; micro-benchmarks.

Code map in reading order: data (schemas, documents), order (keys in schema order), engines (one adapter an engine),
walk (what is measured), run (engines take turns), memory (a process an engine), report (tables and ratios), plot; micro
and curves (ffgrammar alone).
"""

from __future__ import annotations

from typing import IO, Any

import click

from ..options import VocabularyName, example, json_option, tokenizer_option

__all__ = ["command"]

NAMES = ("ffgrammar", "llguidance", "xgrammar")


def _names(given: str) -> list[str]:
    """The engines to run: those that are installed."""
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
    selection: dict[str, Any],
    names: list[str],
    named: VocabularyName,
    timeout: float,
    forced: bool,
    memory: bool,
    plot: IO[bytes] | None,
) -> dict[str, Any]:
    from .data import load_schemas
    from .engines import ENGINES
    from .memory import measure
    from .report import full_report
    from .run import ready, run

    schemas = load_schemas(data, **selection)
    engines = [ENGINES[name](named) for name in names]
    seconds = ready(engines)
    results = run(engines, schemas, timeout, forced=forced)
    if plot is not None:
        from .plot import draw

        draw(plot, results, f"{len(schemas)} schemas, {named.name}")
    sizes = measure(names, named, schemas, timeout, forced=forced) if memory else {}
    versions = {engine.name: engine.version for engine in engines}
    return {
        "data": "stdin" if data == "-" else data,
        "tokenizer": named.name,
        "schemas": len(schemas),
        **full_report(results, versions, seconds, sizes),
    }


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
    help="Which engines, of those that are installed; the first is divided by the others.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N schemas.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only N schemas at random.")
@click.option("--seed", default=0, show_default=True, help="Equal seeds give equal samples.")
@click.option("--only", default="", metavar="TEXT", help="Only schemas with this in their id.")
@click.option(
    "--timeout", default=60.0, show_default=True, metavar="SECONDS", help="For one schema with its documents."
)
@click.option("--no-forced", is_flag=True, help="Leave out forced tokens.")
@click.option("--no-memory", is_flag=True, help="Leave out memory, for which each engine runs once more.")
@click.option("--micro", is_flag=True, help="Measure single calls of ffgrammar too, and what their cost grows with.")
@json_option
@click.option(
    "-o", "--output", type=click.File("w", "utf-8", lazy=False), metavar="FILE.json", help="Write the JSON here too."
)
@click.option(
    "--plot",
    type=click.File("wb", lazy=True),  # what is there stays if nothing can be drawn
    metavar="FILE.svg",
    help="Draw how the times between masks are distributed (needs matplotlib).",
)
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
    as_json: bool,
    output: IO[str] | None,
    plot: IO[bytes] | None,
    tokenizer: VocabularyName,
) -> int:
    """Measure masks along real documents, side by side with other engines.

    DATA is a file of MaskBench (.jsonl or .jsonl.gz: a schema and its documents a line; - is stdin), or a directory of
    JSON schemas, each NAME.json with NAME.samples.ndjson beside it. With --micro it may be left out.

    The engines take turns schema by schema. TBM is the time between masks: one mask and one accepted token. TTFM is the
    time to the first mask: compiling, and the mask at the start. Both are in microseconds, as seen from Python.
    """
    import json

    from ..show import write_json, write_lines

    if data is None and not micro:
        raise click.UsageError("DATA is missing: a file of MaskBench, or a directory of schemas")
    if plot is not None:
        from .plot import check_installed

        if data is None:
            raise click.UsageError("--plot needs DATA")
        check_installed()
    report: dict[str, Any] = {}
    lines: list[str] = []
    if data is not None:
        from .report import table

        selection = {"limit": limit, "sample": sample, "seed": seed, "only": only}
        names = _names(engines)
        report |= _maskbench(data, selection, names, tokenizer, timeout, not no_forced, not no_memory, plot)
        lines += table(report)
    if micro:
        from . import curves
        from . import micro as single

        report |= {"micro": single.measure(tokenizer), "curves": curves.measure(tokenizer)}
        lines += [*single.table(report["micro"]), *curves.table(report["curves"])]
    if output is not None:
        output.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    if as_json:
        write_json(report)
    else:
        write_lines(lines)
    return 0
