"""A corpus as it is written: its rows in turns to JSONL, JSONL under zstd, Parquet and Arrow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["Row", "RowFiles"]

Row = dict[str, Any]


class RowFiles:
    """Files of rows in a folder.

    Args:
        folder: is made.
        schema: of the rows.
    """

    def __init__(self, folder: Path, schema: Any) -> None:
        folder.mkdir(parents=True)
        self._schema = schema
        self._stack = ExitStack()
        self._lines = [
            self._stack.enter_context(open(folder / "a.jsonl", "wb")),
            self._stack.enter_context(pa.output_stream(str(folder / "b.jsonl.zst"), compression="zstd")),
        ]
        self._tables = [
            self._stack.enter_context(pq.ParquetWriter(folder / "c.parquet", schema)),
            self._stack.enter_context(pa.ipc.new_stream(folder / "d.arrow", schema)),
        ]
        self._turn = 0

    def __enter__(self) -> RowFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def write(self, rows: Sequence[Row]) -> None:
        """Write some rows to one of the files: as lines, a row group, or a record batch."""
        self._turn += 1
        if self._turn % 2:
            self._tables[self._turn // 2 % 2].write_table(pa.Table.from_pylist(list(rows), schema=self._schema))
        else:
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            self._lines[self._turn // 2 % 2].write(lines.encode())
