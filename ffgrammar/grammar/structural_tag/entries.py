"""Values of a structural tag with their places, and the checks of their types. Each error has a JSON pointer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.pointers import escaped
from ffgrammar.grammar.json_schema.documents.text import kind_of
from ffgrammar.grammar.names import did_you_mean

__all__ = ["Entry", "texts"]


@dataclass(frozen=True)
class Entry:
    """A JSON value, and where it stands. A method that reads a value raises GrammarError if it has another type.

    Attributes:
        value: the value.
        pointer: the JSON pointer that leads to it.
    """

    value: Any
    pointer: str = ""

    @property
    def kind(self) -> Any:
        """The `type` of an object that has one, else None."""
        return self.value.get("type") if isinstance(self.value, Mapping) else None

    def error(self, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
        """An error about this value; the caller raises it."""
        return kind(message, pointer=self.pointer)

    def expected(self, what: str) -> GrammarError:
        """An error about the value's type; the caller raises it."""
        return self.error(f"{what} is expected, not {kind_of(self.value)}")

    def fields(self, what: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Entry]:
        """The members of an object. Those that are null, and may be left out, are left out.

        Args:
            what: what the object stands for.
            required: the keys that it must have.
            optional: the other keys that it may have.
        """
        if not isinstance(self.value, Mapping):
            raise self.expected("an object")
        known = [*required, *optional]
        for key in self.value:
            if key not in known:
                like = did_you_mean(key, known) if isinstance(key, str) else ""
                raise self.error(f"{what} has no key {key!r}{like or '; its keys are ' + ', '.join(known)}")
        for key in required:
            if key not in self.value:
                raise self.error(f"{what} needs the key {key!r}")
        return {key: self.member(key) for key in known if key in required or self.value.get(key) is not None}

    def member(self, key: str) -> Entry:
        """A member of an object."""
        return Entry(self.value[key], f"{self.pointer}/{escaped(str(key))}")

    def items(self, what: str) -> list[Entry]:
        """The items of an array, at least one. `what` says in words what they are."""
        if not isinstance(self.value, (list, tuple)):
            raise self.expected(f"an array of {what}")
        if not self.value:
            raise self.error(f"at least one is needed in an array of {what}")
        return [Entry(value, f"{self.pointer}/{number}") for number, value in enumerate(self.value)]

    def text(self, empty: bool = True) -> bytes:
        """The bytes of a string."""
        if not isinstance(self.value, str):
            raise self.expected("a string")
        if not self.value and not empty:
            raise self.error("the string must not be empty")
        try:
            return self.value.encode()
        except UnicodeEncodeError:
            raise self.error("the string has half of a surrogate pair, which is not a character") from None

    def flag(self) -> bool:
        """A boolean."""
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def number(self, least: int, most: int) -> int:
        """An integer between two bounds."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.expected("an integer")
        if not least <= value <= most:
            raise self.error(f"an integer from {least} to {most} is expected, not {value}")
        return value


def texts(fields: Mapping[str, Entry], key: str) -> tuple[bytes, ...]:
    """The strings of an array that may be left out, or be empty."""
    if key not in fields or fields[key].value == []:
        return ()
    return tuple(one.text(empty=False) for one in fields[key].items("strings"))
