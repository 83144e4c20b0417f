"""Stops of free texts that are too long are refused before they are read.

The lexer has a state for each byte of a stop. If a stop repeats itself, as `aaaa` does, it may also begin inside
itself, and each state follows all stops that have begun. So the work grows with the square of such a stop's length.
"""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits

__all__ = ["check_stops"]

# How many beginnings of stops may be followed for each step of `Limits.emptiness_steps`. With the default limits, a
# stop may be 1,999 times `a`, and compiling takes a third of a second.
BEGINNINGS_A_STEP = 20
# How many bytes a stop may have for each of `Limits.dfa_states`. States are made when they are needed, so there may be
# more bytes than states. With the default limits, a stop of 16,000 random bytes compiles in less than a second.
BYTES_A_STATE = 4


def check_stops(stops: Iterable[bytes], limits: Limits) -> None:
    """Check the stops of free texts.

    Raises:
        LimitError: a stop is too long.
    """
    for stop in stops:
        if len(stop) > BYTES_A_STATE * limits.dfa_states:
            raise LimitError("dfa_states", limits.dfa_states, f"a text has a stop of {len(stop)} bytes")
        if _beginnings(stop) > BEGINNINGS_A_STEP * limits.emptiness_steps:
            detail = (
                f"a text has a stop of {len(stop)} bytes that repeats itself, so each of its bytes may begin it anew, "
                "and the work grows with the square of its length; a shorter stop is read in fewer steps"
            )
            raise LimitError("emptiness_steps", limits.emptiness_steps, detail)


def _beginnings(stop: bytes) -> int:
    """How many stops have begun at each byte of a stop, all together (Knuth, Morris, Pratt 1977)."""
    border = [0] * len(stop)
    begun = [1] * len(stop)
    at = 0
    for number in range(1, len(stop)):
        while at and stop[at] != stop[number]:
            at = border[at - 1]
        if stop[at] == stop[number]:
            at += 1
            begun[number] += begun[at - 1]
        border[number] = at
    return sum(begun)
