"""Which tokens a model runs: each token of a tree of sequences once."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar.core.prefixes import common_size
from ffgrammar.lm.adapters.log_softmax import log_softmax
from ffgrammar.lm.adapters.paths import find_paths, with_start


def beginnings(sequences: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    return {one[:size] for one in sequences for size in range(1, len(one) + 1)}


def test_the_example_of_the_docstring() -> None:
    found = find_paths([(5,), (5, 6), (5, 7, 8)])
    assert [(path.tokens, path.questions) for path in found] == [((5, 6), {1: [0], 2: [1]}), ((5, 7, 8), {3: [2]})]


@pytest.mark.parametrize("seed", range(300))
def test_every_question_is_answered_and_every_token_runs_once(seed: int) -> None:
    random = Random(seed)

    def draw() -> tuple[int, ...]:
        return tuple(random.randrange(3) for _ in range(random.randint(1, 6)))

    sequences = [draw() for _ in range(random.randint(1, 12))]
    known = list(draw()) if random.random() < 0.7 else []
    answered: dict[int, tuple[int, ...]] = {}
    cache = list(known)
    ran = again = 0
    for path in find_paths(sequences, known):
        assert list(path.questions) == sorted(path.questions)
        assert list(path.questions)[-1] == len(path.tokens)
        kept = path.reusable(cache)
        assert kept == 0 or list(path.tokens[:kept]) == cache[:kept]
        # A token that is known runs again only if the first answer of the path comes at it or before it.
        again += common_size(path.tokens, cache) - kept
        ran += len(path.tokens) - kept
        cache = list(path.tokens)
        for size, indices in path.questions.items():
            assert size > kept
            for index in indices:
                assert index not in answered
                answered[index] = path.tokens[:size]
    assert [answered[index] for index in range(len(sequences))] == sequences
    new = [one for one in beginnings(sequences) if one != tuple(known[: len(one)])]
    assert ran == len(new) + again
    # (only the path that begins as the known tokens do can have an answer among them)
    among = [len(one) for one in sequences if common_size(one, known) == len(one)]
    common = max((common_size(one, known) for one in sequences), default=0)
    assert again <= (common - min(among) + 1 if among else 0)


def test_no_sequences_have_no_paths() -> None:
    assert find_paths([]) == []


def test_a_sequence_without_tokens_and_one_that_is_too_long_are_refused() -> None:
    assert with_start((1,), [[], [2]], 2) == [(1,), (1, 2)]
    with pytest.raises(ff.MatcherError, match="no token that begins a text"):
        with_start((), [[1], []], None)
    with pytest.raises(ff.MatcherError, match="sequence 0 has 3 tokens, but the model can read only 2"):
        with_start((1,), [[1, 2]], 2)


def test_log_softmax_of_very_different_logits() -> None:
    rows = log_softmax(np.array([[0.0, 0.0], [1e4, 0.0], [-1e4, -np.inf]], dtype=np.float32))
    assert rows.dtype == np.float64
    assert rows.tolist() == [[-np.log(2), -np.log(2)], [0.0, -1e4], [0.0, -np.inf]]
