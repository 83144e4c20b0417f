"""The checks of canonicality along texts of the machine: `python tests/long_checks canonicality`.

The tokens of a text are canonical. So `is_canonical` must say "yes", and a tracker never "no". At some tokens the
tracker is compared with `is_canonical`. All is measured chunk by chunk, in turns. The table has, in nanoseconds a
token: encoding, `is_canonical`, and `is_canonical` if the text may go on. Then, in microseconds: what
`CanonicalityTracker.push` takes on average, what 99 of 100 calls do not exceed, and both again with a second tracker.
Averages are processor time, and those of `push` include some 0.15 us for measuring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter_ns, process_time_ns
from typing import TypeVar

import ffgrammar as ff
from long_checks.documents import ENCODING_NAMES, arguments
from long_checks.texts import MACHINE, from_machine

__all__ = ["Figures", "main", "measure"]

CHINESE = "Chinese messages"
COLUMNS = ("encode", "whole", "open", "push", "p99", "again", "p99")
COMPARED = 211  # each time that so many tokens have been pushed

Found = TypeVar("Found")


@dataclass
class Figures:
    """What was measured of one kind of text: nanoseconds in all by column, and those of each push."""

    tokens: int = 0
    wrong: int = 0
    spent: dict[str, int] = field(default_factory=dict)
    first: list[int] = field(default_factory=list)
    again: list[int] = field(default_factory=list)

    def timed(self, column: str, call: Callable[[], Found]) -> Found:
        """Add the time of a call to a column. Returns what it returned."""
        start = process_time_ns()
        found = call()
        self.spent[column] = self.spent.get(column, 0) + process_time_ns() - start
        return found

    def line(self, name: str) -> str:
        """The figures as a line of the table."""
        average = {column: spent / self.tokens for column, spent in self.spent.items()}
        line = "".join(f"{average[column]:8.1f}" for column in COLUMNS[:3])
        for column, each in (("push", self.first), ("again", self.again)):
            line += f"{average[column] / 1e3:8.2f}{sorted(each)[len(each) * 99 // 100] / 1e3:8.1f}"
        return f"{name:20s}{self.tokens:10,}{line}"


def chunks_of(kind: str) -> Iterator[str]:
    """The chunks of a kind of text."""
    for text in from_machine("messages" if kind == CHINESE else kind):
        if kind != CHINESE or sum("\u4e00" <= letter <= "\u9fff" for letter in text) > len(text) / 3:
            yield text


def push_all(tok: ff.Tokenizer, ids: list[int], spent: list[int]) -> list[str]:
    """The verdicts after each token of a text. Adds the time of each push."""
    tracker = ff.CanonicalityTracker(tok)
    verdicts = []
    for token in ids:
        start = perf_counter_ns()
        verdicts.append(tracker.push(token))
        spent.append(perf_counter_ns() - start)
    return verdicts


def measure(tok: ff.Tokenizer, text: str, figures: Figures) -> None:
    """Add what a chunk takes, and how many verdicts are wrong."""
    ids = figures.timed("encode", lambda: tok.encode(text))
    whole = figures.timed("whole", lambda: ff.is_canonical(tok, ids))
    part = figures.timed("open", lambda: ff.is_canonical(tok, ids, complete=False))
    verdicts = figures.timed("push", lambda: push_all(tok, ids, figures.first))
    again = figures.timed("again", lambda: push_all(tok, ids, figures.again))
    figures.tokens += len(ids)
    figures.wrong += (whole.verdict != "yes") + (part.verdict == "no") + verdicts.count("no") + (again != verdicts)
    for count in range(COMPARED, len(ids), COMPARED):
        report = ff.is_canonical(tok, ids[:count], complete=False)
        figures.wrong += report.verdict != verdicts[count - 1]


def main() -> int:
    """The script; the exit status is 1 if a verdict is wrong."""
    parser = arguments("canonicality", __doc__, encodings=True)
    parser.add_argument("--chunks", type=int, default=60, help="of 12,000 characters, of each kind of text (60)")
    options = parser.parse_args()
    wrong = 0
    for name in options.encoding or ENCODING_NAMES:
        tok = ff.Tokenizer.from_tiktoken(name)
        tok.rules("canonicality")
        print(f"{name:20s}{'tokens':>10s}" + "".join(f"{column:>8s}" for column in COLUMNS))
        for kind in (*MACHINE, CHINESE):
            figures = Figures()
            for text in islice(chunks_of(kind), options.chunks):
                measure(tok, text, figures)
            if figures.tokens:
                print(figures.line(kind), flush=True)
            wrong += figures.wrong
    print(f"wrong verdicts: {wrong}")
    return 1 if wrong else 0
