"""One part of a run: read it, do the job, write the results, count them.

The results of a part are two files: its rows, and then its summary. Each appears by a rename. A part is done if its
summary is there and its rows have the size that the summary tells. If two workers do the same part, both write the same
bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ffgrammar.corpus.base.arrow import pyarrow
from ffgrammar.corpus.data.inputs import is_unchanged
from ffgrammar.corpus.data.part import Part
from ffgrammar.corpus.data.reading import read_part
from ffgrammar.corpus.data.writing import PartWriter, write_whole
from ffgrammar.corpus.jobs.job import ERROR, Job
from ffgrammar.corpus.report.summary import Summary

__all__ = ["Task", "TaskError"]


class TaskError(Exception):
    """A part cannot be done: its file is gone, damaged, or has changed since the run was planned."""


@dataclass(frozen=True)
class Task:
    """What is done with each part.

    Attributes:
        job: the job.
        group: a column to group by, or None.
        folder: where results are written; None: only the summary is wanted.
        kind: "parquet" or "jsonl".
        rows: "all", or "bad": those with an error or with the verdict no.
    """

    job: Job
    group: str | None
    folder: str | None
    kind: str
    rows: str

    def done(self, part: Part) -> dict[str, Any] | None:
        """The summary of a part that is done, else None. Raises TaskError if it is damaged."""
        if self.folder is None:
            return None
        path = self._path(part, "json")
        try:
            with open(path, "rb") as file:
                found = json.loads(file.read())
            Summary(self.job, self.group).merge(found)  # (which reads all of it)
            size = int(found["bytes"])
        except FileNotFoundError:
            return None
        except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
            raise TaskError(f"{path} is damaged; remove it, and the part is done again") from None
        return dict(found) if size == self._bytes(part) else None

    def run(self, part: Part) -> dict[str, Any]:
        """Do a part, unless it is done. Returns its summary (`Summary.state`). Raises TaskError."""
        found = self.done(part)
        if found is None:
            try:
                found = self._run(part)
            except (OSError, ValueError, pyarrow().ArrowException) as error:
                # (what a row can have is no such error: this is the file itself, or the disk)
                raise TaskError(f"{part.source.path}: {error}") from error
        return found

    def _run(self, part: Part) -> dict[str, Any]:
        summary = Summary(self.job, self.group, part.number)
        if self.folder is None:
            for batch in _batches(part, self.job):
                summary.add(self.job(batch))
            return summary.state()
        with PartWriter(self._path(part, self.kind), self.kind) as writer:
            for batch in _batches(part, self.job):
                result = self.job(batch)
                summary.add(result)
                writer.write(result if self.rows == "all" else _bad_rows(result, self.job.verdict))
        state = {**summary.state(), "bytes": self._bytes(part)}
        write_whole(self._path(part, "json"), json.dumps(state, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        return state

    def _bytes(self, part: Part) -> int:
        """The size of the rows' file; -1 if there is none, as for a part without rows."""
        path = self._path(part, self.kind)
        return os.path.getsize(path) if os.path.exists(path) else -1

    def _path(self, part: Part, ending: str) -> str:
        assert self.folder is not None
        folder = "rows" if ending == self.kind else "parts"
        return os.path.join(self.folder, folder, f"part-{part.number:06}.{ending}")


def _batches(part: Part, job: Job) -> Iterator[Any]:
    """The record batches of a part. Raises TaskError if its file has changed, before or after they are read."""
    _check_unchanged(part)
    yield from read_part(part, job)
    _check_unchanged(part)


def _check_unchanged(part: Part) -> None:
    if not is_unchanged(part.source):
        raise TaskError(f"{part.source.path} is gone, or has changed since the run was planned")


def _bad_rows(batch: Any, verdict: str) -> Any:
    import pyarrow.compute as pc

    is_bad = pc.or_kleene(pc.is_valid(batch.column(ERROR)), pc.invert(batch.column(verdict)))
    return batch.filter(is_bad)
