"""What two readings of a matcher's text have in common."""

from __future__ import annotations

__all__ = ["common_prefix", "is_continued"]

# A special token of a text: how many bytes are before it, and its id.
Special = tuple[int, int]


def is_continued(text: bytes, special: list[Special], before: bytes, special_before: list[Special]) -> bool:
    """Whether a text with its special tokens goes on from an earlier text with its special tokens."""
    count = len(special_before)
    if not text.startswith(before) or special[:count] != special_before:
        return False
    return len(special) == count or special[count][0] >= len(before)


def common_prefix(text: bytes, special: list[Special], other: bytes, other_special: list[Special]) -> int:
    """How many bytes two texts have in common, up to the first special token that only one of them has."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    for one, two in zip(special, other_special, strict=False):
        if one != two:
            return min(low, one[0], two[0])
    common = min(len(special), len(other_special))
    return min([low, *(offset for offset, _ in [*special[common:], *other_special[common:]])])
