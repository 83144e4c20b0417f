"""What an encoder says of itself, so that whole columns can be encoded without Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ffgrammar.tokens.bpe.pretoken_encoder import PretokenEncoder

__all__ = ["NativeReach"]


class NativeReach(NamedTuple):
    """A native encoder, and the texts for which it gives what `Tokenizer.encode` gives.

    Attributes:
        encoder: the encoder.
        ascii: whether it may be asked about all ASCII texts.
        unicode: whether it may be asked about all UTF-8 texts.
        any_bytes: whether it may be asked about bytes that are not UTF-8.
    """

    encoder: PretokenEncoder
    ascii: bool
    unicode: bool
    any_bytes: bool
