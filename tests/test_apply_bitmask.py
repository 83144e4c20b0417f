"""`apply_bitmask` against a plain loop over every bit, on random masks, and on arrays that it must refuse."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff

WORDS = [0, -1, 1, -2, 0x7FFFFFFF, -(1 << 31), 0x00FF00FF, 0x12345678]


def allowed(mask: np.ndarray[Any, Any], token: int) -> bool:
    """Whether a row of a bitmask allows a token."""
    word = token >> 5
    return word < len(mask) and bool(int(mask[word]) >> (token & 31) & 1)


def expected(scores: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The row that `apply_bitmask` makes of one row, score by score."""
    if not mask.any():
        return scores.copy()
    return np.array([score if allowed(mask, token) else -np.inf for token, score in enumerate(scores)], scores.dtype)


def random_mask(choose: random.Random, words: int) -> list[int]:
    if choose.random() < 0.1:
        return [choose.choice([0, -1])] * words
    common = choose.choice(WORDS)
    return [
        common if choose.random() < 0.6 else choose.choice([*WORDS, choose.randrange(-(1 << 31), 1 << 31)])
        for _ in range(words)
    ]


def without_lost(mask: list[int], width: int) -> list[int]:
    """A mask without tokens at or after a width, unless it allows everything."""
    if all(word == -1 for word in mask):
        return mask
    kept = [word & 0xFFFFFFFF & max((1 << max(width - 32 * k, 0)) - 1, 0) for k, word in enumerate(mask)]
    return [word - (1 << 32) if word >> 31 else word for word in kept]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_random_masks_against_every_bit(kind: str) -> None:
    choose = random.Random(kind)
    numbers = np.random.default_rng(7)
    for _ in range(300):
        batch, words = choose.randrange(1, 5), choose.randrange(1, 9)
        width = choose.randrange(1, 32 * words + 70)
        masks = np.array([without_lost(random_mask(choose, words), width) for _ in range(batch)], np.int32)
        # rows that lie apart, in either order
        memory = numbers.normal(size=(2 * batch, width + 3)).astype(kind)
        logits = memory[:: choose.choice([2, -2])][:batch, choose.randrange(3) :][:, :width]
        before = memory.copy()
        original = logits.copy()
        rows = None if choose.random() < 0.5 else [row for row in range(batch) if choose.random() < 0.7]
        ff.apply_bitmask(logits, masks, rows)
        for row in range(batch):
            is_written = rows is None or row in rows
            wanted = expected(original[row], masks[row]) if is_written else original[row]
            np.testing.assert_array_equal(logits[row], wanted)
        # nothing between the rows was written
        logits[:] = original
        np.testing.assert_array_equal(memory, before)


def test_the_mask_of_a_matcher() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    matcher = ff.compile_choice(["red", "green"], tok).matcher()
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    matcher.fill_bitmask(bitmask)
    scores = np.zeros(tok.vocab_size + 100, np.float32)
    ff.apply_bitmask(scores, bitmask)
    assert np.flatnonzero(np.isfinite(scores)).tolist() == matcher.allowed_token_ids().tolist()
    # after the end the mask is all zeros, and the scores stay
    matcher.accept_tokens([*tok.encode("red"), *tok.eos_token_ids])
    assert matcher.is_terminated()
    matcher.fill_bitmask(bitmask)
    scores[:] = 1
    ff.apply_bitmask(scores, bitmask)
    assert (scores == 1).all()


def test_not_a_number_stays_only_where_it_is_allowed() -> None:
    scores = np.full((1, 32), np.nan, np.float32)
    ff.apply_bitmask(scores, np.array([[0b101]], np.int32))
    assert np.isnan(scores[0, [0, 2]]).all()
    assert (scores[0, [1, *range(3, 32)]] == -np.inf).all()


def test_an_empty_batch_and_a_repeated_row() -> None:
    ff.apply_bitmask(np.zeros((0, 40), np.float32), ff.allocate_bitmask(0, 40))
    scores = np.zeros((2, 40), np.float32)
    ff.apply_bitmask(scores, np.array([[1, 0], [2, 0]], np.int32), iter([1, 1]))
    assert np.isfinite(scores[0]).all()
    assert np.flatnonzero(np.isfinite(scores[1])).tolist() == [1]


ONE = np.full((1, 2), 1, np.int32)
READ_ONLY = np.zeros((1, 64), np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("logits", "bitmask", "indices", "message"),
    [
        (np.zeros((2, 64), np.float32), ONE, None, "logits have 2 rows, bitmask has 1"),
        (np.zeros((1, 64), np.float32), ONE, [1], r"index 1 is not in 0..0"),
        (np.zeros((1, 64), np.float32), ONE, [-1], r"index -1 is not in 0..0"),
        (np.zeros((1, 32), np.float32), ONE, None, "row 0: the bitmask allows token 32, and logits have 32 columns"),
        (np.zeros((1, 64), np.int32), ONE, None, "must be float32, float16, bfloat16 or float64, not of the type 'i'"),
        (np.zeros((1, 64), ">f4"), ONE, None, "not of the type '>f'"),
        (np.zeros((1, 1, 64), np.float32), ONE, None, "the shape"),
        (np.float32(3), ONE, None, "must be a writable array|the shape"),
        (np.zeros((64, 2), np.float32).T[:1], ONE, None, "the last axis of logits is strided"),
        (np.zeros((1, 64), np.float32)[:, ::-1], ONE, None, "the last axis of logits is strided"),
        (np.lib.stride_tricks.as_strided(np.zeros(64, np.float32), (2, 64), (0, 4)), ONE, [0], "overlap in memory"),
        (READ_ONLY, ONE, None, "must be a writable array"),
        ([0.0] * 64, ONE, None, "must be a numpy array or a torch tensor, not list"),
        (np.zeros((1, 64), np.float32), ONE.astype(np.int64), None, "bitmask must be an int32 array"),
        (np.zeros((1, 64), np.float32), ONE[0], None, "bitmask must be an int32 array"),
    ],
)
def test_what_is_refused(logits: Any, bitmask: Any, indices: Any, message: str) -> None:
    before = np.array(logits)
    with pytest.raises(ff.MatcherError, match=message):
        ff.apply_bitmask(logits, bitmask, indices)
    np.testing.assert_array_equal(np.array(logits), before)


def test_a_row_that_would_lose_a_token_writes_nothing() -> None:
    """The check comes before the first write. A row that allows everything loses nothing."""
    logits = np.zeros((3, 33), np.float32)
    masks = np.array([[1, 0], [-1, -1], [1, 2]], np.int32)
    with pytest.raises(ff.MatcherError, match="row 2: the bitmask allows token 33"):
        ff.apply_bitmask(logits, masks)
    assert not logits.any()
    ff.apply_bitmask(logits, masks, [0, 1])
    assert np.isfinite(logits).sum(axis=1).tolist() == [1, 33, 33]


def test_a_bitmask_is_only_read() -> None:
    masks = ONE.copy()
    masks.flags.writeable = False
    logits = np.zeros((1, 64), np.float32)
    ff.apply_bitmask(logits, masks)
    assert np.flatnonzero(np.isfinite(logits)).tolist() == [0, 32]


def test_torch_is_not_imported() -> None:
    """In a process of its own: applying a bitmask to an array imports no other package."""
    code = (
        "import sys, numpy, ffgrammar as ff; ff.apply_bitmask(numpy.zeros((1, 40), 'f'), ff.allocate_bitmask(1, 40));"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_bools_are_no_rows() -> None:
    logits, bitmask = np.zeros((3, 32), np.float32), np.ones((3, 1), np.int32)
    with pytest.raises(TypeError, match="not bools"):
        ff.apply_bitmask(logits, bitmask, [False, False, True])
    assert not logits.any()
