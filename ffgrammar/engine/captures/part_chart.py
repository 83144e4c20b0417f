"""Which part of a composition may read which piece of a text: Earley's algorithm over parts.

Its terminals are the leaves. A leaf is asked for each place where it may begin how far it can read, so the lexing rule
of each part is its own, and a piece is a text of the leaf and nothing else. A *state* of a part says how far the part
has come: how many parts of a sequence, or rounds of a repeat, are behind it. An item (part, state, place where it
began) stands in the column of each place of the text where the part may have come so far.

A column never depends on what follows it. So when the text grows, columns are added; when steps are taken back, they
are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.errors import LimitError
from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.leaf_engines import LeafEngines
from ffgrammar.engine.captures.leaf_run import LeafRun
from ffgrammar.engine.captures.part_runs import LiteralRun, Run, TokenRun
from ffgrammar.engine.engine import Engine
from ffgrammar.grammar.ir import PartNode

__all__ = ["Column", "PartChart"]

# An item: a part, its state, and the place where it began.
Item = tuple[int, int, int]
# About how many bytes an entry of the chart takes.
ENTRY_BYTES = 100
LEAVES = ("text", "tokens", "grammar")


class Column:
    """A place in the text.

    Attributes:
        items: the items at this place.
        waiting: by part that may begin here, the items that wait for it.
        done: by part, the places from which it reaches to here. It has read something.
        runs: the leaves that have begun here; before the end of the text, those that have read something.
        chosen: what part_reading.py has found: by (part, place where it began), its parts.
        captures: likewise, the captures of closed parts.
    """

    __slots__ = ("captures", "chosen", "done", "items", "runs", "waiting")

    def __init__(self) -> None:
        self.items: set[Item] = set()
        self.waiting: dict[int, list[Item]] = {}
        self.done: dict[int, dict[int, None]] = {}
        self.runs: list[tuple[int, Run]] = []
        self.chosen: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        self.captures: dict[tuple[int, int], Capture] = {}


class PartChart:
    """The columns of a text.

    Args:
        engine: the engine of a grammar with an outline.

    Attributes:
        nodes: the outline.
        units: the text.
        columns: by place, from 0 to the end of the text.
        live: the leaves that can go on at the end of the text, or may end there, each with its run.
    """

    def __init__(self, engine: Engine) -> None:
        assert engine.outlined is not None
        self.nodes: tuple[PartNode, ...] = engine.outlined.outline
        self._engines = LeafEngines(engine)
        self._most = engine.limits.cache_bytes // ENTRY_BYTES
        self._limits = engine.limits
        self._reads: dict[int, bool] = {}
        self.restart()

    def restart(self) -> None:
        """Forget the text."""
        self.units: list[int] = []
        self.columns = [Column()]
        self.live: list[tuple[int, Run]] = []
        self._entries = 0
        root = len(self.nodes) - 1
        self.columns[0].waiting[root] = []
        self._fill(self.columns[0], 0, [], self._predict(root, 0))

    def cut(self, keep: int) -> None:
        """Keep the first `keep` units. The chart must have at least as many."""
        if keep == len(self.units):
            return
        del self.columns[keep + 1 :]
        del self.units[keep:]
        self.live = []
        for column in self.columns[:keep]:
            for node, run in column.runs:
                if run.begin + run.count >= keep:
                    run.cut(keep - run.begin)
                    self.live.append((node, run))
        self.columns[keep].runs = []
        for node in self.columns[keep].waiting:
            if self.nodes[node].kind in LEAVES:
                self._predict(node, keep)
        self._entries = sum(map(_size, self.columns))

    def add(self, unit: int) -> None:
        """Add a unit of the text.

        Raises:
            LimitError: a bound of the grammar was reached. The chart must then be restarted.
        """
        at = len(self.units) + 1
        self.units.append(unit)
        column = Column()
        self.columns.append(column)
        complete: list[tuple[int, int]] = []
        live = []
        for node, run in self.live:
            taken = run.take(self.units)
            if not taken:
                continue
            live.append((node, run))
            if taken == 2:
                column.done.setdefault(node, {})[run.begin] = None
                complete.append((node, run.begin))
        self.live = live
        before = self.columns[at - 1]
        before.runs = [(node, run) for node, run in before.runs if run.count]
        self._fill(column, at, complete, [])

    def _fill(self, column: Column, at: int, complete: list[tuple[int, int]], items: list[Item]) -> None:
        """Add all items of a column that follow from complete parts and from items."""
        while complete or items:
            if not items:
                node, begin = complete.pop()
                for waiting in self.columns[begin].waiting.get(node, ()):
                    items.append((waiting[0], self.after(waiting[0], waiting[1]), waiting[2]))
                continue
            item = items.pop()
            if item in column.items:
                continue
            column.items.add(item)
            node, state, begin = item
            if begin < at and self.is_final(node, state):
                origins = column.done.setdefault(node, {})
                if begin not in origins:
                    origins[begin] = None
                    complete.append((node, begin))
            for child in self.next(node, state):
                waiting_there = column.waiting.get(child)
                if waiting_there is None:
                    waiting_there = column.waiting[child] = []
                    items += self._predict(child, at)
                waiting_there.append(item)
                # (a round of a repeat reads something)
                if self.nodes[child].nullable and self.nodes[node].kind != "repeat":
                    items.append((node, self.after(node, state), begin))
        self._entries += _size(column) + len(self.live)
        if self._entries > self._most:
            raise LimitError("cache_bytes", self._limits.cache_bytes, "captures: too many ways to read the text")

    def _predict(self, node: int, at: int) -> list[Item]:
        """Begin a part at the end of the text."""
        if self.nodes[node].kind not in LEAVES:
            return [(node, 0, at)]
        run = self._run(node, at)
        self.columns[at].runs.append((node, run))
        self.live.append((node, run))
        return []

    def _run(self, node: int, at: int) -> Run:
        part = self.nodes[node]
        if part.kind == "text":
            return LiteralRun(part.value, at)
        if part.kind == "tokens":
            return TokenRun(part.value, at)
        return LeafRun(self._engines.of(part.value), at)

    # The states of parts

    def next(self, node: int, state: int) -> Iterable[int]:
        """The parts that may come next in a part."""
        part = self.nodes[node]
        if part.kind == "sequence":
            return part.inner[state : state + 1]
        if part.kind == "repeat":
            most = part.value[1]
            return part.inner if most is None or state < most else ()
        return part.inner if state == 0 else ()

    def after(self, node: int, state: int) -> int:
        """The state after the part that comes next."""
        part = self.nodes[node]
        if part.kind == "repeat" and part.value[1] is None:
            return min(state + 1, self.least(node))
        return state + 1

    def before(self, node: int, state: int) -> list[tuple[int, int]]:
        """The states of a sequence or a repeat from which one part leads to a state, with this part."""
        part = self.nodes[node]
        if part.kind == "sequence":
            return [(state - 1, part.inner[state - 1])] if state else []
        found = [state - 1] if state else []
        if part.value[1] is None and state == self.least(node):
            found.append(state)
        return [(one, part.inner[0]) for one in found]

    def is_final(self, node: int, state: int) -> bool:
        """Whether a part may end in a state, if what follows in it may be empty."""
        part = self.nodes[node]
        if part.kind == "sequence":
            return state == len(part.inner)
        if part.kind == "repeat":
            return state >= self.least(node)
        return state == 1

    def least(self, node: int) -> int:
        """How many rounds of a repeat must read something."""
        part = self.nodes[node]
        least: int = part.value[0]
        return 0 if self.nodes[part.inner[0]].nullable else least

    def reads(self, node: int) -> bool:
        """Whether a part has a text that is not empty."""
        stack = [node]
        while stack:
            one = stack[-1]
            part = self.nodes[one]
            inner = () if part.kind == "repeat" and part.value[1] == 0 else part.inner
            unknown = next((child for child in inner if child not in self._reads), None)
            if part.kind in LEAVES:
                self._reads[one] = self._run(one, 0).goes_on([])
            elif unknown is not None and not any(self._reads.get(child) for child in inner):
                stack.append(unknown)
                continue
            else:
                self._reads[one] = any(self._reads.get(child) for child in inner)
            stack.pop()
        return self._reads[node]


def _size(column: Column) -> int:
    """How many entries a column has."""
    return 1 + 2 * len(column.items) + 2 * len(column.waiting) + sum(map(len, column.done.values()))
