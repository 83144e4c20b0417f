"""Runs on Ray: the parts are a dataset, and `map_batches` does them. Ray shares them out, and does those again whose
worker dies.

All machines must see the files under the same paths, and the folder of the results as well. The cluster is the one that
Ray finds (RAY_ADDRESS); if there is none, Ray starts one on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ffgrammar.corpus.base.arrow import pyarrow
from ffgrammar.corpus.data.part import Part
from ffgrammar.corpus.runs.task import Task

__all__ = ["run_on_ray"]


def run_on_ray(task: Task, parts: Sequence[Part]) -> Iterator[tuple[Part, dict[str, Any]]]:
    """Do the parts on Ray, and yield them as they are done.

    Raises:
        ImportError: Ray is not installed.
        TaskError: a part cannot be done (as the cause of Ray's own error).
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise ImportError("--on ray needs Ray Data: pip install 'ray[data]'") from None
    if not parts:
        return
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    by_number = {part.number: part for part in parts}
    rows = ray.data.from_items([{"part": number} for number in by_number], override_num_blocks=len(by_number))
    done = rows.map_batches(_Parts(task, by_number), batch_size=1, batch_format="pyarrow")
    for row in done.iter_rows():
        yield by_number[row["part"]], json.loads(row["summary"])


class _Parts:
    """Does the parts that a table names."""

    # (what Ray shows of a function)
    __name__ = "ffgrammar_corpus"

    def __init__(self, task: Task, parts: dict[int, Part]) -> None:
        self._task, self._parts = task, parts

    def __call__(self, table: Any) -> Any:
        numbers = table.column("part").to_pylist()
        found = [json.dumps(self._task.run(self._parts[number])) for number in numbers]
        return pyarrow().table({"part": numbers, "summary": found})
