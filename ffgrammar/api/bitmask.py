"""Bitmasks as numpy arrays. The bits are written by `Matcher.fill_bitmask`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ffgrammar.core.arguments import expect

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy
    from numpy.typing import NDArray

__all__ = ["allocate_bitmask", "bitmask_of"]


def allocate_bitmask(batch: int, vocab_size: int) -> NDArray[numpy.int32]:
    """A bitmask that allows everything: int32 [batch, ceil(vocab_size / 32)], all ones.

    Args:
        batch: the number of rows, one for each matcher.
        vocab_size: `Tokenizer.vocab_size`, or the larger number of ids to which the model pads its vocabulary.

    Raises:
        TypeError: an argument is no whole number.
        ValueError: an argument is negative.
    """
    import numpy

    for name, value in (("batch", batch), ("vocab_size", vocab_size)):
        expect(name, value, (int, numpy.integer), "an int")
        if value < 0:
            raise ValueError(f"{name} must not be negative: {value}")
    return numpy.full((batch, (vocab_size + 31) // 32), -1, dtype=numpy.int32)


def bitmask_of(tokens: Iterable[int], vocab_size: int) -> NDArray[numpy.int32]:
    """A mask that allows some tokens and no others: int32 [ceil(vocab_size / 32)].

    Args:
        tokens: their ids, all below `vocab_size`.
        vocab_size: as for `allocate_bitmask`.
    """
    import numpy

    mask = numpy.zeros((vocab_size + 31) // 32, numpy.uint32)
    for token in tokens:
        mask[token >> 5] |= numpy.uint32(1 << (token & 31))
    return mask.view(numpy.int32)
