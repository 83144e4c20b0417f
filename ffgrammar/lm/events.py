"""What a stream tells: captures that open, grow and close."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from ffgrammar.engine.captures.capture import Capture

__all__ = ["Event", "Watcher"]


class Event(NamedTuple):
    """A capture has changed.

    Attributes:
        kind: "opened", "grew" and "closed" in this order. "withdrawn": what was opened is no capture any more, because
            later text is read in another way.
        name: the name of the hole or selection.
        text: the whole text of the capture so far; its last character may be incomplete, and then is U+FFFD.
    """

    kind: Literal["opened", "grew", "closed", "withdrawn"]
    name: str
    text: str


class Watcher:
    """Compares the captures of a text that grows with those of the last call.

    Args:
        names: the names of the holes, by capture name.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._known: dict[tuple[str, int], tuple[bytes, bool]] = {}

    def changes(self, captures: Iterable[Capture]) -> list[Event]:
        """The events since the last call."""
        now = {(one.name, one.start): (one.text, one.end is not None) for one in captures}
        found = [self._event("withdrawn", key, data) for key, (data, _) in self._known.items() if key not in now]
        for key, (data, closed) in now.items():
            before = self._known.get(key)
            if before is None:
                found.append(self._event("opened", key, b""))
            if data != (before[0] if before else b""):
                found.append(self._event("grew", key, data))
            if closed and not (before and before[1]):
                found.append(self._event("closed", key, data))
        self._known = now
        return found

    def _event(
        self, kind: Literal["opened", "grew", "closed", "withdrawn"], key: tuple[str, int], data: bytes
    ) -> Event:
        return Event(kind, self._names[key[0]], data.decode("utf-8", "replace"))
