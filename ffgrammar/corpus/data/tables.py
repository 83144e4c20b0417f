"""Parquet and Arrow: files that have columns already.

Arrow has two formats: files, which list their record batches at the end, and streams, as Hugging Face's `datasets`
write them. Both are mapped into memory, so a part costs only what is read of it. Parquet is read a page at a time,
because a row group may not fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from ffgrammar.corpus.base.arrow import pyarrow
from ffgrammar.corpus.data.part import Part, Source

__all__ = ["table_batches", "table_parts", "table_schema"]

# A record batch has at most this many rows, and of Parquet about this many bytes. (Larger ones are memory that is new
# each time: two workers take 12% more CPU time.)
MAX_ROWS, BATCH_BYTES = 4096, 8 << 20
NUMBER_BYTES = 8
# How many rows are read to see how long rows are.
SAMPLE_ROWS = 16
# How many bytes of a column of Parquet are read at a time.
PAGE_BYTES = 1 << 20
FILE_MAGIC = b"ARROW1"


def _parquet(path: str) -> Any:
    from pyarrow import parquet

    # A mapped file counts as memory of the process, and `pre_buffer` reads a whole row group.
    return parquet.ParquetFile(path, buffer_size=PAGE_BYTES, pre_buffer=False)


def _arrow_batches(path: str) -> Iterator[Any]:
    pa = pyarrow()
    with pa.memory_map(path) as file:
        if file.read(len(FILE_MAGIC)) == FILE_MAGIC:
            reader = pa.ipc.open_file(file)
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            file.seek(0)
            yield from pa.ipc.open_stream(file)


def table_schema(source: Source) -> Any:
    """The schema of a file."""
    pa = pyarrow()
    if source.kind == "parquet":
        return _parquet(source.path).schema_arrow
    with pa.memory_map(source.path) as file:
        is_file = file.read(len(FILE_MAGIC)) == FILE_MAGIC
        file.seek(0)
        return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file).schema


def _groups(source: Source) -> Iterator[tuple[int, int]]:
    """For each row group or record batch: how many rows, and how many bytes."""
    if source.kind == "parquet":
        metadata = _parquet(source.path).metadata
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            yield group.num_rows, group.total_byte_size
    else:
        for batch in _arrow_batches(source.path):
            yield batch.num_rows, batch.nbytes


def table_parts(source: Source, first: int, least: int) -> Iterator[Part]:
    """The parts of a file: runs of row groups or record batches, of `least` bytes or more. `first` is the number of the
    first part."""
    begin = row = first_row = size = 0
    count = 0
    for rows, more in _groups(source):
        count += 1
        row += rows
        size += more
        if size >= least:
            yield Part(first, source, begin, count, first_row, size)
            first, begin, first_row, size = first + 1, count, row, 0
    if count > begin or not begin:
        yield Part(first, source, begin, count, first_row, size)


def table_batches(part: Part, columns: list[str]) -> Iterator[Any]:
    """The record batches of a part, with the columns that are asked for."""
    if part.source.kind == "parquet":
        yield from map(_without_views, _parquet_batches(part, columns))
        return
    for number, batch in enumerate(_arrow_batches(part.source.path)):
        if number >= part.end:
            break
        if number >= part.begin:
            chosen = _without_views(batch.select(columns))
            for start in range(0, chosen.num_rows, MAX_ROWS):
                yield chosen.slice(start, MAX_ROWS)


def _parquet_batches(part: Part, columns: list[str]) -> Iterator[Any]:
    groups = list(range(part.begin, part.end))
    if not groups:
        return
    file = _parquet(part.source.path)
    first = next(file.iter_batches(SAMPLE_ROWS, groups, columns, use_threads=False), None)
    least = 0 if first is None else first.nbytes // max(1, first.num_rows)
    paths = [file.metadata.schema.column(number).path for number in range(file.metadata.num_columns)]
    chosen = [
        number
        for number, path in enumerate(paths)
        if any(path == name or path.startswith(f"{name}.") for name in columns)
    ]
    rows = [_batch_rows(file.metadata.row_group(number), chosen, least) for number in groups]
    for count, some in groupby(zip(rows, groups, strict=True), itemgetter(0)):
        yield from file.iter_batches(count, [number for _, number in some], columns, use_threads=False)


def _batch_rows(group: Any, columns: list[int], least: int) -> int:
    """How many rows of a row group, of which these columns are read, a batch has.

    A row is taken to have `least` bytes or more: a file tells the size of a text that is in it many times only once.
    """
    # (the numbers of a list are counted, because the same one many times takes no bytes in a file)
    size: int = sum(
        max(chunk.total_uncompressed_size, NUMBER_BYTES * chunk.num_values) for chunk in map(group.column, columns)
    )
    count: int = group.num_rows
    rows = BATCH_BYTES * count // max(1, size, least * count)
    # (a power of two, so that row groups that are much the same have the same number, and are read together)
    return 1 << max(1, min(MAX_ROWS, rows)).bit_length() - 1 if count else MAX_ROWS


def _without_views(batch: Any) -> Any:
    """A batch whose texts have types by which pyarrow can choose rows."""
    pa = pyarrow()
    wide = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if not any(kind in wide for kind in batch.schema.types):
        return batch
    arrays = [array.cast(wide.get(array.type, array.type)) for array in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)
