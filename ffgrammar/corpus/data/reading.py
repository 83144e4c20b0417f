"""The record batches of a part, as a job takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ffgrammar.corpus.base.arrow import IDS, pyarrow
from ffgrammar.corpus.data.json_lines import first_keys, line_batches
from ffgrammar.corpus.data.part import FILE, ROW, Part, Source
from ffgrammar.corpus.data.tables import table_batches, table_schema
from ffgrammar.corpus.jobs.job import Job
from ffgrammar.grammar.names import one_of

__all__ = ["check_lines", "check_source", "read_part"]


def check_source(source: Source, job: Job, group: str | None = None) -> None:
    """Raise what `Job.check_schema` raises for a file that has a schema; KeyError if a column that goes through is
    missing, and TypeError if the values of `group` cannot be told as texts."""
    if source.kind == "jsonl":
        if group is not None and job.columns.get(group) == IDS:
            raise TypeError(f"column {group!r} has token ids, by which rows cannot be grouped")
        return
    schema = table_schema(source)
    job.check_schema(schema)
    for name in _columns(job):
        if name not in schema.names and name not in (FILE, ROW):
            raise KeyError(f"there is no column {name!r}; there are {', '.join(schema.names)}")
    if group is not None and group not in (FILE, ROW):
        _check_group(group, schema.field(group).type)


def _check_group(name: str, kind: Any) -> None:
    pa = pyarrow()
    try:
        pa.nulls(0, kind).cast(pa.string())
    except pa.ArrowNotImplementedError:
        raise TypeError(f"column {name!r} is of type {kind}, by which rows cannot be grouped") from None


def check_lines(sources: Iterable[Source], job: Job) -> None:
    """Raise KeyError if a column that the job works on is in the first lines of no JSONL file: its name is wrong.

    A row may lack any column. So a file whose first lines cannot be read is taken to have all.
    """
    sources = [source for source in sources if source.kind == "jsonl" and source.size]
    seen: dict[str, None] = {}
    for source in sources:
        found = first_keys(source)
        seen.update(found)
        if not found or seen.keys() >= job.columns.keys():
            return
    for name in sorted(job.columns.keys() - seen.keys()) if seen else ():
        raise KeyError(f"{sources[0].path}: there is no column {name!r} in the first lines; there are {one_of(seen)}")


def _columns(job: Job) -> dict[str, str | None]:
    """All columns that are read of a file: those that the job works on, and those that go through."""
    assert job.keep is not None
    through: dict[str, str | None] = {name: None for name in job.keep if name not in (FILE, ROW)}
    return {**through, **job.columns}


def read_part(part: Part, job: Job) -> Iterator[Any]:
    """The record batches of a part, with the columns of the job, those that it lets through, and the place of each
    row."""
    pa = pyarrow()
    columns = _columns(job)
    row = part.first_row
    is_lines = part.source.kind == "jsonl"
    for batch in line_batches(part, columns) if is_lines else table_batches(part, list(columns)):
        count = batch.num_rows
        places = [pa.repeat(part.source.path, count), pa.array(range(row, row + count), type=pa.int64())]
        yield pa.RecordBatch.from_arrays([*places, *batch.columns], [FILE, ROW, *batch.schema.names])
        row += count
