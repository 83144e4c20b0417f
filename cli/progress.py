"""How far a long stream has come: a line on stderr, at a terminal only."""

from __future__ import annotations

import os
import sys
from time import monotonic
from types import TracebackType

from .show import counted

__all__ = ["Bar", "Progress"]

# Seconds before the first line, and between two lines.
DELAY = 1.0
INTERVAL = 0.25
BAR_WIDTH = 20


class Progress:
    """Counts what is done. After the first second it shows the count and the rate.

    Nothing is shown if stderr is no terminal, or if stdout is one, too: then the answers themselves show the progress.
    The line is erased with blanks and not with escape sequences, which simple terminals do not know.

        with Progress("line") as progress:
            for line in lines:
                ...
                progress.step()
    """

    def __init__(self, thing: str) -> None:
        self._thing = thing
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
            self._write(f"ffgrammar: {counted(self._count, self._thing)}, {rate:,.0f} a second")

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)


def _nothing() -> None:
    pass


class Bar(Progress):
    """How much of a known amount is done: a share, the rate, and the time that is left."""

    def __init__(self) -> None:
        super().__init__("")
        self._shows = self.step is not _nothing

    def __enter__(self) -> Bar:
        return self

    def show(self, done: int, total: int, earlier: int, rows: int) -> None:
        """Show the line.

        Args:
            done, total: bytes.
            earlier: bytes that were done before this process began; the rate is without them.
            rows: how many rows were read.
        """
        now = monotonic()
        if not self._shows or now < self._next:
            return
        self._next = now + INTERVAL
        rate = (done - earlier) / (now - self._start)
        left = _clock((total - done) / rate) if rate else "?"
        share = done / total if total else 1
        filled = "=" * int(BAR_WIDTH * share)
        read = counted(rows, "row")
        self._write(f"ffgrammar: [{filled:{BAR_WIDTH}}] {share:4.0%}, {read}, {rate / 1e6:,.1f} MB/s, {left} left")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
