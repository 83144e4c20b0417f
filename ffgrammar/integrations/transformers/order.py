"""Where the mask comes among logits processors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["mask_place"]

# How the names of those processors end that look at all scores of a row together, such as top-p.
LAST = ("Warper", "WatermarkLogitsProcessor", "LogitNormalization")


def mask_place(processors: Sequence[Any]) -> int:
    """Where `generate` puts the logits processors of its caller: after those that change scores one by one, and before
    those that look at all scores together. These must not see tokens that may not come."""
    names = [type(processor).__name__ for processor in processors]
    return next((place for place, name in enumerate(names) if name.endswith(LAST)), len(names))
