"""Masks as whole numbers: bit t is 1 where token t may come. The page works without numpy."""

from __future__ import annotations

from itertools import compress, count, islice

from ffgrammar.engine.matcher.matcher import Matcher

__all__ = ["MaskBuffer", "flags_of", "ids_of", "mask_of"]

# The digits of a number in base 2, as flags.
FLAGS = bytes(int(one == ord("1")) for one in range(256))


class MaskBuffer:
    """Room for the mask of one matcher.

    Args:
        vocab_size: the size of the vocabulary.
    """

    def __init__(self, vocab_size: int) -> None:
        words = (vocab_size + 31) // 32
        self._data = bytearray(4 * words)
        self._rows = memoryview(self._data).cast("i", (1, words))

    def fill(self, matcher: Matcher) -> None:
        """Note the tokens that may come. Raises LimitError: a bound of the grammar was reached."""
        matcher.fill_bitmask(self._rows)

    def mask(self) -> int:
        """The mask that was noted last."""
        return int.from_bytes(self._data, "little")


def mask_of(matcher: Matcher, vocab_size: int) -> int:
    """The tokens that may come. Raises LimitError: a bound of the grammar was reached."""
    buffer = MaskBuffer(vocab_size)
    buffer.fill(matcher)
    return buffer.mask()


def flags_of(mask: int, size: int) -> bytes:
    """A byte for each of `size` tokens: 1 where it may come, else 0."""
    return f"{mask:0{size}b}".encode().translate(FLAGS)[::-1]


def ids_of(mask: int, most: int | None = None) -> list[int]:
    """The ids of the tokens of a mask, ascending; at most so many."""
    return list(islice(compress(count(), flags_of(mask, 1)), most))
