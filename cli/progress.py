"""How far a long stream has come: a line on stderr, at a terminal only."""

from __future__ import annotations

import os
import sys
from time import monotonic
from types import TracebackType

__all__ = ["Progress"]

# Seconds before the first line, and between two lines.
DELAY = 1.0
INTERVAL = 0.25


class Progress:
    """Counts what is done. After the first second it shows the count and the rate.

    Nothing is shown if stderr is no terminal, or if stdout is one, too: then the answers themselves show the progress.
    The line is erased with blanks and not with escape sequences, which simple terminals do not know.

        with Progress("lines") as progress:
            for line in lines:
                ...
                progress.step()
    """

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._count = 0
        self._shown = 0
        self._start = monotonic()
        self._next = self._start + DELAY
        terminal = sys.stderr.isatty() and not sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.step = self._step if terminal else _nothing

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._write("")
            self._write("")  # brings the cursor back to the start of the empty line

    def _step(self) -> None:
        self._count += 1
        now = monotonic()
        if now >= self._next:
            self._next = now + INTERVAL
            rate = self._count / (now - self._start)
            self._write(f"ffgrammar: {self._count:,} {self._unit}, {rate:,.0f} a second")

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)


def _nothing() -> None:
    pass
