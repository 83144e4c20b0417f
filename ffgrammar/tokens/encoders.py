"""Encoders that are someone else's: a caller's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ffgrammar.core.errors import TokenizerError

__all__ = ["CallableEncoder"]


class CallableEncoder:
    """A function from bytes to ids. Where its pieces end is not known."""

    def __init__(self, function: Callable[[bytes], Iterable[int]]) -> None:
        if not callable(function):
            raise TokenizerError(f"encode must be callable, not {type(function).__name__}")
        self._function = function

    def encode(self, data: str | bytes) -> list[int]:
        text = data.encode() if isinstance(data, str) else data
        try:
            return [int(token) for token in self._function(text)]
        except TokenizerError:
            raise
        except Exception as error:
            raise TokenizerError(f"the encode function failed: {type(error).__name__}: {error}") from error

    def piece_ends(self, data: bytes) -> list[int] | None:
        return None
