"""`apply_bitmask` on torch tensors and on ml_dtypes' bfloat16: equal to the same on numpy's arrays."""

from __future__ import annotations

import random
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import ffgrammar as ff
from ffgrammar.engine.matcher.device_logits import apply_on_device

KINDS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def random_case(choose: random.Random) -> tuple[np.ndarray[Any, Any], int]:
    """A bitmask with rows of all kinds, and a width that loses none of its tokens."""
    batch, words = choose.randrange(1, 5), choose.randrange(1, 9)
    fill = [0, -1, 5, choose.randrange(-(1 << 31), 1 << 31)]
    mask = np.array([[choose.choice(fill) for _ in range(words)] for _ in range(batch)], np.int32)
    if choose.random() < 0.3:
        mask[choose.randrange(batch)] = 0
    return mask, 32 * words + choose.choice([0, 0, 1, 31, 40])


def allowed_of(mask: np.ndarray[Any, Any], width: int) -> np.ndarray[Any, Any]:
    """Which scores stay finite: bool [batch, width]."""
    finite = np.zeros((len(mask), width), np.float32)
    ff.apply_bitmask(finite, mask)
    return np.isfinite(finite)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("on_device", [False, True], ids=["kernel", "torch operations"])
def test_tensors_of_every_type(kind: torch.dtype, on_device: bool) -> None:
    """The operations for other devices run on the CPU here: they are the same ones."""
    choose = random.Random(str(kind))
    for _ in range(100):
        mask, width = random_case(choose)
        wide = torch.randn(len(mask), width + 7).to(kind)
        logits = wide[:, 3 : 3 + width]
        before = wide.clone()
        rows = [row for row in range(len(mask)) if choose.random() < 0.8]
        words = torch.from_numpy(mask) if choose.random() < 0.5 else mask
        if on_device:
            apply_on_device(logits, words, rows)
        else:
            ff.apply_bitmask(logits, words, rows)
        finite = torch.ones_like(wide, dtype=torch.bool)
        allowed = torch.from_numpy(allowed_of(mask, width))
        finite[rows, 3 : 3 + width] = allowed[rows]
        assert torch.equal(torch.isfinite(wide), finite)
        assert torch.equal(wide[finite], before[finite])
        assert (wide[~finite] == -torch.inf).all()


def test_a_tensor_of_one_dimension() -> None:
    mask = np.array([[5, 0]], np.int32)
    for apply in (ff.apply_bitmask, lambda logits, words: apply_on_device(logits, words, [0])):
        logits = torch.zeros(70)
        apply(logits, mask)
        assert torch.isfinite(logits).nonzero().flatten().tolist() == [0, 2]


def test_bfloat16_of_ml_dtypes() -> None:
    scores = np.ones((2, 40), ml_dtypes.bfloat16)
    ff.apply_bitmask(scores, np.array([[0b101, 0], [0, 128]], np.int32))
    assert np.argwhere(np.isfinite(scores.astype(np.float32))).tolist() == [[0, 0], [0, 2], [1, 39]]


def test_another_device() -> None:
    """A tensor on a device that is not the CPU goes to torch's operations. "meta" has shapes and no numbers."""
    logits = torch.zeros((1, 64), device="meta")
    ff.apply_bitmask(logits, np.ones((1, 2), np.int32))
    with pytest.raises(ff.MatcherError, match="logits have 1 rows, bitmask has 2"):
        ff.apply_bitmask(logits, np.ones((2, 2), np.int32))
    with pytest.raises(ff.MatcherError, match="row 0: the bitmask allows token 32"):
        ff.apply_bitmask(torch.zeros((1, 32), device="meta"), np.ones((1, 2), np.int32))


def test_what_is_refused() -> None:
    mask = np.ones((1, 2), np.int32)
    for logits, message in [
        (torch.zeros((1, 64), requires_grad=True), "take part in a gradient"),
        (torch.zeros((1, 64)).to_sparse(), "a plain tensor"),
        (torch.imag(torch.zeros((1, 64), dtype=torch.complex64).conj()), "a plain tensor"),
        (torch.zeros((64, 3)).T[:1], "the last axis of logits is strided"),
        (torch.zeros(64).expand(2, 64)[:2], "overlap in memory|logits have 2 rows"),
        (torch.zeros((1, 64), dtype=torch.int32), "not int32"),
        (torch.frombuffer(bytearray(257), dtype=torch.float32, offset=1, count=64), "not aligned"),
        (torch.zeros((1, 1, 64)), "the shape"),
    ]:
        with pytest.raises(ff.MatcherError, match=message):
            ff.apply_bitmask(logits, mask)
