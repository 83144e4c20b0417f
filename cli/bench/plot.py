"""The distribution of the times between masks, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ffgrammar.draw import curves

from .walk import Result

__all__ = ["distribution"]

POINTS = 200


def distribution(results: Mapping[str, Sequence[Result]], title: str) -> str:
    """An SVG with a curve for each engine: for each time, the share of its masks that took no longer."""
    shares = np.linspace(0, 1, POINTS)
    lines = {}
    for name, of_schemas in results.items():
        times = [time for result in of_schemas for time in result.between_masks]
        if times:
            # (a clock may say that a mask took no time)
            micros = np.maximum(np.quantile(np.asarray(times) / 1000, shares), 0.001)
            lines[name] = list(zip(micros.tolist(), shares.tolist(), strict=True))
    if not lines:
        lines = {"no masks": [(1.0, 0.0)]}
    return curves(lines, title, "time between masks (us)", "share of masks")
