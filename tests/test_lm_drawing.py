"""How one of several things is drawn."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar.lm.drawing import draw


class Fixed:
    """Draws one number."""

    def __init__(self, value: float) -> None:
        self.value = value

    def random(self) -> float:
        return self.value


def drawn(logs: list[float], value: float, top_p: float = 1.0) -> int:
    random: Any = Fixed(value)
    return draw(np.array(logs), top_p, random)


def test_each_thing_has_its_share() -> None:
    logs = np.log([0.5, 0.125, 0.25, 0.125]).tolist()
    borders = [(0.0, 0), (0.499, 0), (0.5, 1), (0.624, 1), (0.625, 2), (0.874, 2), (0.875, 3), (0.999, 3)]
    assert [drawn(logs, value) for value, _ in borders] == [index for _, index in borders]
    # Only the heaviest things that have a share: 0.5; 0.5 and 0.25; of equal ones the first.
    assert {drawn(logs, value, 0.5) for value in (0.0, 0.5, 0.999)} == {0}
    assert [drawn(logs, value, 0.51) for value in (0.6, 0.7)] == [0, 2]
    assert [drawn(logs, value, 0.76) for value in (0.0, 0.571, 0.572, 0.714, 0.715)] == [0, 0, 1, 1, 2]
    assert draw(np.array(logs) - 1000, 1.0, None) == 0


def test_what_has_no_weight_never_comes() -> None:
    logs = [-np.inf, 0.0, -np.inf, 0.0, -np.inf]
    assert Counter(drawn(logs, value) for value in (0.0, 0.4, 0.5, 0.999, 1.0)) == {1: 2, 3: 3}
    with pytest.raises(ff.MatcherError, match="probability 0"):
        drawn([-np.inf, -np.inf], 0.5)
