"""`ffgrammar corpus`: jobs over whole data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .html_report import html_option
from .options import (
    GRAMMAR,
    PATH,
    VocabularyName,
    example,
    grammar_options,
    json_option,
    tokenizer_option,
)

if TYPE_CHECKING:
    from ffgrammar.corpus import Job

__all__ = ["command"]

JOBS = ("check", "validate", "forced", "tokenize")
# The lines of the summary that a terminal shows.
MAX_GROUPS = 20
MAX_WORST = 5


@click.command(
    "corpus",
    epilog=example("""echo '{"text": "[1, 2]"}' > log.jsonl; ffgrammar corpus validate log.jsonl --grammar @json"""),
)
@click.argument("job", type=click.Choice(JOBS))
@click.argument("data", nargs=-1, required=True, metavar="DATA...", type=PATH)
@click.option("-o", "--output", metavar="FOLDER", help="Write the results here, and go on where an earlier run was.")
@click.option(
    "--format",
    "written",
    type=click.Choice(["parquet", "jsonl"]),
    default="parquet",
    show_default=True,
    help="How results are written.",
)
@click.option(
    "--rows",
    type=click.Choice(["all", "bad"]),
    default="all",
    show_default=True,
    help="The rows that are written; bad: those with an error or with the verdict no.",
)
@click.option("--text", metavar="COLUMN", help="The column of texts (default: text). check: the texts to be spelled.")
@click.option("--ids", metavar="COLUMN", help="check: the column of token ids (default: tokens).")
@click.option("--keep", multiple=True, metavar="COLUMN", help="A column that goes into the results. Repeatable.")
@click.option("--group", metavar="COLUMN", help="A column by which the summary groups.")
@click.option("--grammar", type=GRAMMAR, metavar="GRAMMAR", help="validate, forced: the grammar of all rows.")
@click.option(
    "--schema-column", metavar="COLUMN", help="validate, forced: the column with the JSON Schema of each row."
)
@click.option(
    "--on",
    type=click.Choice(["processes", "ray", "spark"]),
    default="processes",
    show_default=True,
    help="What shares the parts out: worker processes on this machine, or a cluster that you have.",
)
@click.option("--workers", type=click.IntRange(0), metavar="N", help="Worker processes (default: one for each core).")
@html_option
@json_option
@grammar_options
@tokenizer_option
def command(
    job: str,
    data: tuple[str, ...],
    output: str | None,
    written: str,
    rows: str,
    group: str | None,
    on: str,
    workers: int | None,
    html: Any,
    as_json: bool,
    tokenizer: VocabularyName,
    **options: Any,
) -> int:
    """Check, validate or tokenize whole data sets, on all cores or on a cluster.

    check: are token ids what the tokenizer makes of their text? validate: do texts obey a grammar, and where do they
    leave it? forced: how many tokens were forced, so that a model need not be asked? tokenize: the tokens of texts.

    DATA are files, or folders of files: .jsonl .ndjson (also .gz .zst), .parquet, .arrow. The summary goes to stdout.
    Exit code 1: at least one row has the verdict no, or an error. It needs pyarrow: pip install 'ffgrammar[corpus]'.
    """
    from ffgrammar import FFGrammarError, corpus

    from .progress import Bar
    from .show import write_json, write_lines

    try:
        made = _job(job, tokenizer, **options)
        with Bar() as bar:
            summary = corpus.run(
                made,
                data,
                output,
                format=written,
                rows=rows,
                group=group,
                on=on,
                workers=workers,
                progress=lambda now: bar.show(now.done, now.total, now.earlier, now.rows),
            )
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        raise click.ClickException(str(error)) from error
    except FFGrammarError:
        raise  # (told in the words of the shell, as in the other commands)
    except (corpus.TaskError, KeyError, TypeError, ValueError) as error:
        raise click.ClickException(str(error.args[0])) from error
    if html is not None:
        html.write(corpus.page(summary))
    if as_json:
        write_json(summary)
    else:
        write_lines(_lines(summary))
    return 1 if summary["counts"]["no"] or summary["counts"]["errors"] else 0


def _job(
    job: str,
    named: VocabularyName,
    text: str | None,
    ids: str | None,
    keep: tuple[str, ...],
    grammar: str | None,
    schema_column: str | None,
    **compiling: Any,
) -> Job:
    """The job that the command line asks for. Raises click.UsageError for options that do not fit it."""
    from ffgrammar import corpus

    from .sources import load_grammar, load_tokenizer

    takes_grammar = job in ("validate", "forced")
    if takes_grammar and grammar is None and schema_column is None:
        raise click.UsageError(f"corpus {job} needs --grammar or --schema-column")
    if grammar is not None and schema_column is not None:
        raise click.UsageError("--grammar is one schema for all rows, --schema-column one for each: leave one out")
    if not takes_grammar and (grammar or schema_column or any(compiling.values())):
        raise click.UsageError(f"corpus {job} takes no grammar, and no options of one")
    if grammar is None and any(compiling.values()):
        raise click.UsageError("the options of grammars are for --grammar")
    if ids is not None and job != "check":
        raise click.UsageError("--ids is for corpus check")
    tokenizer = load_tokenizer(named)
    if job == "check":
        return corpus.check_job(tokenizer, ids=ids or "tokens", text=text, keep=keep)
    text = text or "text"
    if job == "tokenize":
        return corpus.tokenize_job(tokenizer, text=text, keep=keep)
    make = corpus.validate_job if job == "validate" else corpus.forced_job
    if grammar is not None:
        return make(load_grammar(grammar, tokenizer, **compiling), text=text, keep=keep)
    return make(text=text, schema=schema_column, tokenizer=tokenizer, keep=keep)


def _lines(summary: dict[str, Any]) -> list[str]:
    """The summary for people: counts, groups, errors, and the worst rows."""
    from .show import counted

    lines = [f"{name.replace('_', ' ')}\t{_number(value)}" for name, value in summary["counts"].items()]
    groups = summary.get("by_group", {})
    for name, counts in list(groups.items())[:MAX_GROUPS]:
        lines.append(f"{summary['group']} {name}\t{_counts(counts)}")
    if len(groups) > MAX_GROUPS:
        lines.append(counted(len(groups) - MAX_GROUPS, "more group") + " in --json")
    if "without_group" in summary:
        lines.append(f"without {summary['group']}\t{_counts(summary['without_group'])}")
    for message, count in summary["errors"].items():
        lines.append(f"error\t{counted(count, 'row')}: {message}")
    for row in summary["worst"]["rows"][:MAX_WORST]:
        lines.append(f"worst\t{row['file']} row {row['row']}: {_number(row['score'])} ({summary['worst']['by']})")
    return lines


def _counts(counts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_number(count)}" for name, count in counts.items())


def _number(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:.4%}" if isinstance(value, float) else f"{value:,}"
