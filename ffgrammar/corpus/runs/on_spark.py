"""Runs on Spark: the parts are a DataFrame, and `mapInArrow` does them. Spark shares them out, and does those again
whose worker dies.

All machines must see the files under the same paths, and the folder of the results as well. The session is the active
one, or one that Spark makes by its own configuration (SPARK_HOME/conf, or `spark-submit`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ffgrammar.corpus.base.arrow import pyarrow
from ffgrammar.corpus.data.part import Part
from ffgrammar.corpus.runs.task import Task

__all__ = ["run_on_spark"]


def run_on_spark(task: Task, parts: Sequence[Part]) -> Iterator[tuple[Part, dict[str, Any]]]:
    """Do the parts on Spark, and yield them when all are done.

    Raises:
        ImportError: Spark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ImportError("--on spark needs Spark: pip install 'pyspark[sql]'") from None
    if not parts:
        return
    session = SparkSession.builder.getOrCreate()
    by_number = {part.number: part for part in parts}
    rows = session.range(len(by_number), numPartitions=len(by_number))
    done = rows.mapInArrow(_Parts(task, list(by_number.values())), "part long, summary string")
    # (not toLocalIterator, which has one part done after another)
    for row in done.collect():
        yield by_number[row["part"]], json.loads(row["summary"])


class _Parts:
    """Does the parts that record batches name, by their places in a list."""

    def __init__(self, task: Task, parts: list[Part]) -> None:
        self._task, self._parts = task, parts

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for place in batch.column("id").to_pylist():
                part = self._parts[place]
                found = json.dumps(self._task.run(part))
                yield pyarrow().record_batch({"part": [part.number], "summary": [found]})
