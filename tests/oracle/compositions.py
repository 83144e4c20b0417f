"""Compositions as they are defined: a text belongs to a sequence if it can be cut into pieces, one for each part.

What a compiled grammar accepts is asked of the grammar itself, with a matcher that begins at each place of the text.
"""

from __future__ import annotations

from collections.abc import Iterable

import ffgrammar as ff
from ffgrammar.grammar.composition.parts import (
    Capture,
    Choice,
    Literal,
    Part,
    Repeat,
    Sequence,
    SpecialToken,
    Text,
    Whole,
)

# A text is a tuple of bytes and special tokens: ints below 256, and the ids of special tokens plus SPECIAL.
SPECIAL = 1000
Symbols = tuple[int, ...]


class Composition:
    """The language of a part.

    Args:
        part: the part.
        grammars: the compiled grammars in it.
    """

    def __init__(self, part: Part, grammars: Iterable[ff.Grammar]) -> None:
        self.part = part
        self.grammars = {id(grammar._ir): grammar for grammar in grammars}
        self.known: dict[tuple[object, Symbols], tuple[frozenset[int], bool]] = {}

    def accepts(self, text: Symbols) -> bool:
        """Whether a text is a sentence."""
        return len(text) in self.ends(self.part, text)[0]

    def begins(self, text: Symbols) -> bool:
        """Whether some sentence begins with a text."""
        return self.ends(self.part, text)[1]

    def ends(self, part: Part, text: Symbols) -> tuple[frozenset[int], bool]:
        """The lengths of the beginnings of a text that are sentences of a part, and whether the text begins one."""
        key = (part, text)
        if key not in self.known:
            self.known[key] = self.find_ends(part, text)
        return self.known[key]

    def find_ends(self, part: Part, text: Symbols) -> tuple[frozenset[int], bool]:
        if isinstance(part, Sequence):
            return self.in_turn(part.parts, text)
        if isinstance(part, Capture):
            return self.ends(part.part, text)
        if isinstance(part, Choice):
            found = [self.ends(one, text) for one in part.parts]
            return frozenset().union(*[ends for ends, _ in found]), any(begins for _, begins in found)
        if isinstance(part, Repeat):
            # (a round that reads nothing may be counted as often as one likes)
            most = len(text) + 1 if part.most is None else part.most
            ends: set[int] = set()
            begins = False
            for count in range(part.least, max(part.least, min(most, part.least + len(text) + 1)) + 1):
                more, more_begins = self.in_turn((part.part,) * count, text)
                ends |= more
                begins |= more_begins
            return frozenset(ends), begins
        if isinstance(part, Literal):
            return self.one_of([tuple(part.text)], text)
        if isinstance(part, SpecialToken):
            assert not part.excluded
            return self.one_of([(token + SPECIAL,) for token in part.tokens if isinstance(token, int)], text)
        if isinstance(part, Text):
            return self.free(part, text)
        assert isinstance(part, Whole)
        return self.whole(self.grammars[id(part.grammar)], text)

    def in_turn(self, parts: tuple[Part, ...], text: Symbols) -> tuple[frozenset[int], bool]:
        places = {0}
        begins = not text
        for part in parts:
            after = set()
            for place in places:
                ends, one_begins = self.ends(part, text[place:])
                begins |= one_begins
                after |= {place + end for end in ends}
            places = after
        return frozenset(places), begins or len(text) in places

    def one_of(self, texts: list[Symbols], text: Symbols) -> tuple[frozenset[int], bool]:
        ends = frozenset(len(one) for one in texts if text[: len(one)] == one)
        return ends, any(one[: len(text)] == text for one in texts)

    def free(self, part: Text, text: Symbols) -> tuple[frozenset[int], bool]:
        count = 0
        while count < len(text) and text[count] < SPECIAL:
            count += 1
        read = bytes(text[:count])
        ends = frozenset(end for end in range(count + 1) if _is_free(read[:end], part))
        return ends, count == len(text) and _begins_free(read, part)

    def whole(self, grammar: ff.Grammar, text: Symbols) -> tuple[frozenset[int], bool]:
        matcher = grammar.matcher()
        ends = set()
        for place, symbol in enumerate(text):
            if matcher.is_accepting():
                ends.add(place)
            if symbol >= SPECIAL:
                goes_on = matcher.accept_token(symbol - SPECIAL) and not matcher.is_terminated()
            else:
                goes_on = matcher.accept_bytes(bytes([symbol])) == 1
            if not goes_on:
                return frozenset(ends), False
        if matcher.is_accepting():
            ends.add(len(text))
        return frozenset(ends), True


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_free(text: bytes, part: Text) -> bool:
    """Whether a text is one of a free text's."""
    if not _is_utf8(text) or any(one in text for one in part.stops.difference(part.until)):
        return False
    if not part.until:
        return _is_short(text, part)
    if any(one in text[:-1] for one in part.until):
        return False
    return any(text.endswith(one) and _is_short(text[: len(text) - len(one)], part) for one in part.until)


def _is_short(text: bytes, part: Text) -> bool:
    return part.most is None or len(text.decode()) <= part.most


def _begins_free(text: bytes, part: Text) -> bool:
    """Whether a text begins one of a free text's. If so, then one that goes on with at most one other character, and
    then with an end, or with what the text lacks of an end."""
    # (tests use ASCII ends only, and ASCII never completes a character)
    for rest in (b"", b"\x80", b"\x80\x80", b"\xa0\x80", b"\x80\x80\x80", b"\x90\x80\x80"):
        for more in (b"", b"~"):
            known = text + rest + more
            if not part.until and _is_free(known, part):
                return True
            if any(_is_free(known + end[cut:], part) for end in part.until for cut in range(len(end) + 1)):
                return True
    return False
