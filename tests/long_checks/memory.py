"""What memory a run over a large file needs: `python tests/long_checks memory --gigabytes 1`.

A file of texts is tokenized as JSONL, as one gzip stream, and as Parquet with a single row group. Then the same is done
with a file a sixteenth as long. The largest processes of the two may differ by no more than a margin.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["main"]

# Megabytes. A file with less than a block of lines needs up to 75 MB less.
MARGIN = 120.0
ROWS = 2_000


def _rows() -> Iterator[dict[str, Any]]:
    rng = random.Random(1)
    words = ["engine", "note", "ключ", "12", '"', "a\nb", " ", "{}"]
    for number in range(ROWS):
        yield {"id": number, "text": " ".join(rng.choices(words, k=rng.randint(1, 200)))}


def _lines() -> bytes:
    return "".join(json.dumps(row) + "\n" for row in _rows()).encode()


def _write_lines(path: Path, size: int, opened: Callable[[Path], Any]) -> None:
    lines = _lines()
    with opened(path) as file:
        for _ in range(size // len(lines) + 1):
            file.write(lines)


def _write_table(path: Path, size: int) -> None:
    """Write one row group with at least `size` bytes of text."""
    table = pa.Table.from_pylist(list(_rows()))
    count = size // len(_lines()) + 1
    # (compression or a dictionary would make one copy of all that is repeated)
    whole = pa.concat_tables([table] * count)
    pq.write_table(whole, path, row_group_size=ROWS * count, compression="none", use_dictionary=False)


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "a.jsonl": lambda path, size: _write_lines(path, size, lambda one: open(one, "wb")),
    "a.jsonl.gz": lambda path, size: _write_lines(path, size, lambda one: gzip.open(one, "wb", compresslevel=1)),
    "a.parquet": _write_table,
}


def _peak(path: Path, output: Path) -> float:
    """The memory of the largest process of a run over a file, in megabytes."""
    command = [sys.executable, "-m", "ffgrammar_cli", "corpus", "tokenize", str(path), "-o", str(output)]
    process = subprocess.Popen([*command, "--workers", "1"], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{path}: the run failed")
    shutil.rmtree(output)
    return used.ru_maxrss / 1000


def main() -> int:
    """The script; the exit status is 1 if memory grows with the file."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks memory", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1, help="size of the large file (1)")
    options = parser.parse_args()
    size = int(options.gigabytes * 1e9)
    folder = Path(tempfile.mkdtemp(prefix="memory-"))
    grown = 0
    try:
        for name, write in WRITERS.items():
            peaks = []
            for one in (size // 16, size):
                write(folder / name, one)
                peaks.append(_peak(folder / name, folder / "out"))
            (folder / name).unlink()
            grown += peaks[1] > peaks[0] + MARGIN
            print(f"{name}\t{peaks[0]:.0f} MB with {size / 16e6:,.0f} MB, {peaks[1]:.0f} MB with {size / 1e6:,.0f} MB")
    finally:
        shutil.rmtree(folder)
    print(f"files with which memory grew: {grown}")
    return 1 if grown else 0
