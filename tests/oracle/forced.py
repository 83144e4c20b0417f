"""Forced bytes, found byte by byte on the slow recogniser, and what forced tokens must be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from ffgrammar.api.steering import Steering, next_bytes
from oracle.cfg import Recogniser, State

__all__ = ["Longest", "common_tokens", "forced_bytes", "forced_mismatches", "longest"]

# After a run, at most MAX_TOKENS tokens are tried, each EACH times. If they are few, each is tried more often, which
# makes about ALL times together.
MAX_TOKENS = 300
EACH = 4
ALL = 400


def forced_bytes(recogniser: Recogniser, state: State, limit: int = 1000) -> bytes:
    """The bytes with which every sentence continues from a state; at most `limit` of them."""
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
    """Of the sentences whose canonical tokens begin with `done`: the longest sequence of tokens with which all go on.

    None if there is no such sentence.
    """
    rest = [tokens[len(done) :] for tokens in map(encode, sentences) if tokens[: len(done)] == list(done)]
    if not rest:
        return None
    first, last = min(rest), max(rest)
    equal = 0
    while equal < min(len(first), len(last)) and first[equal] == last[equal]:
        equal += 1
    return first[:equal]


def forced_mismatches(matcher: Any, tokens: Sequence[int]) -> list[str] | None:
    """Walk a canonical sentence and ask for the forced tokens at each position: they must be those that come next.

    Returns a message for each position where they are not. None if the grammar does not accept the tokens: then they
    are no sentence, and prove nothing.
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


@dataclass
class Longest:
    """The findings about a run of forced tokens.

    Attributes:
        is_shown: whether it is shown that a longer run is not forced. Two sentences show it if their canonical tokens
            begin with the run and then differ; one sentence shows it if its tokens end with the run.
        contradicts: a sentence whose canonical tokens begin with those before the run, but do not go on with the run.
    """

    is_shown: bool = False
    contradicts: bytes | None = None


def longest(
    matcher: Any,
    special: Collection[int],
    encode: Callable[[str], list[int]],
    done: Sequence[int],
    known: Sequence[int],
    random: Random,
) -> Longest:
    """Look for sentences which show that no run longer than the forced one can be forced.

    Each token that the grammar allows behind the run is tried; if there are many, only some are. Random tokens and
    bytes follow it, and then the way to an end. A sentence counts by the tokens of its whole encoding.

    Args:
        matcher: where `done` was accepted; it is not moved.
        special: the tokens that end a text.
        encode: the tokenizer.
        done: the tokens before.
        known: the canonical tokens of a sentence that begins with `done`; empty if none is known.
        random: what is tried.
    """
    found = Longest()
    text = matcher.text_bytes
    run = [*done, *(token for token in matcher.forced_tokens() if token not in special)]
    start = matcher.fork()
    if start.accept_tokens(run[len(done) :]) < len(run) - len(done):
        raise AssertionError(f"after {text!r} the grammar does not allow what is forced: {run[len(done) :]}")
    following: set[int | None] = set()

    def look(sentence: Sequence[int]) -> None:
        if list(sentence[: len(run)]) == run:
            following.add(sentence[len(run)] if len(sentence) > len(run) else None)
            found.is_shown = None in following or len(following) > 1

    if known:
        look(known)
    if start.is_accepting():
        look(encode(start.text_bytes.decode()))
    # The first ways begin behind the forced bytes, whatever tokens these have. The others begin behind the run, with
    # each token that may come there.
    behind = matcher.fork()
    behind.accept_bytes(matcher.forced_bytes())
    allowed = start.allowed_token_ids().tolist()
    if len(allowed) > MAX_TOKENS:
        allowed = random.sample(allowed, MAX_TOKENS)
    random.shuffle(allowed)
    ways: list[tuple[Any, int | None]] = [(behind, None)] * (2 * EACH)
    for token in allowed:
        if token not in following and token not in special:
            ways += [(start, token)] * max(EACH, ALL // len(allowed))
    for way, token in ways:
        # The first ways are always tried, to see whether the run is right.
        if found.contradicts or (found.is_shown and token is not None):
            break
        ahead = way.fork()
        if token is not None:
            ahead.accept_token(token)
        _wander(ahead, special, random)
        # It takes long to find an end, so some ways are given up here: those whose tokens do not begin with `done`, and
        # those whose token behind the run is also behind the run in a sentence that was found before.
        begun = encode(ahead.text_bytes.decode(errors="ignore"))
        seen = begun[: len(run)] == run and begun[len(run) : len(run) + 1] in [[one] for one in following]
        if begun[: len(done)] != list(done) or (seen and token is not None):
            continue
        sentence = _finish(ahead)
        if sentence is not None:
            tokens = encode(sentence.decode())
            if tokens[: len(done)] == list(done) and tokens[: len(run)] != run:
                found.contradicts = sentence
            look(tokens)
    return found


def _wander(matcher: Any, special: Collection[int], random: Random) -> None:
    """Move on by a few random tokens and bytes."""
    for _ in range(random.randrange(4)):
        if random.random() < 0.5:
            tokens = matcher.allowed_token_ids()
            token = int(tokens[random.randrange(len(tokens))]) if len(tokens) else None
            if token is not None and token not in special:
                matcher.accept_token(token)
        elif following := next_bytes(matcher):
            matcher.accept_bytes(bytes((random.choice(following),)))


def _finish(matcher: Any, most: int = 5000) -> bytes | None:
    """The text of the matcher, completed to a sentence by the shortest way in sight; None if it gets too long."""
    steering = Steering()
    while not matcher.is_accepting():
        if len(matcher.text_bytes) > most:
            return None
        forced = matcher.forced_bytes()
        matcher.accept_bytes(forced or bytes((steering.choose(matcher, next_bytes(matcher)),)))
    return bytes(matcher.text_bytes)
