"""A request: an object of JSON whose fields are checked when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.play.bounds import MAX_TEXT, MAX_TOKENS

__all__ = ["BadRequest", "Fields"]


class BadRequest(FFGrammarError, ValueError):
    """A request is not what the page sends."""


class Fields:
    """The fields of a request.

    Args:
        values: the object.

    Raises:
        BadRequest: it is no object. Each method raises this, too, if a field is missing, of a wrong type or too large.
    """

    def __init__(self, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise BadRequest("a request is an object")
        self._values = values

    def text(self, name: str, otherwise: str | None = None, most: int = MAX_TEXT) -> str:
        """A str of at most `most` characters. Half of a surrogate pair becomes U+FFFD, as in UTF-8 of a browser."""
        value = self._values.get(name, otherwise)
        if not isinstance(value, str):
            raise BadRequest(f"{name} must be a text")
        if len(value) > most:
            raise BadRequest(f"{name} may have {most} characters, and has {len(value)}")
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of some texts."""
        value = self.text(name)
        if value not in choices:
            raise BadRequest(f"{name} must be one of {', '.join(choices)}")
        return value

    def number(self, name: str, low: int, high: int, otherwise: int | None = None) -> int:
        """An int in a range."""
        value = self._values.get(name, otherwise)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadRequest(f"{name} must be a whole number from {low} to {high}")
        return value

    def real(self, name: str, low: float, high: float, otherwise: float) -> float:
        """A float in a range."""
        value = self._values.get(name, otherwise)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not low <= value <= high:
            raise BadRequest(f"{name} must be a number from {low} to {high}")
        return float(value)

    def flag(self, name: str) -> bool:
        """A bool; False if it is missing."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise BadRequest(f"{name} must be true or false")
        return value

    def tokens(self, name: str, size: int) -> list[int] | None:
        """Token ids below `size`; None if the field is missing or null."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > MAX_TOKENS:
            raise BadRequest(f"{name} must be a list of at most {MAX_TOKENS} token ids")
        for one in value:
            if not isinstance(one, int) or isinstance(one, bool) or not 0 <= one < size:
                raise BadRequest(f"{name}: {str(one)[:40]!r} is no token id from 0 to {size - 1}")
        return value

    def texts(self, name: str, most: int) -> list[str]:
        """At most `most` texts."""
        value = self._values.get(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value) or len(value) > most:
            raise BadRequest(f"{name} must be a list of at most {most} texts")
        return [Fields({name: one}).text(name, most=1000) for one in value]

    def data(self, name: str) -> bytes:
        """Bytes, given in hexadecimal; b"" if the field is missing."""
        value = self.text(name, "", 2000)
        try:
            return bytes.fromhex(value)
        except ValueError:
            raise BadRequest(f"{name} must be bytes in hexadecimal") from None
