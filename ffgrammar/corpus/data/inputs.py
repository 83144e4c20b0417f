"""From the names of files and folders to the parts of a run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ffgrammar.corpus.data.json_lines import line_parts
from ffgrammar.corpus.data.part import Part, Source, part_bytes
from ffgrammar.corpus.data.tables import table_parts

__all__ = ["ENDINGS", "find_sources", "is_unchanged", "plan_parts"]

# How names of files end: kind and compression.
ENDINGS = {
    ".jsonl": ("jsonl", ""),
    ".ndjson": ("jsonl", ""),
    ".jsonl.gz": ("jsonl", "gzip"),
    ".ndjson.gz": ("jsonl", "gzip"),
    ".jsonl.zst": ("jsonl", "zstd"),
    ".ndjson.zst": ("jsonl", "zstd"),
    ".parquet": ("parquet", ""),
    ".arrow": ("arrow", ""),
}
# Bytes at the start and at the end of a file that its digest is made of.
SAMPLE = 64 << 10


def find_sources(paths: Sequence[str]) -> list[Source]:
    """The files, in the order given; those of a folder and its folders by name. Files of a folder with other endings
    are left out.

    Raises:
        ValueError: a file has another ending or a name that is not UTF-8, or there is no file.
        OSError: a file cannot be read.
    """
    found = [_source(path) for given in paths for path in _files(given)]
    if not found:
        where = f" in {', '.join(paths)}" if paths else ""
        raise ValueError(f"no files{where}; their names must end in {', '.join(ENDINGS)}")
    return found


def _files(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        for one in sorted(Path(path).rglob("*")):
            hidden = any(part.startswith(".") for part in one.relative_to(path).parts)
            if not hidden and one.is_file() and one.name.lower().endswith(tuple(ENDINGS)):
                yield str(one)
    elif path.lower().endswith(tuple(ENDINGS)):
        yield path
    else:
        os.stat(path)  # (a name that is misspelt is told first)
        raise ValueError(f"{path}: the name does not say what kind of data this is, as {', '.join(ENDINGS)} would")


def _source(path: str) -> Source:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{path!r}: the name is not UTF-8, so results cannot name it; rename the file") from None
    ending = max(filter(path.lower().endswith, ENDINGS), key=len)
    status = os.stat(path)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        digest.update(file.read(SAMPLE))
        if status.st_size > SAMPLE:
            file.seek(max(SAMPLE, status.st_size - SAMPLE))
            digest.update(file.read(SAMPLE))
    return Source(path, *ENDINGS[ending], status.st_size, status.st_mtime_ns, digest.hexdigest())


def is_unchanged(source: Source) -> bool:
    """Whether a file has the size and the time of its last change that it had when the run was planned."""
    try:
        status = os.stat(source.path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (source.size, source.modified)


def plan_parts(sources: Sequence[Source]) -> Iterator[Part]:
    """The parts of all files, numbered from 0 on. JSONL that is not compressed is read once, to count its lines."""
    number, size = 0, part_bytes(sources)
    for source in sources:
        for part in (line_parts if source.kind == "jsonl" else table_parts)(source, number, size):
            yield part
            number += 1
