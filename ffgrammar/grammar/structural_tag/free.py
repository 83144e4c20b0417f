"""Free text, and what ends it: the text up to a trigger, an end, or the end of everything.

The texts of one place have the same stops: all triggers, ends, and excluded texts. So composition lexes them as one
family (`composition/joints.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ffgrammar.grammar.composition.parts import Choice, Literal, Part, Repeat, Sequence, Text

__all__ = ["EMPTY", "choice", "dispatch", "free_text", "literal", "then"]

EMPTY = Sequence(())


def literal(text: bytes) -> Part:
    """Exactly these bytes, which may be none."""
    return Literal(text) if text else EMPTY


def choice(parts: Iterable[Part]) -> Part:
    """One of some parts."""
    found = tuple(parts)
    return found[0] if len(found) == 1 else Choice(found)


def then(part: Part, ends: tuple[bytes, ...]) -> Part:
    """A part, and then one of some texts; without texts the part alone."""
    return Sequence((part, choice(map(literal, ends)))) if ends else part


def free_text(excluded: Collection[bytes], ends: tuple[bytes, ...] = (), most: int | None = None) -> Part:
    """Text in which nothing excluded stands, and then one of some ends.

    Args:
        excluded: none of these is in the text. (Together with the end, they may be.)
        ends: what follows the text; empty: nothing.
        most: how many characters the text may have.
    """
    stops = frozenset(excluded)
    whole = Text((), stops, most)
    until = tuple(end for end in ends if end)
    if not until or not _ends_at_first(stops, until):
        return then(whole, ends)
    ended = Text(until, stops, most)
    return ended if len(until) == len(ends) else Choice((ended, whole))


def _ends_at_first(stops: frozenset[bytes], ends: tuple[bytes, ...]) -> bool:
    """Whether a text without stops, and an end after it, is a text that ends at the first place where a stop is
    complete. This is so if all ends are stops, and no stop overlaps an end, as "aa" overlaps "aa" in "aaa"."""
    if not stops.issuperset(ends):
        return False
    for end in ends:
        borders = _borders(end)
        for stop in stops:
            if stop in end[:-1] or _overlap(stop, end, borders):
                return False
            if stop not in ends and (end.endswith(stop) or stop.endswith(end)):
                return False
    return True


def _borders(text: bytes) -> list[int]:
    """For each length of a prefix of a text: the length of the longest shorter prefix that is also its suffix (Knuth,
    Morris, Pratt 1977)."""
    borders = [0, 0]
    length = 0
    for byte in text[1:]:
        while length and text[length] != byte:
            length = borders[length]
        length += text[length] == byte
        borders.append(length)
    return borders


def _overlap(stop: bytes, end: bytes, borders: list[int]) -> bool:
    """Whether a stop, without its first byte, ends with a proper prefix of an end that is not empty."""
    length = 0
    for byte in stop[1:]:
        if length == len(end):
            length = borders[length]
        while length and end[length] != byte:
            length = borders[length]
        length += end[length] == byte
    return (borders[length] if length == len(end) else length) > 0


def dispatch(
    rules: Mapping[bytes, Part | None], excluded: Iterable[bytes], loop: bool, ends: tuple[bytes, ...] = ()
) -> Part:
    """Free text, in which each trigger is followed by its part.

    Args:
        rules: the triggers, none of which has another one in it, and what follows each; None: it may not be written.
        excluded: what may not be in the free text.
        loop: whether free text follows a part again; otherwise nothing does.
        ends: what follows all; empty: nothing.
    """
    stops = frozenset(rules).union(excluded)
    call = choice(Sequence((Text((one,), stops), part)) for one, part in rules.items() if part is not None)
    last = free_text(stops, ends)
    if loop:
        return Sequence((Repeat(call, 0, None), last))
    return Choice((then(call, ends), last))
