"""A part of the results, as a file that appears under its name only when it is complete."""

from __future__ import annotations

import json
import math
import os
import uuid
from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import TracebackType
from typing import Any

from ffgrammar.corpus.base.arrow import plain_values

__all__ = ["FORMATS", "HALF", "PartWriter", "write_whole"]

FORMATS = ("parquet", "jsonl")
# The end of the name of a file that is not complete yet.
HALF = ".half"


def write_whole(path: str, data: bytes) -> None:
    """Write a file under another name, and rename it. Nobody ever sees half of it."""
    half = f"{path}.{uuid.uuid4().hex}{HALF}"
    with open(half, "wb") as file:
        file.write(data)
        _keep(file)
    os.replace(half, path)


def _keep(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


class PartWriter:
    """Writes record batches to a file.

        with PartWriter(path, "parquet") as writer:
            writer.write(batch)

    If the block ends with an exception, no file is left; neither is there a Parquet file without a batch, which would
    have no schema.

    Args:
        path: the file.
        kind: "parquet" or "jsonl".
    """

    def __init__(self, path: str, kind: str) -> None:
        self._path, self._kind = path, kind
        self._half = f"{path}.{uuid.uuid4().hex}{HALF}"
        self._file: Any = None
        self._parquet: Any = None

    def __enter__(self) -> PartWriter:
        self._file = open(self._half, "wb")
        return self

    @property
    def write(self) -> Callable[[Any], None]:
        """Writes a record batch."""
        return self._write_parquet if self._kind == "parquet" else self._write_lines

    def _write_parquet(self, batch: Any) -> None:
        if self._parquet is None:
            from pyarrow import parquet

            self._parquet = parquet.ParquetWriter(self._file, batch.schema, compression="zstd")
        self._parquet.write_batch(batch)

    def _write_lines(self, batch: Any) -> None:
        names = batch.schema.names
        for values in zip(*map(plain_values, batch.columns), strict=True):
            row = dict(zip(names, values, strict=True))
            try:
                line = _dumped(row)
            except ValueError:
                line = _dumped(_finite(row))
            self._file.write(line.encode("utf-8", "surrogatepass") + b"\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            if self._parquet is not None:
                # (also after an error: else it is closed when it is dropped, and fails where nobody can catch it)
                with nullcontext() if kind is None else suppress(OSError, ValueError):
                    self._parquet.close()
            if kind is None:
                _keep(self._file)
        if kind is None and (self._parquet is not None or self._kind != "parquet"):
            os.replace(self._half, self._path)
        else:
            os.unlink(self._half)


def _dumped(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, default=_as_text)


def _finite(value: Any) -> Any:
    """A value in which None stands for NaN and infinities: JSON has no words for them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def _as_text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
