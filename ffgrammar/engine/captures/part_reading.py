"""Of all readings of a text the one that counts, and the captures in it.

The reading is chosen from the top down. Of alternatives it takes the first that fits. In a sequence, and in the rounds
of a repeat, it takes each part as long as possible, from left to right. While the text can go on, a part that may still
be growing is longer than one that is complete.
"""

from __future__ import annotations

from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.part_chart import PartChart

__all__ = ["PartReading"]

# The end of a part that goes on at the end of the text.
OPEN = -1
# A part with the places where it begins and ends.
Piece = tuple[int, int, int]


class PartReading:
    """Chooses the reading of a chart.

    Args:
        chart: the chart of a text.
        offsets: by place in the text, how many bytes are before it.
        text: the bytes.
    """

    def __init__(self, chart: PartChart, offsets: list[int], text: bytes) -> None:
        self._chart = chart
        self._offsets = offsets
        self._text = text
        self._last = len(chart.units)
        # By (part, place where it began), for parts that go on: the states and places where the next part goes on, too;
        # and the states in which the text ends before the next part has begun.
        self._inside: dict[tuple[int, int], set[tuple[int, int]]] = {}
        self._stops: dict[tuple[int, int], set[int]] = {}

    def captures(self, ended: bool, holds: list[bool], wanted: frozenset[str]) -> list[Capture]:
        """The captures of some names, in the order of their starts, the outer ones first.

        Args:
            ended: nothing follows the text.
            holds: by part, whether it or a part inside it has one of these names.
            wanted: the names.
        """
        chart = self._chart
        root = len(chart.nodes) - 1
        found: list[Capture] = []
        if not ended:
            self._find_growing()
        is_open = (root, 0) in self._inside
        if not is_open and 0 not in chart.columns[-1].done.get(root, ()):
            return found
        stack = [(root, 0, OPEN if is_open else self._last)]
        while stack:
            piece = stack.pop()
            part = chart.nodes[piece[0]]
            if part.kind == "capture" and part.value in wanted:
                found.append(self._capture(part.value, piece))
            stack += [one for one in reversed(self._inner(piece)) if holds[one[0]]]
        return found

    def _capture(self, name: str, piece: Piece) -> Capture:
        node, begin, end = piece
        start = self._offsets[begin]
        if end == OPEN:
            return Capture(name, start, None, self._text[start:])
        captures = self._chart.columns[end].captures
        found = captures.get((node, begin))
        if found is None:
            stop = self._offsets[end]
            found = captures[node, begin] = Capture(name, start, stop, self._text[start:stop])
        return found

    def _find_growing(self) -> None:
        """Find the parts that go on at the end of the text."""
        chart = self._chart
        found: list[tuple[int, int]] = []
        for node, run in chart.live:
            if run.count and run.goes_on(chart.units):
                self._grow((node, run.begin), found)
        for node, state, begin in chart.columns[-1].items:
            if begin < self._last and any(chart.reads(one) for one in chart.next(node, state)):
                self._grow((node, begin), found)
                self._stops[node, begin].add(state)
        while found:
            node, begin = found.pop()
            for outer, state, outer_begin in chart.columns[begin].waiting.get(node, ()):
                self._grow((outer, outer_begin), found)
                self._inside[outer, outer_begin].add((state, begin))

    def _grow(self, key: tuple[int, int], found: list[tuple[int, int]]) -> None:
        """Note that a part that began at a place goes on. If it is new, it is added to `found`."""
        if key not in self._inside:
            self._inside[key] = set()
            self._stops[key] = set()
            found.append(key)

    def _inner(self, piece: Piece) -> list[Piece]:
        """The parts of a part that read something."""
        node, begin, end = piece
        part = self._chart.nodes[node]
        if not part.inner:
            return []
        if end == OPEN:
            return self._choose(piece)
        chosen = self._chart.columns[end].chosen
        found = chosen.get((node, begin))
        if found is None:
            found = chosen[node, begin] = self._choose(piece)
        return found

    def _choose(self, piece: Piece) -> list[Piece]:
        node, begin, end = piece
        part = self._chart.nodes[node]
        if part.kind in ("sequence", "repeat"):
            return self._choose_in_turn(piece)
        if end == OPEN:
            fitting = (one for one in part.inner if (one, begin) in self._inside)
        else:
            done = self._chart.columns[end].done
            fitting = (one for one in part.inner if begin in done.get(one, ()))
        return [(next(fitting), begin, end)]

    def _choose_in_turn(self, piece: Piece) -> list[Piece]:
        """The parts of a sequence, or the rounds of a repeat."""
        chart = self._chart
        node, begin, end = piece
        inside = self._inside[node, begin] if end == OPEN else set()
        ends = self._paths(piece, inside)
        found: list[Piece] = []
        state, at = 0, begin
        while True:
            if (state, at) in inside:
                (child,) = chart.next(node, state)
                return [*found, (child, at, OPEN)]
            if at == (self._last if end == OPEN else end):
                return found
            (child,) = chart.next(node, state)
            after = max(ends[state, at])
            if after > at:
                found.append((child, at, after))
            state, at = chart.after(node, state), after

    def _paths(self, piece: Piece, inside: set[tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
        """By state and place, where the next part may end so that the rest fits."""
        chart = self._chart
        node, begin, end = piece
        targets = set(inside)
        if end == OPEN:
            targets.update((state, self._last) for state in self._stops[node, begin])
        else:
            targets.update((state, end) for state in self._final_states(piece))
        found: dict[tuple[int, int], list[int]] = {}
        stack = list(targets)
        while stack:
            state, at = stack.pop()
            column = chart.columns[at]
            for before, child in chart.before(node, state):
                places = list(column.done.get(child, ()))
                if chart.nodes[node].kind == "sequence" and chart.nodes[child].nullable:
                    places.append(at)
                for place in places:
                    if place < begin or (node, before, begin) not in chart.columns[place].items:
                        continue
                    key = (before, place)
                    found.setdefault(key, []).append(at)
                    if key not in targets:
                        targets.add(key)
                        stack.append(key)
        return found

    def _final_states(self, piece: Piece) -> list[int]:
        """The states in which a sequence or a repeat ends."""
        node, begin, end = piece
        part = self._chart.nodes[node]
        if part.kind == "sequence":
            return [len(part.inner)]
        least = self._chart.least(node)
        most = part.value[1]
        # (each round reads something)
        states = range(least, min(most, end - begin) + 1) if most is not None else [least]
        return [state for state in states if (node, state, begin) in self._chart.columns[end].items]
