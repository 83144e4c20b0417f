"""What a job found, in numbers: exact counts, by group, the worst rows, a histogram.

    summary = Summary(job, group="source")
    for batch in batches:
        summary.add(job(batch))
    summary.merge(other)
    summary.as_json()

Parts are counted apart and merged in their order. All numbers are integers, so the result does not depend on how the
rows were shared out.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy

from ffgrammar.core.errors import LimitError
from ffgrammar.corpus.base.arrow import plain_values, pyarrow, utf8_column
from ffgrammar.corpus.jobs.job import ERROR, Job

__all__ = ["BINS", "Summary"]

# How many bars the histogram has.
BINS = 20
# How many of the worst rows are kept, and how many different errors are told.
MAX_WORST = 20
MAX_ERRORS = 20
# How many different errors of a part are counted. An error that another part has first may be late in this one.
MAX_COUNTED_ERRORS = 1000
MAX_GROUPS = 10_000
# Characters of a text in the worst rows.
MAX_SHOWN = 200

Counts = dict[str, int]


class Summary:
    """Counts of a job's results.

    Args:
        job: the job.
        group: a column that goes through; None: there are no groups.
        part: the number of the part that is counted. It orders rows that are equally bad.
    """

    def __init__(self, job: Job, group: str | None = None, part: int = 0) -> None:
        self._job, self._group, self._part = job, group, part
        self._rows = 0
        self._total: Counts = {}
        self._groups: dict[str, Counts] = {}
        self._without_group: Counts = {}
        self._bins = numpy.zeros(BINS, dtype=numpy.int64)
        self._worst: list[tuple[int, int, int, dict[str, Any]]] = []
        self._errors: dict[str, int] = {}

    def add(self, batch: Any) -> None:
        """Count the results of a record batch. Raises LimitError if there are more than MAX_GROUPS groups."""
        pc = pyarrow().compute
        _add(self._total, self._counts(batch))
        if self._group is not None:
            groups = utf8_column(batch.column(self._group))
            counted = batch.select([self._job.verdict, ERROR, *self._job.sums])
            for name in pc.unique(groups.drop_null()).to_pylist():
                self._add_group(name, self._counts(counted.filter(pc.equal(groups, name))))
            if groups.null_count:
                _add(self._without_group, self._counts(counted.filter(pc.is_null(groups))))
        self._draw(batch)
        self._note_worst(batch)
        errors = batch.column(ERROR)
        if errors.null_count < len(errors):
            for found in pc.value_counts(errors.drop_null()).to_pylist():
                self._note_error(found["values"], found["counts"])
        self._rows += batch.num_rows

    def _counts(self, batch: Any) -> Counts:
        pc = pyarrow().compute
        verdicts = batch.column(self._job.verdict)
        yes = pc.sum(verdicts).as_py() or 0
        errors = batch.num_rows - batch.column(ERROR).null_count
        sums = {name: pc.sum(batch.column(name)).as_py() or 0 for name in self._job.sums}
        return {"rows": batch.num_rows, "yes": yes, "no": batch.num_rows - yes - errors, "errors": errors, **sums}

    def _add_group(self, name: str, counts: Counts) -> None:
        if name not in self._groups and len(self._groups) == MAX_GROUPS:
            raise LimitError("groups", MAX_GROUPS, f"column {self._group!r} has too many different values to group by")
        _add(self._groups.setdefault(name, {}), counts)

    def _note_error(self, message: str, count: int) -> None:
        if message in self._errors or len(self._errors) < MAX_COUNTED_ERRORS:
            self._errors[message] = self._errors.get(message, 0) + count

    def _draw(self, batch: Any) -> None:
        wanted = self._job.histogram
        rows = _with_verdict(batch, self._job.verdict, wanted.of)
        part, whole = _numbers(batch, wanted.part)[rows], _numbers(batch, wanted.whole)[rows]
        bins = part * BINS // numpy.maximum(whole, 1)
        numpy.add.at(self._bins, numpy.clip(bins, 0, BINS - 1), 1)

    def _note_worst(self, batch: Any) -> None:
        wanted = self._job.score
        rows = numpy.flatnonzero(_with_verdict(batch, self._job.verdict, wanted.of))
        minus = 0 if wanted.minus is None else _numbers(batch, wanted.minus)
        scores = numpy.abs(_numbers(batch, wanted.plus) - minus)[rows]
        if wanted.of:  # (the verdict on these rows is yes, so only a score makes one bad)
            rows, scores = rows[scores > 0], scores[scores > 0]
        # (a stable sort, so that of equally bad rows the first ones are kept)
        for at in numpy.argsort(-scores, kind="stable")[:MAX_WORST].tolist():
            row = int(rows[at])
            one = batch.slice(row, 1)
            shown = {name: _shown(plain_values(one.column(name))[0]) for name in one.schema.names if name != "ids"}
            self._worst.append((-int(scores[at]), self._part, self._rows + row, shown))
        self._worst = sorted(self._worst, key=lambda one: one[:3])[:MAX_WORST]

    def merge(self, part: dict[str, Any]) -> None:
        """Add what `state` of a further part returned."""
        self._rows += part["total"].get("rows", 0)
        _add(self._total, part["total"])
        for name, counts in part["groups"].items():
            self._add_group(name, counts)
        _add(self._without_group, part["without_group"])
        self._bins += numpy.array(part["bins"], dtype=numpy.int64)
        self._worst = sorted([*self._worst, *map(tuple, part["worst"])], key=lambda one: one[:3])[:MAX_WORST]
        for message, count in part["errors"].items():
            self._note_error(message, count)

    def state(self) -> dict[str, Any]:
        """All that `merge` needs, as JSON."""
        return {
            "total": self._total,
            "groups": self._groups,
            "without_group": self._without_group,
            "bins": self._bins.tolist(),
            "worst": [list(one) for one in self._worst],
            "errors": self._errors,
        }

    def as_json(self) -> dict[str, Any]:
        """The summary: `counts`, `by_group`, `without_group` (rows in which the group is null), `histogram`, `worst`
        and `errors`."""
        empty: Counts = dict.fromkeys(("rows", "yes", "no", "errors", *self._job.sums), 0)
        found: dict[str, Any] = {"job": self._job.name, "verdict": self._job.verdict}
        found["counts"] = _with_rate({**empty, **self._total})
        if self._group is not None:
            found["group"] = self._group
            found["by_group"] = {name: _with_rate(self._groups[name]) for name in sorted(self._groups)}
            if self._without_group:
                found["without_group"] = _with_rate(self._without_group)
        found["histogram"] = {"title": self._job.histogram.title, "bins": self._bins.tolist()}
        found["worst"] = {
            "by": self._job.score.title,
            "rows": [{"score": -score, **shown} for score, _, _, shown in self._worst],
        }
        # (of more different errors only the first are listed; `counts` has all)
        found["errors"] = dict(islice(self._errors.items(), MAX_ERRORS))
        return found


def _add(counts: Counts, more: Counts) -> None:
    for name, count in more.items():
        counts[name] = counts.get(name, 0) + count


def _with_rate(counts: Counts) -> dict[str, Any]:
    """The counts, with the share of rows with the verdict yes among those that have one; None if there are none."""
    judged = counts["yes"] + counts["no"]
    return {**counts, "rate": round(counts["yes"] / judged, 6) if judged else None}


def _with_verdict(batch: Any, name: str, wanted: bool) -> Any:
    verdicts = batch.column(name)
    known = verdicts.is_valid().to_numpy(zero_copy_only=False)
    return known & (verdicts.fill_null(not wanted).to_numpy(zero_copy_only=False) == wanted)


def _numbers(batch: Any, name: str) -> Any:
    return batch.column(name).fill_null(0).to_numpy(zero_copy_only=False)


def _shown(value: Any) -> Any:
    if isinstance(value, bytes):
        value = value[: 4 * MAX_SHOWN].decode("utf-8", "replace")
    if isinstance(value, str):
        return value[:MAX_SHOWN]
    return value if value is None or isinstance(value, int | float) else str(value)[:MAX_SHOWN]
