r"""Where a vocabulary cuts texts, although its tokenizer has no pre-tokenizer.

If no token has a quote after a letter, then no merge ever joins the two, so each text is cut between them. Characters
are sorted into a few kinds, and the pairs of kinds that are neighbours in tokens are listed. Neighbours of any other
pair of kinds are cut apart:

    cuts = implied_split({"▁the": 1, 'quote"': 2, ...}, space="▁")      # a Split, or None

The cuts change no token. But where many cuts are known, less text has to be looked at to know which tokens are
canonical. To find the cuts takes 1 to 4 ms.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_letters, digits, punctuation

from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.neighbours import neighbour_kinds
from ffgrammar.tokens.pretokenize.split import Split
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens

__all__ = ["implied_split"]

# The characters of the kinds 1 and up. After these comes the kind of the space. All other characters are of the kind 0.
KINDS = [ascii_letters, digits, *punctuation]
END = len(KINDS) + 2  # every kind is below this


def implied_split(names: Iterable[str] | NameTable, space: str) -> Split | None:
    """The cuts, or None if each pair of kinds is neighbours in some token.

    Args:
        names: all texts that merges make or begin from. More names only mean fewer cuts.
        space: the character that stands for the space in the names.
    """
    kind_of = bytearray(256)
    for number, members in enumerate(KINDS, start=1):
        for byte in members.encode():
            kind_of[byte] = number
    if isinstance(names, NameTable):
        packed = names.names
    else:
        packed = PackedTokens([name.encode("utf-8", "surrogatepass") for name in names])
    joined = neighbour_kinds(packed, bytes(kind_of), space.encode(), END)
    if all(map(all, joined)):
        return None
    # (all kinds that may have the same kinds after them share one alternative)
    followers: dict[bytes, list[int]] = {}
    for kind in range(END):
        followers.setdefault(joined[kind], []).append(kind)
    alternatives = []
    for kinds_before in followers.values():
        after = [kind for kind in range(END) if joined[kinds_before[0]][kind]]
        if after:
            alternatives.append(f"{_any_of(kinds_before, space)}(?={_any_of(after, space)})")
    return Split(f"(?:{'|'.join(alternatives)})*(?:\\s|\\S)" if alternatives else r"(?:\s|\S)")


def _any_of(kinds: list[int], space: str) -> str:
    """A pattern that matches one character of any of these kinds. There is at least one kind."""
    # (the space may be an underscore, say, which is then of no other kind)
    members = [*[one.replace(space, "") for one in KINDS], space]
    # (with the kind 0, the pattern names the characters that it does not match)
    inside = 0 not in kinds
    chosen = "".join([members[kind - 1] for kind in range(1, END) if (kind in kinds) == inside])
    if not chosen:
        return r"(?:\s|\S)"
    return ("[" if inside else "[^") + _ranges(chosen) + "]"


def _ranges(characters: str) -> str:
    """The inside of a class of these characters. (The fewer ranges it has, the sooner the class is read and asked.)"""
    codes = sorted(map(ord, characters))
    starts = [code for code in codes if code - 1 not in codes]
    ends = [code for code in codes if code + 1 not in codes]
    return "".join(
        _escaped(chr(start)) + (f"-{_escaped(chr(end))}" if start < end else "")
        for start, end in zip(starts, ends, strict=True)
    )


def _escaped(one: str) -> str:
    return "\\" + one if one in punctuation else one
