"""A way from a place in a text to the end of a sentence, byte by byte."""

from __future__ import annotations

from ffgrammar.engine.matcher.matcher import Matcher

__all__ = ["Steering", "next_bytes"]


class Steering:
    """Chooses bytes that lead to an end: each time the byte after which `Matcher.distance` is least.

    Masks are exact, so a choice is a dead end only where compiling warned of one. But the distance is an estimate, and
    to follow the distance alone could lead in circles. So a byte becomes more costly each time it is chosen at the same
    distance and among the same bytes. In the end every byte is tried.
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[int, bytes, int], int] = {}

    def choose(self, matcher: Matcher, allowed: bytes) -> int:
        """The byte to take."""
        best, least = allowed[0], float("inf")
        here = matcher.distance()
        for byte in allowed:
            matcher.accept_bytes(bytes((byte,)))
            cost = matcher.distance() + self._taken.get((here, allowed, byte), 0) / 4
            matcher.rollback(1)
            # Of equally good bytes, a letter or a digit looks best.
            if cost < least or (cost == least and _is_plain(byte) and not _is_plain(best)):
                best, least = byte, cost
        self._taken[here, allowed, best] = self._taken.get((here, allowed, best), 0) + 1
        return best


def next_bytes(matcher: Matcher) -> bytes:
    """The bytes that may come next. Each is tried, because the matcher's masks are about tokens."""
    found = bytearray()
    for value in range(256):
        if matcher.accept_bytes(bytes((value,))):
            found.append(value)
            matcher.rollback(1)
    return bytes(found)


def _is_plain(byte: int) -> bool:
    return byte < 128 and chr(byte).isalnum()
