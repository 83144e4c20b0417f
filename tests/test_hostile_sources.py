"""Hostile sources: an answer or a LimitError under the bounds for strangers, and right masks of what compiled."""

from __future__ import annotations

import pytest

import ffgrammar as ff
from hostile.sources import Hostile, compiled, sources

ALL = list(sources())
LIMITS = ff.Limits.public()
# Grammars without a sentence, and what is not supported, are refused before the cost counts.
REFUSALS = (ff.LimitError, ff.GrammarError, ff.UnsupportedError)


def test_there_are_many() -> None:
    names = [one.name for one in ALL]
    assert len(names) >= 250 and len(set(names)) == len(names)


@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
def test_a_source(cl100k: ff.Tokenizer, one: Hostile) -> None:
    try:
        grammar = compiled(one, cl100k, LIMITS)
    except REFUSALS as error:
        assert str(error)
        return
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for token in cl100k.encode(one.text.decode()):
        before = matcher.text_bytes
        try:
            matcher.fill_bitmask(bitmask)
            allowed = bool(bitmask[0, token >> 5] >> (token & 31) & 1)
            assert matcher.accept_token(token) == allowed
        except ff.LimitError as error:
            # the matcher is where it was, and goes on when there is room
            assert matcher.text_bytes == before and error.limit
            return
        if not allowed:
            return
    # (a bound of a cache is soft; the hard one is a small multiple)
    assert grammar.stats()["cache_bytes"] <= 4 * LIMITS.cache_bytes
