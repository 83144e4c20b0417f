"""The captures of a composition: chart and choice, kept from one question to the next."""

from __future__ import annotations

from collections.abc import Set

from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.part_chart import PartChart
from ffgrammar.engine.captures.part_reading import PartReading
from ffgrammar.engine.captures.part_runs import SPECIAL_UNIT
from ffgrammar.engine.captures.text import Special, is_continued, no_such_name
from ffgrammar.engine.engine import Engine

__all__ = ["PartReader"]


class PartReader:
    """Reads the named parts of a text that grows, shrinks and changes.

    Args:
        engine: the engine of a grammar with an outline.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._chart = PartChart(engine)
        self._text = b""
        self._special: list[Special] = []
        self._offsets = [0]
        self._names = frozenset(part.value for part in self._chart.nodes if part.kind == "capture")
        # The names that were asked for last; and by part, whether it or a part inside it has one.
        self._wanted: frozenset[str] | None = None
        self._holds: list[bool] = []

    def copy(self) -> PartReader:
        """A reader for a fork of the matcher, which reads the text anew."""
        return PartReader(self._engine)

    def read(self, text: bytes, special: list[Special], ended: bool, names: Set[str] | None) -> list[Capture]:
        """The captures of parts with some names, or of all parts with a name, in the order of their starts.

        Raises:
            MatcherError: no part has a name.
            LimitError: a bound of the grammar was reached.
        """
        wanted = self._names if names is None else frozenset(names)
        unknown = sorted(wanted - self._names)
        if unknown:
            raise MatcherError(no_such_name("capture", unknown[0], self._names))
        if self._wanted != wanted:
            self._wanted = wanted
            self._holds = []
            for part in self._chart.nodes:
                self._holds.append(part.value in wanted if part.kind == "capture" else False)
                self._holds[-1] |= any(self._holds[one] for one in part.inner)
        try:
            self._advance(text, special)
            return PartReading(self._chart, self._offsets, text).captures(ended, self._holds, wanted)
        except BaseException:
            self._chart.restart()
            self._text, self._special, self._offsets = b"", [], [0]
            raise

    def _advance(self, text: bytes, special: list[Special]) -> None:
        """Bring the chart up to a text."""
        chart, offsets = self._chart, self._offsets
        if is_continued(text, special, self._text, self._special):
            units = _units(text, special, len(self._text), len(self._special))
        else:
            units = _units(text, special, 0, 0)
            keep = 0
            while keep < min(len(units), len(chart.units)) and units[keep] == chart.units[keep]:
                keep += 1
            chart.cut(keep)
            del offsets[keep + 1 :], units[:keep]
        self._text, self._special = text, special
        for unit in units:
            chart.add(unit)
            offsets.append(offsets[-1] + (unit < SPECIAL_UNIT))


def _units(text: bytes, special: list[Special], at: int, used: int) -> list[int]:
    """The units of a text after its first `at` bytes and its first `used` special tokens."""
    units: list[int] = []
    for offset, token in special[used:]:
        units += text[at:offset]
        units.append(token + SPECIAL_UNIT)
        at = offset
    return units + list(text[at:])
