"""Finite languages of sentences that have much in common, and the canonical masks of all their places."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import takewhile, zip_longest
from random import Random

import ffgrammar as ff

__all__ = ["allowed", "compare", "next_tokens", "some_language", "some_text"]

PARTS = [*" \n\t'Ab1!/\u4e2d\u0301\u00a0\r", "  ", "   ", "\r\n", "'s", "'ll", "//", "22", "order", "Id", "Name", "nne"]
PARTS += ["don", "word", "Xy", "the", " and", " a", "ing", "x", "er", "\u00c9", "\u65e5\u672c", '"', '":', "\u0663"]
PARTS += ["\U0001f44d", "\U0001f642"]


def some_text(random: Random, most: int) -> str:
    return "".join(random.choice(PARTS) for _ in range(random.randrange(1, most)))


def some_language(random: Random) -> list[str]:
    """Sentences that have much in common."""
    stem = some_text(random, 4)
    count = random.randrange(1, 7)
    return sorted({stem[: random.randrange(len(stem) + 1)] + some_text(random, 4) for _ in range(count)})


def next_tokens(sequences: Collection[tuple[int, ...]], begun: tuple[int, ...], eos: Iterable[int]) -> set[int]:
    """What follows some tokens in sequences that begin with them. Any of `eos` ends a sequence."""
    count = len(begun)
    found = {token for ids in sequences if ids[:count] == begun for token in ids[count : count + 1]}
    return found | set(eos) if begun in sequences else found


def allowed(matcher: ff.Matcher) -> set[int]:
    return set(matcher.allowed_token_ids().tolist())


def compare(tok: ff.Tokenizer, matcher: ff.Matcher, sequences: set[tuple[int, ...]], random: Random) -> int:
    """Compare masks and forced tokens at each place of each sequence. Returns how many places there were."""
    eos = tok.eos_token_ids
    places = {ids[:count] for ids in sequences for count in range(len(ids) + 1)}
    for begun in random.sample(sorted(places), len(places)):
        # The matcher stands at the place before: go back as far as the two places differ.
        same = 0
        ids = matcher.tokens()
        while same < min(len(ids), len(begun)) and ids[same] == begun[same]:
            same += 1
        matcher.rollback(matcher.num_steps - same)
        assert matcher.accept_tokens(begun[same:]) == len(begun) - same, (begun, same)
        expected = next_tokens(sequences, begun, eos)
        found = allowed(matcher)
        assert found == expected, ([tok.token_bytes(i) for i in begun], tok.dbg_tokens(sorted(found ^ expected)))
        assert matcher.is_accepting() == (begun in sequences)
        for token in random.sample(range(tok.vocab_size), 20):
            assert matcher.accept_token(token) == (token in expected)
            if token in expected:
                matcher.rollback(1)
        left = [ids[len(begun) :] for ids in sequences if ids[: len(begun)] == begun]
        shared = list(takewhile(lambda column: len(set(column)) == 1, zip_longest(*left)))
        forced = [column[0] for column in shared] or (expected if expected == set(eos) and len(eos) == 1 else ())
        assert tuple(matcher.forced_tokens()) == tuple(forced)
        fork = matcher.fork()
        token = random.choice(sorted(expected))
        assert fork.accept_token(token) and matcher.tokens() == list(begun)
        assert allowed(matcher) == expected
    return len(places)
