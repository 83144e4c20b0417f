"""What all jobs have in common.

A job takes a record batch and returns one with the same number of rows. It can be pickled. It never fails because of a
row: what is wrong with a row is said in the column `error`, and its other results are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy

from ffgrammar.corpus.base.arrow import IDS, Column, ids_column, is_ids, is_text, pyarrow, text_column

__all__ = ["ERROR", "READ_ERROR", "Histogram", "Job", "Score"]

# The column that says what is wrong with a row.
ERROR = "error"
# The column of a reader that says why a row could not be read.
READ_ERROR = "__read_error__"


class Histogram(NamedTuple):
    """What the summary draws: for each row that counts, part / whole, from 0 to 1.

    Attributes:
        title: what is drawn.
        part, whole: names of columns of results.
        of: the rows that count: those with this verdict.
    """

    title: str
    part: str
    whole: str
    of: bool


class Score(NamedTuple):
    """How the worst rows are found: the value of the column `plus`, less that of `minus`, is the greatest in size.

    Attributes:
        title: what the worst rows have most of.
        plus, minus: names of columns of results; `minus` may be None.
        of: the rows that count: those with this verdict.
    """

    title: str
    plus: str
    minus: str | None
    of: bool


class Job:
    """A function from a record batch to a record batch.

    Attributes:
        name: what the job does, in a word.
        columns: by the name of each column that is read, what it holds: texts, token ids, or anything (None).
        keep: the columns that go through; None: all.
        verdict: the column of results that says yes or no; it is null in rows with an error.
        sums: columns of results of which a summary has the sum.
        histogram, score: what a summary says of the rows.
    """

    name: str
    columns: dict[str, str | None]
    keep: tuple[str, ...] | None = None
    verdict: str
    sums: tuple[str, ...]
    histogram: Histogram
    score: Score

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        """The results of the rows, by the names of their columns. Rows that are in `errors` already need no result;
        what is wrong with further rows is added there."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """All that the results depend on, as JSON."""
        raise NotImplementedError

    def __call__(self, batch: Any) -> Any:
        """The results of a record batch, or of a table.

        Args:
            batch: a `pyarrow.RecordBatch` or a `pyarrow.Table`.

        Returns:
            The same kind of object: the columns that go through, then those of the results.

        Raises:
            KeyError: a column is missing.
            TypeError: a column has a wrong type.
            ValueError: a column that goes through has the name of a result.
        """
        pa = pyarrow()
        if isinstance(batch, pa.Table):
            batches = batch.combine_chunks().to_batches() or [
                pa.RecordBatch.from_arrays(
                    [pa.array([], type=kind) for kind in batch.schema.types], schema=batch.schema
                )
            ]
            return pa.Table.from_batches([self(one) for one in batches])
        self.check_schema(batch.schema)
        errors = _read_errors(batch)
        results = self.results(batch, errors)
        results[ERROR] = pa.array([errors.get(row) for row in range(batch.num_rows)], type=pa.string())
        kept = {name: batch.column(name) for name in self.kept(batch.schema.names)}
        return pa.RecordBatch.from_pydict({**kept, **results})

    def kept(self, names: Iterable[str]) -> list[str]:
        """The columns that go through, of those that there are."""
        return [name for name in names if name != READ_ERROR and (self.keep is None or name in self.keep)]

    def check_schema(self, schema: Any) -> None:
        """Raise what `__call__` raises for batches of a schema."""
        for name, kind in self.columns.items():
            if name not in schema.names:
                raise KeyError(f"there is no column {name!r}; there are {', '.join(schema.names)}")
            if schema.names.count(name) > 1:
                raise ValueError(f"there are {schema.names.count(name)} columns {name!r}; rename all but one")
            found = schema.field(name).type
            if (
                kind is not None
                and not (is_ids if kind == IDS else is_text)(found)
                and not pyarrow().types.is_null(found)
            ):
                raise TypeError(f"column {name!r} is of type {found}, which is not {kind}")
        self.check_kept(kept := self.kept(schema.names))
        for name in kept:
            if kept.count(name) > 1:
                raise ValueError(f"there are {kept.count(name)} columns {name!r}; rename all but one")

    def check_kept(self, names: Iterable[str]) -> None:
        """Raise ValueError if columns that go through have the name of a result."""
        for name in names:
            if name in (*self.result_names, ERROR):
                raise ValueError(f"column {name!r} has the name of a result; rename it, or keep other columns only")

    @property
    def result_names(self) -> tuple[str, ...]:
        """The names of the results, without `error`."""
        raise NotImplementedError

    def texts(self, batch: Any, name: str, errors: dict[int, str]) -> Column:
        """A column of texts. Rows with an error are skipped; a row that is null is one."""
        return _without(text_column(_typed(batch.column(name), pyarrow().string())), name, errors)

    def ids(self, batch: Any, name: str, errors: dict[int, str]) -> Column:
        """A column of token ids. Rows with an error are skipped; a row that is null is one."""
        return _without(ids_column(_typed(batch.column(name), pyarrow().list_(pyarrow().int32()))), name, errors)


def _typed(array: Any, kind: Any) -> Any:
    """A column all of whose rows are null may have no type."""
    return array.cast(kind) if pyarrow().types.is_null(array.type) else array


def _read_errors(batch: Any) -> dict[int, str]:
    if READ_ERROR not in batch.schema.names:
        return {}
    column = batch.column(READ_ERROR)
    if column.null_count == len(column):
        return {}
    return {row: text for row, text in enumerate(column.to_pylist()) if text is not None}


def _without(column: Column, name: str, errors: dict[int, str]) -> Column:
    for row in numpy.flatnonzero(column.skipped).tolist():
        errors.setdefault(row, f"{name} is null")
    column.skipped[list(errors)] = 1
    return column


def known(count: int, errors: Mapping[int, str]) -> Any:
    """Which of `count` rows have no error, as a bool array."""
    found = numpy.ones(count, dtype=bool)
    found[list(errors)] = False
    return found
