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
        found = []
        for key, before in list(self._known.items()):
            if not _goes_on(before, now.get(key)):
                found.append(self._event("withdrawn", key, before[0]))
                del self._known[key]
        for key, (data, closed) in now.items():
            known, was_closed = self._known.get(key, (None, False))
            if known is None:
                found.append(self._event("opened", key, b""))
            if data != (known or b""):
                found.append(self._event("grew", key, data))
            if closed and not was_closed:
                found.append(self._event("closed", key, data))
        self._known = now
        return found

    def _event(
        self, kind: Literal["opened", "grew", "closed", "withdrawn"], key: tuple[str, int], data: bytes
    ) -> Event:
        return Event(kind, self._names[key[0]], data.decode("utf-8", "replace"))


def _goes_on(before: tuple[bytes, bool], now: tuple[bytes, bool] | None) -> bool:
    """Whether a capture, its text so far and whether it is closed, may have become another one by text that came."""
    return now is not None and (now == before if before[1] else now[0].startswith(before[0]))
