r"""Where a vocabulary cuts texts, although its tokenizer has no pre-tokenizer.

If no token has a quote after a letter, then no merge ever joins the two, so each text is cut between them. Characters
are sorted into a few kinds, and the pairs of kinds that are neighbours in tokens are listed. Neighbours of any other
pair of kinds are cut apart:

    cuts = implied_split({"▁the": 1, 'quote"': 2, ...}, space="▁")      # a Split, or None

The cuts change no token. But where many cuts are known, less text has to be looked at to know which tokens are
canonical. To find the cuts takes 5 to 40 ms.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_letters, digits, punctuation

from ffgrammar.tokens.pretokenize.split import Split

__all__ = ["implied_split"]

# The characters of the kinds 1 and up. After these comes the kind of the space. All other characters are of the kind 0.
KINDS = [ascii_letters, digits, *punctuation]
END = len(KINDS) + 2  # the kind of SEPARATOR
SEPARATOR = "\ud800"  # stands between two names; no text has this character


def implied_split(names: Iterable[str], space: str) -> Split | None:
    """The cuts, or None if each pair of kinds is neighbours in some token.

    Args:
        names: all texts that merges make or begin from. More names only mean fewer cuts.
        space: the character that stands for the space in the names.
    """
    # (numpy takes longer to import than most vocabularies to load)
    import numpy as np

    kind_of = np.zeros(0x80, np.uint8)
    for number, members in enumerate(KINDS, start=1):
        kind_of[[ord(one) for one in members]] = number
    codes = np.frombuffer(SEPARATOR.join(names).encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = np.where(codes < 0x80, kind_of[np.minimum(codes, 0x7F)], 0).astype(np.int64)
    kinds[codes == ord(space)] = END - 1
    kinds[codes == ord(SEPARATOR)] = END
    seen = np.bincount(kinds[:-1] * (END + 1) + kinds[1:], minlength=(END + 1) ** 2).reshape(END + 1, END + 1) > 0
    joined = seen[:END, :END]
    if joined.all():
        return None
    # (all kinds that may have the same kinds after them share one alternative)
    followers: dict[bytes, list[int]] = {}
    for kind in range(END):
        followers.setdefault(joined[kind].tobytes(), []).append(kind)
    alternatives = []
    for kinds_before in followers.values():
        after = [kind for kind in range(END) if joined[kinds_before[0], kind]]
        if after:
            alternatives.append(f"{_any_of(kinds_before, space)}(?={_any_of(after, space)})")
    return Split(f"(?:{'|'.join(alternatives)})*(?:\\s|\\S)" if alternatives else r"(?:\s|\S)")


def _any_of(kinds: list[int], space: str) -> str:
    """A pattern that matches one character of any of these kinds. There is at least one kind."""
    members = [*KINDS, space]
    # (with the kind 0, the pattern names the characters that it does not match)
    inside = 0 not in kinds
    chosen = [members[kind - 1] for kind in range(1, END) if (kind in kinds) == inside]
    if not chosen:
        return r"(?:\s|\S)"
    return ("[" if inside else "[^") + "".join(_escaped(one) for text in chosen for one in text) + "]"


def _escaped(one: str) -> str:
    return "\\" + one if one in punctuation else one
