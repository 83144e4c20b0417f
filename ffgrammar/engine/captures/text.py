"""What the readers share: what two texts have in common, and the message about a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.prefixes import common_size

__all__ = ["common_prefix", "is_continued", "no_such_name"]

# A special token of a text: how many bytes are before it, and its id.
Special = tuple[int, int]
# How many names a message lists.
SHOWN = 20


def no_such_name(what: str, name: str, known: Iterable[str]) -> str:
    """The message that there is no `what` of a name, and which there are."""
    names = sorted(known)
    shown = ", ".join([*names[:SHOWN], *(["..."] if len(names) > SHOWN else [])])
    return f"there is no {what} {name!r}; the {what}s are {shown}"


def is_continued(text: bytes, special: list[Special], before: bytes, special_before: list[Special]) -> bool:
    """Whether a text with its special tokens goes on from an earlier text with its special tokens."""
    count = len(special_before)
    if not text.startswith(before) or special[:count] != special_before:
        return False
    return len(special) == count or special[count][0] >= len(before)


def common_prefix(text: bytes, special: list[Special], other: bytes, other_special: list[Special]) -> int:
    """How many bytes two texts have in common, up to the first special token that only one of them has."""
    low = common_size(text, other)
    for one, two in zip(special, other_special, strict=False):
        if one != two:
            return min(low, one[0], two[0])
    common = min(len(special), len(other_special))
    return min([low, *(offset for offset, _ in [*special[common:], *other_special[common:]])])
