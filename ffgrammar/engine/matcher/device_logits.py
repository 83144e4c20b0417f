"""A bitmask applied to scores on a GPU or another device, with torch's own operations.

Nothing waits for the device: the bitmask is copied from pinned memory, and the work is queued behind what the device is
doing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["apply_on_device"]


def apply_on_device(logits: Any, bitmask: Any, rows: Sequence[int]) -> None:
    """Set the scores of all tokens that may not come to -inf, in place.

    `apply_bitmask` calls this, after it has checked the arguments.

    Args:
        logits: a torch tensor of floats, [batch, columns] or [columns].
        bitmask: int32 [batch, words], numpy or torch (CPU). It may be written again as soon as this returns.
        rows: the rows to write.
    """
    import torch

    scores = logits.unsqueeze(0) if logits.dim() == 1 else logits
    batch, columns = scores.shape
    # Rows that are not written, and those that have ended, keep words of all ones.
    copied = torch.full((batch, (columns + 31) // 32), -1, dtype=torch.int32, pin_memory=logits.device.type == "cuda")
    words = copied.numpy()
    masks = np.asarray(bitmask)
    shared = min(words.shape[1], masks.shape[1])
    for row in rows:
        if masks[row].any():
            words[row, :shared] = masks[row, :shared]
            words[row, shared:] = 0
    # (torch keeps pinned memory until the copy is done)
    on_device = copied.to(logits.device, non_blocking=True)
    bits = torch.arange(32, dtype=torch.int32, device=logits.device)
    forbidden = (on_device.unsqueeze(-1) >> bits & 1).view(batch, -1)[:, :columns] == 0
    scores.masked_fill_(forbidden, -torch.inf)
