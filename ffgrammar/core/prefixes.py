"""What two sequences begin with alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["common_size"]


def common_size(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences have in common at their beginnings.

    Long runs are compared at once, so the cost is that of one pass over memory.
    """
    if type(one) is not type(other):
        one, other = tuple(one), tuple(other)
    # The first `equal` items are the same; the first `unlike` ones are not, unless these are all.
    equal, unlike = 0, min(len(one), len(other))
    if one[:unlike] == other[:unlike]:
        return unlike
    while unlike - equal > 1:
        middle = (equal + unlike) // 2
        if one[equal:middle] == other[equal:middle]:
            equal = middle
        else:
            unlike = middle
    return equal
