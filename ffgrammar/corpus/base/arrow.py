"""Columns of Arrow as flat arrays, and back. No value is copied where the types allow it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy

__all__ = [
    "IDS",
    "SCHEMA",
    "TEXT",
    "Column",
    "ids_column",
    "is_ids",
    "is_text",
    "plain_values",
    "pyarrow",
    "text_column",
    "utf8_column",
    "with_nulls",
]

# What a column holds.
TEXT, IDS, SCHEMA = "text", "token ids", "a schema"


class Column(NamedTuple):
    """A column as the functions of tokens/columns and engine/columns take it.

    Attributes:
        offsets: int64 array; row i is values[offsets[i]:offsets[i + 1]].
        values: bytes (uint8), or token ids (int32 or int64).
        skipped: uint8 array: 1 where the row is null.
    """

    offsets: Any
    values: Any
    skipped: Any


def pyarrow() -> Any:
    """The package pyarrow, with its module `compute`.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        raise ImportError("corpora need the package pyarrow: pip install 'ffgrammar[corpus]'") from None
    return pyarrow


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is a text, or bytes."""
    types = pyarrow().types
    if types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or kind in (pyarrow().string_view(), pyarrow().binary_view())
    )


def is_ids(kind: Any) -> bool:
    """Whether a type of Arrow is a list of integers, or a list of nothing, as of rows that are all empty."""
    types = pyarrow().types
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and (types.is_integer(kind.value_type) or types.is_null(kind.value_type)))


def _skipped(array: Any) -> Any:
    if not array.null_count:
        return numpy.zeros(len(array), dtype=numpy.uint8)
    return array.is_null().to_numpy(zero_copy_only=False).astype(numpy.uint8)


def text_column(array: Any) -> Column:
    """The texts of an array for which `is_text` holds, as UTF-8."""
    pa = pyarrow()
    types = pa.types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.type in (pa.string_view(), pa.binary_view()):
        array = array.cast(pa.large_binary())
    wide = types.is_large_string(array.type) or types.is_large_binary(array.type)
    _, offsets, data = array.buffers()
    values = numpy.zeros(0, dtype=numpy.uint8) if data is None else numpy.frombuffer(data, dtype=numpy.uint8)
    return Column(_offsets(array, offsets, wide), values, _skipped(array))


def _offsets(array: Any, buffer: Any, wide: bool) -> Any:
    """The offsets of an array, which may be a slice, as int64."""
    if not len(array) or buffer is None:
        return numpy.zeros(len(array) + 1, dtype=numpy.int64)
    found = numpy.frombuffer(buffer, dtype=numpy.int64 if wide else numpy.int32)
    return found[array.offset : array.offset + len(array) + 1].astype(numpy.int64)


def ids_column(array: Any) -> Column:
    """The token ids of an array for which `is_ids` holds. A row in which an id is null has the id -1 there."""
    pa = pyarrow()
    types = pa.types
    skipped = _skipped(array)
    if types.is_fixed_size_list(array.type):
        array = array.cast(pa.large_list(array.type.value_type))
    offsets = _offsets(array, array.buffers()[1], types.is_large_list(array.type))
    values = array.values
    if types.is_uint64(values.type):
        # (what does not fit is out of range anyhow)
        most = pa.scalar(numpy.iinfo(numpy.int64).max, pa.uint64())
        values = pa.compute.min_element_wise(values, most, skip_nulls=False)
    if values.null_count:
        values = values.cast(pa.int64()).fill_null(-1)
    numbers = values.to_numpy(zero_copy_only=False)
    if numbers.dtype != numpy.int32:
        numbers = numbers.astype(numpy.int64, copy=False)
    return Column(offsets, numbers, skipped)


def utf8_column(column: Any) -> Any:
    """A column as texts, whatever its type is. Bytes that are not UTF-8 are escaped."""
    pa = pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if is_text(column.type):
        column = column.cast(pa.large_binary())  # (a file's text need not be UTF-8, and the way back finds that out)
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        texts = [None if one is None else _as_text(one) for one in plain_values(column)]
        return pa.array(texts, type=pa.string())


def plain_values(array: Any) -> list[Any]:
    """The values of an array as Python's. A value that Python cannot hold is a text: a text that is not UTF-8, a date
    after the year 9999, a time in a zone that is not known."""
    try:
        return list(array.to_pylist())
    except (ArithmeticError, ValueError, pyarrow().ArrowException):
        return [_plain_value(array, row) for row in range(len(array))]


def _plain_value(array: Any, row: int) -> Any:
    pa = pyarrow()
    with suppress(ArithmeticError, ValueError, pa.ArrowException):
        return array[row].as_py()
    one = array.slice(row, 1)
    with suppress(ArithmeticError, ValueError, pa.ArrowException):
        if is_text(one.type):
            one = (one.dictionary_decode() if pa.types.is_dictionary(one.type) else one).cast(pa.large_binary())
            return _as_text(one[0].as_py())
        if pa.types.is_timestamp(one.type):
            one = one.cast(pa.timestamp(one.type.unit))  # (without its zone)
        return one.cast(pa.string())[0].as_py()
    return f"a value of type {array.type}"


def _as_text(value: Any) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def with_nulls(values: Any, known: Any, kind: Any) -> Any:
    """An array of a type, null where `known` is not set."""
    return pyarrow().array(values, type=kind, mask=~numpy.asarray(known, dtype=bool))
