"""Bitmasks as numpy arrays. The bits are written by `Matcher.fill_bitmask`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["allocate_bitmask"]


def allocate_bitmask(batch: int, vocab_size: int) -> NDArray[numpy.int32]:
    """A bitmask that allows everything: int32 [batch, ceil(vocab_size / 32)], all ones.

    Args:
        batch: how many rows, one for each matcher.
        vocab_size: `Tokenizer.vocab_size`, or the width of the model's logits where they are wider.

    Raises:
        ValueError: an argument is negative.
    """
    import numpy

    if vocab_size < 0:
        raise ValueError(f"vocab_size must not be negative, as {vocab_size} is")

    return numpy.full((batch, (vocab_size + 31) // 32), -1, dtype=numpy.int32)
