"""Railroad diagrams: from the body of a rule to boxes and rails.

A diagram is read from left to right along the rail. A choice is one rail above another. A loop leads back below what it
repeats. A *track* is a piece of a diagram: how wide it is, how far it reaches above and below its rail, and how it is
drawn. Its rail enters at the left edge and leaves at the right edge, at the same height.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

from ffgrammar.regex.syntax.parser import Node

__all__ = ["Track", "Tracks", "xml"]

CHARACTER = 8  # the width of a character of the font
HEIGHT = 24  # of a box
GAP = 10  # between two tracks of a choice
SPACE = 12  # between two tracks of a sequence
RADIUS = 8  # of a bend
MAX_LABEL = 36
# A sequence that is wider continues on another line.
MAX_WIDTH = 760
# How many alternatives of a choice are drawn.
MAX_CHOICES = 40

# Draws at a place (x of the left edge, y of the rail); returns elements of SVG.
Draw = Callable[[float, float], list[str]]


class Track(NamedTuple):
    """A piece of a diagram.

    Attributes:
        width: its width.
        up, down: how far it reaches above and below its rail.
        draw: draws it.
    """

    width: float
    up: float
    down: float
    draw: Draw


def xml(text: str) -> str:
    """Text for a document of XML, also between quotes. It must not have control characters."""
    return escape(text, {'"': "&quot;"})


def _path(data: str) -> str:
    return f'<path d="{data}"/>'


def _line(x: float, y: float, width: float) -> list[str]:
    return [_path(f"M{x:g} {y:g}h{width:g}")] if width > 0 else []


def box(label: str, is_lexeme: bool, link: str | None = None, number: int | None = None) -> Track:
    """A box with a label: rounded for a lexeme, angular for a rule, and a link to the rule's diagram. The number of the
    lexeme is noted, so that a page can find its boxes."""
    short = label if len(label) <= MAX_LABEL else label[: MAX_LABEL - 1] + "\u2026"
    width = CHARACTER * len(short) + 20

    def draw(x: float, y: float) -> list[str]:
        rx = HEIGHT / 2 if is_lexeme else 2
        title = f"<title>{xml(label)}</title>" if short != label else ""
        shape = f'<rect x="{x:g}" y="{y - HEIGHT / 2:g}" width="{width:g}" height="{HEIGHT}" rx="{rx:g}"/>'
        text = f'<text x="{x + width / 2:g}" y="{y + 4:g}" text-anchor="middle">{xml(short)}</text>'
        noted = "" if number is None else f' data-lexeme="{number}"'
        group = f'<g class="{"lexeme" if is_lexeme else "rule"}"{noted}>{title}{shape}{text}</g>'
        return [group if link is None else f'<a href="#{link}">{group}</a>']

    return Track(width, HEIGHT / 2, HEIGHT / 2, draw)


def empty() -> Track:
    """A rail with nothing on it."""
    return Track(SPACE, 0, 0, lambda x, y: _line(x, y, SPACE))


def row(tracks: Sequence[Track]) -> Track:
    """Tracks one after another."""
    width = sum(track.width for track in tracks) + SPACE * (len(tracks) - 1)

    def draw(x: float, y: float) -> list[str]:
        drawn: list[str] = []
        for i, track in enumerate(tracks):
            if i:
                drawn += _line(x, y, SPACE)
                x += SPACE
            drawn += track.draw(x, y)
            x += track.width
        return drawn

    return Track(width, max(track.up for track in tracks), max(track.down for track in tracks), draw)


def rows(tracks: Sequence[Track]) -> Track:
    """Tracks one after another, on as many lines as needed."""
    lines: list[list[Track]] = [[]]
    width = 0.0
    for track in tracks:
        if lines[-1] and width + track.width > MAX_WIDTH:
            lines.append([])
            width = 0
        lines[-1].append(track)
        width += track.width + SPACE
    if len(lines) == 1:
        return row(tracks)
    return _stacked([row(line) for line in lines])


def _stacked(lines: Sequence[Track]) -> Track:
    """Lines below each other; the rail leads from the end of each line to the beginning of the next one."""
    inner = max(line.width for line in lines)
    width = inner + 4 * RADIUS
    places = [0.0]
    for before, line in pairwise(lines):
        places.append(places[-1] + before.down + line.up + 2 * GAP)
    bottom = places[-1]

    def draw(x: float, y: float) -> list[str]:
        r = RADIUS
        drawn = _line(x, y, 2 * r)
        for i, line in enumerate(lines):
            at = y + places[i]
            drawn += line.draw(x + 2 * r, at)
            end = x + 2 * r + line.width
            if i + 1 == len(lines):
                # (back up to the rail of the first line, which is that of the whole)
                rest = x + width - r - end
                drawn.append(
                    _path(f"M{end:g} {at:g}h{rest - r:g}q{r} 0 {r} {-r}v{-(bottom - 2 * r):g}q0 {-r} {r} {-r}")
                )
            else:
                between, target = at + line.down + GAP, y + places[i + 1]
                drawn.append(
                    _path(
                        f"M{end:g} {at:g}q{r} 0 {r} {r}V{between - r:g}q0 {r} {-r} {r}H{x + 2 * r:g}"
                        f"q{-r} 0 {-r} {r}V{target - r:g}q0 {r} {r} {r}"
                    )
                )
        return drawn

    return Track(width, lines[0].up, bottom + lines[-1].down, draw)


def choice(tracks: Sequence[Track]) -> Track:
    """Tracks of which one is taken. The first one is on the rail."""
    inner = max(track.width for track in tracks)
    places = [0.0]
    for before, track in pairwise(tracks):
        places.append(places[-1] + max(before.down, RADIUS) + GAP + max(track.up, RADIUS))

    def draw(x: float, y: float) -> list[str]:
        r = RADIUS
        drawn: list[str] = []
        for place, track in zip(places, tracks, strict=True):
            at, left = y + place, x + 2 * r
            right = left + track.width
            drawn += track.draw(left, at)
            if place == 0:
                drawn += _line(x, at, 2 * r) + _line(right, at, inner - track.width + 2 * r)
            else:
                drop = place - 2 * r
                drawn.append(_path(f"M{x:g} {y:g}q{r} 0 {r} {r}v{drop:g}q0 {r} {r} {r}"))
                rest = inner - track.width
                drawn.append(_path(f"M{right:g} {at:g}h{rest:g}q{r} 0 {r} {-r}v{-drop:g}q0 {-r} {r} {-r}"))
        return drawn

    return Track(inner + 4 * RADIUS, tracks[0].up, places[-1] + max(tracks[-1].down, 0), draw)


def loop(track: Track, back: Track | None, note: str) -> Track:
    """A track that may be repeated.

    Args:
        track: what is repeated.
        back: what stands between two rounds; None for nothing.
        note: how often, if that is bounded; else "".
    """
    between = back if back is not None else empty()
    inner = max(track.width, between.width, CHARACTER * len(note))
    below = max(track.down, RADIUS) + GAP + max(between.up, RADIUS)

    def draw(x: float, y: float) -> list[str]:
        r = RADIUS
        left, at = x + 2 * r, y + below
        drawn = _line(x, y, 2 * r) + track.draw(left, y) + _line(left + track.width, y, inner - track.width + 2 * r)
        turn = below - 2 * r
        drawn.append(_path(f"M{left + inner:g} {y:g}q{r} 0 {r} {r}v{turn:g}q0 {r} {-r} {r}"))
        drawn += _line(left + between.width, at, inner - between.width) + between.draw(left, at)
        drawn.append(_path(f"M{left:g} {at:g}q{-r} 0 {-r} {-r}v{-turn:g}q0 {-r} {r} {-r}"))
        if note:
            middle = left + inner / 2
            drawn.append(
                f'<text class="note" x="{middle:g}" y="{at + between.down + 14:g}" text-anchor="middle">{note}</text>'
            )
        return drawn

    return Track(inner + 4 * RADIUS, track.up, below + between.down + (18 if note else 0), draw)


class Tracks:
    """Makes the tracks of bodies.

    Args:
        rule: from the number of a rule to its name, and the id of its diagram or None.
        lexeme: from the number of a lexeme to its label.
    """

    def __init__(self, rule: Callable[[int], tuple[str, str | None]], lexeme: Callable[[int], str]) -> None:
        self._rule = rule
        self._lexeme = lexeme

    def track(self, node: Node) -> Track:
        """The track of a body."""
        kind = node[0]
        if kind == "rule":
            label, link = self._rule(node[1])
            return box(label, False, link)
        if kind == "lexeme":
            return box(self._lexeme(node[1]), True, None, node[1])
        if kind == "rep":
            return self._repeat(self.track(node[1]), None, node[2], node[3])
        if kind == "cat":
            return rows(self._sequence(node[1]))
        if kind == "alt":
            drawn = [self.track(one) for one in node[1][:MAX_CHOICES]]
            left = len(node[1]) - len(drawn)
            return choice([*drawn, box(f"{left} more", False)] if left else drawn)
        return empty()

    def _sequence(self, parts: Sequence[Node]) -> list[Track]:
        """The tracks of a sequence; of `x (sep x)*` a loop."""
        drawn: list[Track] = []
        i = 0
        while i < len(parts):
            separator = _separator(parts, i)
            if separator is not None:
                lo, hi = parts[i + 1][2], parts[i + 1][3]
                one = self.track(parts[i])
                drawn.append(self._repeat(one, self.track(separator), lo + 1, None if hi is None else hi + 1))
                i += 1
            else:
                drawn.append(self.track(parts[i]))
            i += 1
        return drawn

    def _repeat(self, one: Track, back: Track | None, lo: int, hi: int | None) -> Track:
        if (lo, hi) == (0, 1):
            return choice([empty(), one])
        note = "" if lo < 2 and hi is None else f"{lo} times" if lo == hi else f"{lo} to {hi} times"
        if hi is None and lo > 1:
            note = f"{lo} or more times"
        made = loop(one, back, note)
        return made if lo else choice([empty(), made])


def _separator(parts: Sequence[Node], i: int) -> Node | None:
    """What stands between the rounds, if the parts from `i` on are `x (sep x)*`."""
    if i + 1 == len(parts) or parts[i + 1][0] != "rep" or parts[i + 1][3] == 1:
        return None
    inner = parts[i + 1][1]
    if inner[0] != "cat" or len(inner[1]) != 2 or inner[1][1] != parts[i]:
        return None
    separator: Node = inner[1][0]
    return separator
