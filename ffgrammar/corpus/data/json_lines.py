"""JSONL: a JSON object on each line, in plain, gzip or zstd files.

A block of lines is read by pyarrow, which makes columns of it at once. If anything in a block is not as expected, each
of its lines is read by Python's `json`, which says what is wrong with it. Both give the same columns for the same
lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

from ffgrammar.corpus.base.arrow import IDS, TEXT, pyarrow
from ffgrammar.corpus.data.part import Part, Source
from ffgrammar.corpus.jobs.job import READ_ERROR

__all__ = ["first_keys", "line_batches", "line_parts"]

BLOCK = 8 << 20
# The bytes at the beginning of a file in which columns are looked for before a run.
SAMPLE = 64 << 10
# A longer line is a row with an error.
MAX_LINE = 64 << 20

LINE = re.compile(rb"^[ \t]*\{.*\}[ \t\r]*$", re.MULTILINE)
# What some editors write at the beginning of a file.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# What stands in the place of a line that is too long.
TOO_LONG = b"\x00too long\n"


class _Bad(ValueError):
    """A line is not what it should be."""


def line_parts(source: Source, first: int, least: int) -> Iterator[Part]:
    """The parts of a file, of `least` bytes or more. `first` is the number of the first one. Parts end where lines
    do."""
    if source.compression:
        yield Part(first, source, 0, source.size, 0, source.size)
        return
    begin = at = row = first_row = 0
    with open(source.path, "rb") as file:
        while block := file.read(min(BLOCK, least)):
            last = block.rfind(b"\n")
            if last >= 0 and at + last + 1 - begin >= least:
                row += block.count(b"\n", 0, last + 1)
                yield Part(first, source, begin, at + last + 1, first_row, at + last + 1 - begin)
                first, begin, first_row = first + 1, at + last + 1, row
                row += block.count(b"\n", last + 1)
            else:
                row += block.count(b"\n")
            at += len(block)
    if at > begin or not begin:
        yield Part(first, source, begin, at, first_row, at - begin)


def first_keys(source: Source) -> dict[str, None]:
    """The keys of the objects in a file's first lines, in order. None if there is no object, or they cannot be read.

    Raises:
        ValueError: the file is one JSON document.
    """
    try:
        with pyarrow().input_stream(source.path, compression=source.compression or None) as file:
            lines = file.read(SAMPLE).removeprefix(BYTE_ORDER_MARK)
    except OSError:
        return {}  # (the run says what is wrong with the file)
    if _is_document(lines):
        raise ValueError(
            f"{source.path}: this is one JSON document, and not a JSON object on each line; jq writes it so: "
            "jq -c '.[]' for an array, jq -c . for objects over several lines"
        )
    found: dict[str, None] = {}
    for line in lines[: lines.rfind(b"\n") + 1 if len(lines) >= SAMPLE - len(BYTE_ORDER_MARK) else None].splitlines():
        with suppress(_Bad, RecursionError):
            found.update(dict.fromkeys(_object(line)))
    return found


def _is_document(begin: bytes) -> bool:
    """Whether a file that begins like this is one JSON value: an array of objects, or what goes on after the first
    line."""
    first, *rest = [line.strip() for line in begin.strip().split(b"\n")]
    if first == b"{":
        return bool(rest) and rest[0].startswith(b'"')
    if first == b"[":
        return bool(rest) and (not rest[0].endswith(b"}") or rest[-1] == b"]")
    # (a whole array may be one bad row of several)
    return first.startswith(b"[") and first[1:].lstrip().startswith(b"{") and not (rest and first.endswith(b"]"))


def line_batches(part: Part, columns: dict[str, str | None]) -> Iterator[Any]:
    """The record batches of a part, with the columns that are asked for. Columns that are neither text nor token ids
    are texts: the value, if it is a string, or its JSON."""
    reader = _Reader(columns)
    begun = part.begin > 0
    for block in _blocks(part):
        lines = block if begun else block.removeprefix(BYTE_ORDER_MARK)
        if lines:
            yield reader.batch(lines)
        begun = True


def _blocks(part: Part) -> Iterator[bytes]:
    """Whole lines, at most about BLOCK bytes at a time."""
    source = part.source
    if source.compression:
        # (buffered by pyarrow; a file of several streams, one after another, is read to its end)
        with pyarrow().input_stream(source.path, compression=source.compression) as file:
            yield from _whole_lines(iter(lambda: file.read(BLOCK), b""))
    else:
        with open(source.path, "rb") as file:
            file.seek(part.begin)
            yield from _whole_lines(_read_up_to(file, part.end - part.begin))


def _read_up_to(file: Any, count: int) -> Iterator[bytes]:
    while count and (block := file.read(min(BLOCK, count))):
        count -= len(block)
        yield block


def _whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    kept: list[bytes] = []  # the beginning of a line
    size = 0
    too_long = False
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if cut:
            first = block.find(b"\n") + 1
            too_long |= size + first - 1 > MAX_LINE
            begun = TOO_LONG if too_long else b"".join([*kept, block[:first]])
            yield begun + block[first:cut]
            kept, size, too_long = [block[cut:]], len(block) - cut, False
        elif not too_long:
            kept.append(block)
            size += len(block)
            if size > MAX_LINE:
                kept, too_long = [], True
    rest = TOO_LONG if too_long else b"".join(kept)
    if rest:
        yield rest


class _Reader:
    """Makes record batches of lines.

    Args:
        columns: as for `Job.columns`.
    """

    def __init__(self, columns: dict[str, str | None]) -> None:
        pa = pyarrow()
        self._pa = pa
        self._columns = columns
        ids = pa.list_(pa.int64())
        self._types = {name: ids if kind == IDS else pa.string() for name, kind in columns.items()}

    def batch(self, lines: bytes) -> Any:
        """The record batch of whole lines."""
        found = self._fast(lines)
        return self._slow(lines) if found is None else found

    def _fast(self, lines: bytes) -> Any:
        """The batch, or None if anything is unusual.

        Each line begins with { and ends with }. So no value of JSON can go on from one line to the next, and if there
        are as many values as lines, each line is one value.
        """
        pa = self._pa
        count = lines.count(b"\n") + (not lines.endswith(b"\n"))
        if len(LINE.findall(lines)) != count:
            return None
        try:
            lines.decode()  # (pyarrow does not look at columns that are not asked for)
            types = {name: self._guessed(name, lines) for name in self._columns}
            table = self._read(lines, types)
        except (pa.ArrowException, UnicodeDecodeError, _Bad):
            return None
        if table.num_rows != count:
            return None
        arrays = []
        for name, kind in self._types.items():
            column = table.column(name).combine_chunks()
            arrays.append(column if column.type == kind else column.cast(kind))
        batch = pa.RecordBatch.from_arrays(arrays, list(self._types))
        try:
            batch.validate(full=True)
        except pa.ArrowException:
            return None  # (it is not UTF-8)
        return self._with_errors(batch, [None] * count)

    def _guessed(self, name: str, lines: bytes) -> Any:
        """The type of a column: an integer, if it is one in the first line and may be anything."""
        if self._columns[name] is None:
            first = lines[: lines.find(b"\n") % (len(lines) + 1)]
            try:
                value = _object(first).get(name)
                if isinstance(value, int) and not isinstance(value, bool):
                    return self._pa.int64()
            except RecursionError:
                with suppress(self._pa.ArrowException):
                    self._read(first, {name: self._pa.int64()})
                    return self._pa.int64()
        return self._types[name]

    def _read(self, lines: bytes, types: dict[str, Any]) -> Any:
        from pyarrow import json as arrow_json

        return arrow_json.read_json(
            self._pa.BufferReader(lines),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=self._pa.schema(list(types.items())), unexpected_field_behavior="ignore"
            ),
        )

    def _slow(self, lines: bytes) -> Any:
        rows: dict[str, list[Any]] = {name: [] for name in self._columns}
        errors: list[str | None] = []
        for line in lines.removesuffix(b"\n").split(b"\n"):
            error = None
            values: dict[str, Any] = {}
            try:
                found = _object(line)
                values = {name: _value(found.get(name), name, kind) for name, kind in self._columns.items()}
            except RecursionError:
                # (pyarrow can read what is nested deeply, where it stands in no column that is asked for)
                one = self._fast(line)
                if one is None:
                    error = "the line is nested too deeply"
                else:
                    values = one.to_pylist()[0]
            except _Bad as bad:
                error = str(bad)
            errors.append(error)
            for name, column in rows.items():
                column.append(values.get(name))
        arrays = [self._pa.array(rows[name], type=kind) for name, kind in self._types.items()]
        return self._with_errors(self._pa.RecordBatch.from_arrays(arrays, list(self._types)), errors)

    def _with_errors(self, batch: Any, errors: list[str | None]) -> Any:
        return batch.append_column(READ_ERROR, self._pa.array(errors, type=self._pa.string()))


def _object(line: bytes) -> dict[str, Any]:
    """The object of a line. Raises _Bad, and RecursionError if it is nested too deeply for Python."""
    if line == TOO_LONG[:-1]:
        raise _Bad(f"the line is longer than {MAX_LINE >> 20} MiB")
    try:
        value = json.loads(line.decode("utf-8"), parse_int=_integer)
    except UnicodeDecodeError as error:
        raise _Bad(f"the line is not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise _Bad(f"the line is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise _Bad("the line is not a JSON object")
    return value


def _integer(digits: str) -> int | Decimal:
    """An integer; one that is longer than Python reads is no reason to refuse its line."""
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)


def _value(value: Any, name: str, kind: str | None) -> Any:
    """A value as a column holds it."""
    if value is None:
        return None
    if kind == IDS:
        fits = isinstance(value, list) and all(
            type(one) is int and -(1 << 63) <= one < 1 << 63 for one in value if one is not None
        )
        if not fits:
            raise _Bad(f"{name} is not a list of token ids")
        return value
    if not isinstance(value, str):
        if kind == TEXT:
            raise _Bad(f"{name} is not a text")
        try:
            return json.dumps(value, ensure_ascii=False)
        except TypeError:
            raise _Bad(f"{name} has a number of too many digits") from None
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Bad(f"{name} has a lone surrogate, so it is not a text") from None
    return value
