"""Captures of compositions by plain enumeration: every reading of a text, and of these the one that counts.

It is the definition of `Matcher.captures` for compositions as a program. What a leaf reads is asked of
`oracle.compositions`. All ways to give pieces of the text to parts are listed, also of texts that are not finished. The
least one by its key is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ffgrammar.grammar.composition.parts import Capture, Choice, Part, Repeat, Sequence
from oracle.compositions import SPECIAL, Composition, Symbols

__all__ = ["Captured", "Readings", "TooMany"]

# The end of a part that goes on at the end of the text.
OPEN = None
# A capture: its name, and where it begins and ends, as numbers of symbols.
Captured = tuple[str, int, int | None]
# How a part reads: what it is compared by, and its captures.
Reading = tuple[Any, list[Captured]]
# In tests, every text that goes on can do so with one of these bytes, or with a special token.
BYTES = b'ab1 ["],.\x80\xa0\x90'
MAX_READINGS = 3000


class TooMany(Exception):
    """There are too many readings to list."""


class Readings:
    """All readings of a text.

    Args:
        composition: says what leaves read.
        text: the text.
        special: the ids of the special tokens.
    """

    def __init__(self, composition: Composition, text: Symbols, special: list[int]) -> None:
        self.composition = composition
        self.text = text
        self.symbols = [*BYTES, *[token + SPECIAL for token in special]]
        self.count = 0

    def best(self, ended: bool) -> list[Captured]:
        """The captures of the reading that counts; `ended` says that nothing follows the text."""
        whole = self.composition.part
        found = [] if ended else list(self.of(whole, 0, OPEN))
        found = found or list(self.of(whole, 0, len(self.text)))
        return min(found, key=lambda one: one[0])[1] if found and self.text else []

    def of(self, part: Part, begin: int, end: int | None) -> Iterator[Reading]:
        """The readings of a part from one place to another, or of a part that goes on."""
        for found in self.find(part, begin, end):
            self.count += 1
            if self.count > MAX_READINGS:
                raise TooMany
            yield found

    def find(self, part: Part, begin: int, end: int | None) -> Iterator[Reading]:
        if isinstance(part, Capture):
            for key, inner in self.of(part.part, begin, end):
                # (a part that reads nothing is no capture)
                yield key, [(part.name, begin, end), *inner] if end != begin else inner
        elif isinstance(part, Choice):
            for number, one in enumerate(part.parts):
                for key, inner in self.of(one, begin, end):
                    yield (number, key), inner
        elif isinstance(part, Sequence):
            yield from self.in_turn(part.parts, begin, end)
        elif isinstance(part, Repeat):
            rounds = len(self.text) - begin + 1
            least = 0 if self.is_nullable(part.part) else part.least
            most = rounds if part.most is None else min(rounds, part.most)
            for count in range(least, max(least, most) + 1):
                # (of the rounds that are still to come, one is enough to see that the text can go on)
                yield from self.in_turn((part.part,) * count, begin, end, rounds=True)
        elif end is OPEN:
            rest = self.text[begin:]
            if rest and any(self.composition.ends(part, (*rest, symbol))[1] for symbol in self.symbols):
                yield (), []
        elif end - begin in self.composition.ends(part, self.text[begin:end])[0]:
            yield (), []

    def in_turn(
        self, parts: tuple[Part, ...], at: int, end: int | None, rounds: bool = False, begin: int | None = None
    ) -> Iterator[Reading]:
        """The readings of parts, one after another; rounds read something."""
        begin = at if begin is None else begin
        if not parts:
            if at == end:
                yield ((), ()), []
            return
        if end is OPEN:
            for key, inner in self.of(parts[0], at, OPEN):
                yield (((0, 0),), (key,)), inner
            if at == len(self.text) > begin and any(self.reads(one) for one in parts):
                yield (((2, 0),), ()), []
        for middle in range(at + rounds, (len(self.text) if end is None else end) + 1):
            place = (1, -middle) if middle > at else (3, 0)
            for key, inner in self.of(parts[0], at, middle):
                for (places, keys), more in self.in_turn(parts[1:], middle, end, rounds, begin):
                    yield ((place, *places), (key, *keys)), inner + more

    def is_nullable(self, part: Part) -> bool:
        return 0 in self.composition.ends(part, ())[0]

    def reads(self, part: Part) -> bool:
        """Whether a part has a text that is not empty."""
        return any(self.composition.ends(part, (symbol,))[1] for symbol in self.symbols)
