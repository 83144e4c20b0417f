"""A part of a file: what one task reads, and all that a task on another machine needs to know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["FILE", "ROW", "Part", "Source", "part_bytes"]

# A run is cut into about this many parts. At its end some workers have nothing left to do while others do their last
# part, which must be short beside the run.
PARTS = 64
# A part of a small run has at least this many bytes, because each costs files; one of a large run about this many at
# most, because it is done again if its worker dies.
LEAST_BYTES, MOST_BYTES = 1 << 20, 16 << 20
# The columns that a reader adds: the file's name, and the number of the row in it, from 0 on.
FILE, ROW = "file", "row"


@dataclass(frozen=True)
class Source:
    """A file as it was when the run was planned.

    Attributes:
        path: its path.
        kind: "jsonl", "parquet" or "arrow".
        compression: "gzip", "zstd" or "" for JSONL; "" for others.
        size: bytes.
        modified: when it was last changed, in nanoseconds.
        digest: SHA-256 of its first and last bytes.
    """

    path: str
    kind: str
    compression: str
    size: int
    modified: int
    digest: str


@dataclass(frozen=True)
class Part:
    """A range of a file.

    Attributes:
        number: among the parts of all files, from 0 on.
        source: the file.
        begin, end: bytes of JSONL, row groups of Parquet, or record batches of Arrow. A compressed file is one part.
        first_row: the number in the file of the part's first row.
        size: about how many bytes are read, for the progress bar.
    """

    number: int
    source: Source
    begin: int
    end: int
    first_row: int
    size: int


def part_bytes(sources: Iterable[Source]) -> int:
    """How many bytes a part of these files has, or a little more. Parts end where lines and row groups do."""
    return min(max(LEAST_BYTES, sum(source.size for source in sources) // PARTS), MOST_BYTES)
