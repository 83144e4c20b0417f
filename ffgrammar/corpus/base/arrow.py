"""Columns of Arrow as flat arrays, and back. No value is copied where the types allow it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

__all__ = ["IDS", "SCHEMA", "TEXT", "Column", "ids_column", "is_ids", "is_text", "pyarrow", "text_column", "with_nulls"]

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
    """Whether a type of Arrow is a list of integers."""
    types = pyarrow().types
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and types.is_integer(kind.value_type))


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
    if values.null_count:
        values = values.cast(pa.int64()).fill_null(-1)
    if types.is_uint64(values.type):
        # (what does not fit is out of range anyhow)
        numbers = numpy.minimum(values.to_numpy(zero_copy_only=False), numpy.iinfo(numpy.int64).max).astype(numpy.int64)
    else:
        numbers = values.to_numpy(zero_copy_only=False)
    if numbers.dtype != numpy.int32:
        numbers = numbers.astype(numpy.int64, copy=False)
    return Column(offsets, numbers, skipped)


def with_nulls(values: Any, known: Any, kind: Any) -> Any:
    """An array of a type, null where `known` is not set."""
    return pyarrow().array(values, type=kind, mask=~numpy.asarray(known, dtype=bool))
