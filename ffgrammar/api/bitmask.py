"""Bitmasks as numpy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["allocate_bitmask"]


def allocate_bitmask(batch: int, vocab_size: int) -> NDArray[numpy.int32]:
    """A bitmask that allows everything: int32 [batch, ceil(vocab_size / 32)], all ones."""
    import numpy

    return numpy.full((batch, (vocab_size + 31) // 32), -1, dtype=numpy.int32)
