"""The check that a source is not too long. The front-ends for Lark, regexes and choices make it first."""

from __future__ import annotations

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits

__all__ = ["check_source_text"]

# A code point has at most this many bytes in UTF-8.
MAX_BYTES = 4


def check_source_text(text: str, what: str, limits: Limits) -> None:
    """Check that a source is not too long.

    Args:
        text: the source.
        what: its name in messages, as in "the Lark text".
        limits: `source_bytes` bounds the length of the source in UTF-8.

    Raises:
        LimitError: it is too long.
    """
    # Encoding takes time, so only a text that may be too long is encoded to be measured.
    most = limits.source_bytes
    if len(text) * MAX_BYTES > most and len(text.encode("utf-8", "surrogatepass")) > most:
        raise LimitError("source_bytes", most, f"{what} is too long")
