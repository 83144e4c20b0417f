"""Answers a matcher's questions about captures."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.engine.captures.capture import Capture, CaptureEvent
from ffgrammar.engine.captures.events import changes
from ffgrammar.engine.captures.parts import PartReader
from ffgrammar.engine.captures.pointers import PointerReader
from ffgrammar.engine.captures.rules import RuleReader
from ffgrammar.engine.captures.text import Special
from ffgrammar.engine.engine import Engine

__all__ = ["CaptureReader"]


class CaptureReader:
    """The captures of one matcher.

    Args:
        engine: the engine of the matcher's grammar. The captures of a JSON Schema are values by their pointers, those
            of a composition are parts with names, and those of other grammars are rules.
    """

    def __init__(self, engine: Engine) -> None:
        self._reader: PointerReader | PartReader | RuleReader
        if engine.kind == "json-schema":
            self._reader = PointerReader()
        elif engine.outlined is not None:
            self._reader = PartReader(engine)
        else:
            self._reader = RuleReader(engine)
        # Per set of names, or None for all: what `events` reported last.
        self._reported: dict[frozenset[str] | None, list[Capture]] = {}

    def copy(self) -> CaptureReader:
        """A reader for a fork of the matcher. It has reported what this one has."""
        other = CaptureReader.__new__(CaptureReader)
        other._reader = self._reader.copy()
        other._reported = self._reported.copy()
        return other

    def captures(self, text: bytes, special: list[Special], ended: bool, names: Iterable[str] | None) -> list[Capture]:
        """The captures of some names in a text; see `Matcher.captures`."""
        return self._reader.read(text, special, ended, _named(names))

    def events(
        self, text: bytes, special: list[Special], ended: bool, names: Iterable[str] | None
    ) -> list[CaptureEvent]:
        """What has changed since the last call with the same names; see `Matcher.capture_events`."""
        key = _named(names)
        now = self._reader.read(text, special, ended, key)
        before = self._reported.get(key, [])
        self._reported[key] = now
        return changes(before, now)


def _named(names: Iterable[str] | None) -> frozenset[str] | None:
    if isinstance(names, str):
        raise TypeError("names must be a list of names, not a single str")
    return None if names is None else frozenset(names)
