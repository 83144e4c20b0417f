"""Forced bytes by asking for the next bytes again and again, and what forced tokens must be a prefix of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from oracle.cfg import Recogniser, State

__all__ = ["common_tokens", "forced_bytes", "forced_mismatches"]


def forced_bytes(recogniser: Recogniser, state: State, limit: int = 1000) -> bytes:
    """The bytes that every sentence continues with from a state; at most `limit`."""
    forced = bytearray()
    now: State | None = state
    while now is not None and len(forced) < limit and not recogniser.is_sentence(now):
        following = recogniser.bytes_after(now)
        if len(following) != 1:
            break
        byte = following.pop()
        forced.append(byte)
        now = recogniser.step(now, byte)
    return bytes(forced)


def common_tokens(
    sentences: Iterable[str], encode: Callable[[str], list[int]], done: Sequence[int]
) -> list[int] | None:
    """The longest token sequence with which all canonical sentences that begin with `done` go on; None without any."""
    rest = [tokens[len(done) :] for tokens in map(encode, sentences) if tokens[: len(done)] == list(done)]
    if not rest:
        return None
    first, last = min(rest), max(rest)
    equal = 0
    while equal < min(len(first), len(last)) and first[equal] == last[equal]:
        equal += 1
    return first[:equal]


def forced_mismatches(matcher: Any, tokens: Sequence[int]) -> list[str] | None:
    """Walks a canonical sentence and asks for the forced tokens at each position: what is forced must be what comes.

    None if the tokens are not accepted: then they are no sentence, and say nothing.
    """
    wrong = []
    for place, token in enumerate(tokens):
        forced = list(matcher.forced_tokens())
        coming = list(tokens[place : place + len(forced)])
        if forced != coming:
            wrong.append(f"token {place}: forced {forced}, canonical {coming}")
        if not matcher.accept_token(token):
            return None
    return wrong
