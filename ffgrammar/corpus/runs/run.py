"""A whole run: files in, results and a summary out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from typing import Any

from ffgrammar.core.arguments import expect
from ffgrammar.corpus.data.inputs import find_sources, plan_parts
from ffgrammar.corpus.data.part import FILE, ROW, Part, Source
from ffgrammar.corpus.data.reading import check_lines, check_source
from ffgrammar.corpus.data.writing import FORMATS
from ffgrammar.corpus.jobs.job import READ_ERROR, Job
from ffgrammar.corpus.report.summary import Summary
from ffgrammar.corpus.runs.lock import lock_folder
from ffgrammar.corpus.runs.manifest import check_folder, open_folder, write_summary
from ffgrammar.corpus.runs.on_ray import run_on_ray
from ffgrammar.corpus.runs.on_spark import run_on_spark
from ffgrammar.corpus.runs.processes import run_here, run_in_processes
from ffgrammar.corpus.runs.task import Task

__all__ = ["ENGINES", "Progress", "run"]

ENGINES = ("processes", "ray", "spark")


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        done, total: bytes of the files.
        earlier: bytes that an earlier start of the same run has done.
        rows: how many rows were read.
    """

    done: int
    total: int
    earlier: int
    rows: int


def run(
    job: Job,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    *,
    format: str = "parquet",
    rows: str = "all",
    group: str | None = None,
    on: str = "processes",
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Do a job over files.

    Args:
        job: the job. Of the files' columns those of `job.keep` go through, and none if it is None.
        paths: JSONL (plain, gzip or zstd), Parquet and Arrow files, and folders of them; one or several.
        output: a folder for the results. If it has results of the same run, that run goes on. None: only the summary is
            made.
        format: "parquet" or "jsonl".
        rows: "all", or "bad" for those with an error or with the verdict no.
        group: a column that the summary groups by.
        on: "processes", "ray" or "spark".
        workers: how many worker processes; None: as many as there are cores. 0: no further process.
        progress: is called after each part.

    Returns:
        The summary. It does not depend on `on` and `workers`, or on whether the run was interrupted.

    Raises:
        ImportError: pyarrow is not installed, or the engine is not.
        ValueError: an argument or a file's name is wrong, `output` has something else in it, or the job reads a column
            that is called `file` or `row`.
        KeyError, TypeError: a file has no such column, or the column is of a wrong type; or `job` is no job.
        TaskError: a file is damaged, or has changed during the run.
        LimitError: there are too many groups.
        BlockingIOError: another run is at work in `output`.
        OSError: a file cannot be read or written.
    """
    expect("job", job, Job, "a job, as of corpus.check_job")
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    for name, value, known in (("format", format, FORMATS), ("rows", rows, ("all", "bad")), ("on", on, ENGINES)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    job = _with_places(job, group)
    sources = find_sources([os.fspath(path) for path in paths])
    _check(sources, job, group)
    task = Task(job, group, None if output is None else os.fspath(output), format, rows)
    if task.folder is not None:
        check_folder(task.folder)
    with nullcontext() if task.folder is None else lock_folder(task.folder):
        parts = _parts(task, sources)
        found = _merged(task, parts, _states(task, parts, on, workers, progress))
        if task.folder is not None:
            write_summary(task.folder, found)
    return found


def _parts(task: Task, sources: list[Source]) -> list[Part]:
    """The parts of a run: those that an earlier start of it planned, or new ones."""
    if task.folder is None:
        return list(plan_parts(sources))
    description = {**task.job.describe(), "group": task.group, "format": task.kind, "rows": task.rows}
    return open_folder(task.folder, description, sources, plan_parts)


def _with_places(job: Job, group: str | None) -> Job:
    """The job, which also lets through the place of each row and its group. Raises ValueError if it reads a column of
    such a name."""
    for name in job.columns:
        if name in (FILE, ROW):
            raise ValueError(f"a run adds the columns {FILE!r} and {ROW!r}: rename column {name!r} of the files")
    job.check_kept([*(job.keep or ()), *([] if group is None else [group])])
    if READ_ERROR in (*job.columns, *(job.keep or ()), group):
        raise ValueError(f"a run has a column {READ_ERROR!r} of its own: rename that of the files")
    found = copy(job)
    found.keep = tuple(dict.fromkeys([FILE, ROW, *(job.keep or ()), *([] if group is None else [group])]))
    return found


def _check(sources: list[Source], job: Job, group: str | None) -> None:
    """Raise what `check_source` and `check_lines` raise, with the name of the file."""
    for source in sources:
        try:
            check_source(source, job, group)
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise type(error)(f"{source.path}: {error.args[0] if error.args else error}") from error
    check_lines(sources, job)


def _states(
    task: Task, parts: list[Part], on: str, workers: int | None, progress: Callable[[Progress], None] | None
) -> dict[int, dict[str, Any]]:
    """The summaries of all parts, by number."""
    states = {part.number: state for part in parts if (state := task.done(part)) is not None}
    todo = [part for part in parts if part.number not in states]
    total = sum(part.size for part in parts)
    earlier = done = total - sum(part.size for part in todo)
    rows = sum(state["total"].get("rows", 0) for state in states.values())
    for part, state in _engine(task, todo, on, workers):
        states[part.number] = state
        done += part.size
        rows += state["total"].get("rows", 0)
        if progress is not None:
            progress(Progress(done, total, earlier, rows))
    return states


def _merged(task: Task, parts: list[Part], states: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """The summary of all parts."""
    summary = Summary(task.job, task.group)
    for part in parts:
        summary.merge(states[part.number])
    return summary.as_json()


def _engine(task: Task, parts: list[Part], on: str, workers: int | None) -> Iterator[tuple[Part, dict[str, Any]]]:
    if on == "ray":
        return run_on_ray(task, parts)
    if on == "spark":
        return run_on_spark(task, parts)
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return run_in_processes(task, parts, workers) if workers else run_here(task, parts)
