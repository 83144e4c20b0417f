"""Rows for the tests of corpora: made, and written in every format."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ffgrammar as ff
from ffgrammar.corpus.data import json_lines, part, tables

__all__ = ["rows_of", "use_small_parts", "write_rows"]


def rows_of(tok: ff.Tokenizer, count: int) -> list[dict[str, Any]]:
    """Rows of token ids: some are not canonical, and some are null."""
    rng = random.Random(4)
    rows: list[dict[str, Any]] = []
    for number in range(count):
        ids = tok.encode("hello world " * rng.randint(0, 3) + str(number))
        if number % 7 == 3:
            ids[:1] = [tok.encode(bytes([byte]))[0] for byte in tok.token_bytes(ids[0])]
        rows.append({"tokens": None if number % 11 == 5 else ids, "source": "ab"[number % 2], "id": number})
    return rows


def write_rows(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    """Write a file in the format that its name says. Returns its path."""
    path = folder / name
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    half = lines.index(b"\n", len(lines) // 2) + 1
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(lines[:half]) + gzip.compress(lines[half:]))
    elif name.endswith(".zst"):
        path.write_bytes(b"".join(bytes(pa.compress(one, "zstd")) for one in (lines[:half], lines[half:])))
    elif name.endswith("jsonl"):
        path.write_bytes(lines)
    elif name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=50)
    else:
        table = pa.Table.from_pylist(rows)
        make = pa.ipc.new_file if "file" in name else pa.ipc.new_stream
        with make(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=30)
    return path


def use_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few rows, and blocks of some lines."""
    monkeypatch.setattr(part, "LEAST_BYTES", 2000)
    monkeypatch.setattr(part, "MOST_BYTES", 2000)
    monkeypatch.setattr(json_lines, "BLOCK", 700)
    monkeypatch.setattr(tables, "MAX_ROWS", 20)
