"""Jobs over datasets that a program has: of Ray, Spark, Hugging Face's `datasets`, and pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ffgrammar.corpus.base.arrow import pyarrow
from ffgrammar.corpus.jobs.job import Job

__all__ = ["apply"]


def apply(job: Job, data: Any) -> Any:
    """Do a job over a dataset. Its engine shares the rows out; it is lazy where the dataset is.

    Args:
        job: the job.
        data: a `ray.data.Dataset`, a Spark `DataFrame`, a `datasets.Dataset` or `IterableDataset`, or a `Table`,
            `RecordBatch`, `RecordBatchReader` or `dataset.Dataset` of pyarrow.

    Returns:
        The same kind of object; for a `pyarrow.dataset.Dataset` a `RecordBatchReader`.

    Raises:
        TypeError: `data` is something else.
    """
    pa = pyarrow()
    if isinstance(data, pa.Table | pa.RecordBatch):
        return job(data)
    if isinstance(data, pa.RecordBatchReader):
        return _reader(job, data.schema, iter(data))
    package = {kind.__module__.split(".")[0] for kind in type(data).__mro__}
    if "pyarrow" in package:
        return _reader(job, data.schema, data.to_batches())
    if "ray" in package:
        return data.map_batches(job, batch_format="pyarrow", zero_copy_batch=True)
    if "pyspark" in package:
        return _on_spark(job, data)
    if "datasets" in package:
        return data.with_format("arrow").map(job, batched=True).with_format(None)
    raise TypeError(
        f"a dataset of Ray, Spark, datasets or pyarrow is expected, not {type(data).__module__}.{type(data).__name__}; "
        "corpus.run takes the paths of files"
    )


def _empty(job: Job, schema: Any) -> Any:
    """The schema of the results for rows of a schema."""
    return job(schema.empty_table()).schema


def _reader(job: Job, schema: Any, batches: Iterator[Any]) -> Any:
    return pyarrow().RecordBatchReader.from_batches(_empty(job, schema), map(job, batches))


def _on_spark(job: Job, data: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    return data.mapInArrow(_Batches(job), from_arrow_schema(_empty(job, to_arrow_schema(data.schema))))


class _Batches:
    """A job over an iterator of record batches."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        return map(self._job, batches)
