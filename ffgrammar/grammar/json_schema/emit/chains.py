"""Several recursive subschemas that all apply to one value, where what is inside again obeys all of their next ones.

Where the subschemas of such a conjunction come back to their beginnings after 2, 3, 5 and 7 levels, the conjunction
comes back to its beginning after 210. For emitter.py each of these levels is another conjunction, with a symbol of its
own. But nearly all of them ask the same: what is asked depends only on the *kinds* of the subschemas at a level (see
links.py). So the levels are written down as a text, with a byte for each set of kinds. Each set of kinds is made once,
as a symbol with a hole for the next level (see nesting.py). A run of n equal levels takes log(n) productions:

    level: before before … next behind behind …      before: "{" "\"n\"" ":"      behind: other* "}"

If a level also has texts without a next level, so has the run: 0 to n-1 levels, and then such a text.
"""

from __future__ import annotations

import re
from array import array
from math import lcm
from typing import Any, NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.emit.links import Links, NoChain
from ffgrammar.grammar.json_schema.emit.nesting import Around, Holed
from ffgrammar.grammar.json_schema.emit.plain_levels import plain_level
from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["Chains"]

# A byte of the text of the levels costs this part of an alternative.
LEVELS = 500
# The work of a step through the whole text: one unit of `ExprStore.count_work` for so many bytes.
BYTES_A_UNIT = 8
# A chain may have this many runs of equal levels.
MAX_RUNS = 5000
# There may be this many kinds, and sets of kinds.
MAX_KINDS, MAX_SETS = 64, 250
# When this many bytes were written down in vain, no more chains are looked for.
MAX_VAIN = 1_000_000
# A level is copied if it cannot be split into what stands before its hole and behind it. All copies may have this many
# productions.
MAX_COPIED = 100_000


class _Path(NamedTuple):
    """The kinds of a subschema and of those after it, and where they come back to; no kind is -1."""

    kinds: list[int]
    begin: int


# The symbol of a level, and what is around its hole.
_Level = tuple[int, Around | None]


class Chains:
    """The chains of one schema."""

    def __init__(self, em: Symbols) -> None:
        self._em = em
        self._links = Links(em.subschemas)
        self._holed = Holed(em.builder, em.builder.nonterminal("hole"))
        # by the numbers of the kinds: the symbol of such a level, and what is around its hole
        self._levels: dict[tuple[int, ...], _Level] = {}
        # how many bytes were written down for conjunctions that turned out to be no chains
        self._vain = 0

    def symbol(self, conj: Conj) -> int | None:
        """The symbol of a conjunction whose subschemas are a chain; None if they are not.

        Raises:
            LimitError: the conjunction comes back to its beginning after too many levels.
        """
        if self._vain > MAX_VAIN:
            return None
        try:
            paths = list(dict.fromkeys([self._links.resolved(at) for at in conj]))
            return self._symbol(conj, [self._path(at) for at in paths])
        except (NoChain, RecursionError):
            return None

    def _path(self, at: int) -> _Path:
        index: dict[int, int] = {}
        kinds: list[int] = []
        following: int | None = at
        while following is not None and following not in index:
            index[following] = len(kinds)
            kind, following = self._links.link(following)
            kinds.append(kind)
        if following is None:
            return _Path([*kinds, -1], len(kinds))
        return _Path(kinds, index[following])

    def _count(self, size: int) -> None:
        """Count the work of a step through `size` bytes, so that the call may end before it."""
        self._em.store.count_work(size // BYTES_A_UNIT)

    def _symbol(self, conj: Conj, paths: list[_Path]) -> int:
        head, sets, text = self._text(conj, paths)
        levels = [self._level(kinds) for kinds in sets]
        # levels that are the same get the same byte
        first = {level: number for number, level in reversed(list(enumerate(levels)))}
        self._count(len(text))
        text = text.translate(bytes([first[level] for level in levels]).ljust(256, b"\0"))
        head, shown = self._cut(head, text, levels)
        runs = self._runs(shown[:head], levels, conj)
        before = len(runs)
        runs += self._runs(shown[head:], levels, conj)
        builder = self._em.builder
        symbols = [builder.nonterminal("value") for _ in runs]
        for (number, count), symbol, following in zip(runs, symbols, [*symbols[1:], symbols[before]], strict=True):
            for body in self._run(*levels[number], count, following):
                builder.add(symbol, body)
        self._vain = 0
        return symbols[0]

    def _cut(self, head: int, text: bytes, levels: list[_Level]) -> tuple[int, bytes]:
        """The levels, but no more than can be reached, and no repetitions."""
        self._count(2 * len(text))
        last = [self._holed.size(symbol) == 0 for symbol, _ in levels]
        ends = [at for at in [text.find(number) for number, is_last in enumerate(last) if is_last] if at >= 0]
        if ends:
            # (the last level has no next one, so what is said to come after it does not count)
            return min(ends), text[: min(ends) + 1]
        return head, text[: head + (text[head:] * 2).find(text[head:], 1)]

    def _runs(self, text: bytes, levels: list[_Level], conj: Conj) -> list[tuple[int, int]]:
        """The runs of equal levels: the index of the level, and how many there are. A level that has to be copied is a
        run by itself."""
        found: list[tuple[int, int]] = []
        room = MAX_COPIED
        numbers = [re.escape(bytes([number])) + b"+" for number in range(len(levels))]
        for match in re.finditer(b"|".join(numbers), text):
            begin, end = match.span()
            self._count(end - begin)
            number, count = text[begin], end - begin
            symbol, around = levels[number]
            if around is None:
                room -= count * self._holed.size(symbol)
            if room < 0 or len(found) > MAX_RUNS:
                raise self._refusal(len(text), conj)
            found.extend([(number, 1)] * count if around is None else [(number, count)])
        return found

    def _refusal(self, total: int, conj: Conj) -> Exception:
        """The error for a chain of `total` levels that would have to be made one by one."""
        limits = self._em.limits
        if total <= limits.alternatives:
            return NoChain()
        where = self._em.subschemas.list[conj[0]].pointer()
        message = f"references that are followed side by side come back only after {total} levels"
        return LimitError("alternatives", limits.alternatives, message, f"at {where}")

    def _run(self, symbol: int, around: Around | None, count: int, following: int) -> list[tuple[int, ...]]:
        """The bodies of a run of equal levels, before the level that follows it."""
        if around is None:
            return [(self._holed.copied(symbol, following),)]
        bodies: list[tuple[int, ...]] = []
        if around.before is not None:
            builder = self._em.builder
            before, behind = builder.seq(around.before), builder.seq(around.behind)
            bodies.append((self._power(before, count), following, self._power(behind, count)))
        if around.free is not None:
            bodies.append((self._up_to(around, count),))
        return bodies

    def _power(self, symbol: int, count: int) -> int:
        if count == 1:
            return symbol
        half = self._power(symbol, count >> 1)
        return self._em.builder.seq([half, half, symbol] if count & 1 else [half, half])

    def _up_to(self, around: Around, count: int) -> int:
        """Fewer than `count` levels, and in the last one a text that has no hole."""
        assert around.free is not None
        if count == 1 or around.before is None:
            return around.free
        builder = self._em.builder
        before, behind = builder.seq(around.before), builder.seq(around.behind)
        if count & 1:
            return builder.choice([around.free, builder.seq([before, self._up_to(around, count - 1), behind])])
        half = self._up_to(around, count >> 1)
        more = [self._power(before, count >> 1), half, self._power(behind, count >> 1)]
        return builder.choice([half, builder.seq(more)])

    # The levels as a text

    def _text(self, conj: Conj, paths: list[_Path]) -> tuple[int, list[tuple[int, ...]], bytes]:
        """The level that comes after the last one, the sets of kinds, and for each level the index of its set."""
        used = list(dict.fromkeys([kind for path in paths for kind in path.kinds if kind >= 0]))
        if len(used) > MAX_KINDS:
            raise NoChain
        width = next(size for size in (1, 2, 4, 8) if len(used) <= 8 * size)
        head = max([path.begin for path in paths])
        total = head + lcm(*[len(path.kinds) - path.begin for path in paths])
        limits = self._em.limits
        if total * width > LEVELS * limits.alternatives:
            raise self._refusal(total, conj)
        self._vain += total * width
        bits = {kind: 1 << number for number, kind in enumerate(used)} | {-1: 0}
        both = 0
        for kinds, begin in paths:
            text = b"".join([bits[kind].to_bytes(width, "little") for kind in kinds])
            self._count(total * width)
            start, end = begin * width, len(text)
            times, rest = divmod(total * width - start, end - start)
            both |= int.from_bytes(text[:start] + text[start:] * times + text[start : start + rest], "little")
        self._count(2 * total * width)
        sets, text = _numbered(both.to_bytes(total * width, "little"), width)
        return head, [tuple([kind for kind in used if bits[kind] & one]) for one in sets], text

    # What is asked of a level

    def _level(self, kinds: tuple[int, ...]) -> _Level:
        found = self._levels.get(kinds)
        if found is None:
            found = self._levels[kinds] = self._made_level(kinds)
        return found

    def _made_level(self, kinds: tuple[int, ...]) -> _Level:
        em = self._em
        said: Conj = ()
        holes: Conj = ()
        for kind in kinds:
            said = join(said, self._links.kinds[kind].said)
            holes = join(holes, self._links.kinds[kind].hole)
        symbol = em.with_hole(said, holes, self._holed.hole)
        if symbol is None:
            raise NoChain
        around = self._holed.around(symbol)
        if around is None and em.any_order:
            around = plain_level(em, said, holes, self._holed.hole)
            if around is None:
                raise NoChain
        return symbol, around


def _numbered(levels: bytes, width: int) -> tuple[list[int], bytes]:
    """The different sets of kinds, as bits, and for each level the index of its set; `levels` has `width` bytes for
    each level."""
    if width == 1:
        sets = [one for one in range(256) if one in levels]
        if len(sets) > MAX_SETS:
            raise NoChain
        return sets, levels.translate(bytes([sets.index(one) if one in levels else 0 for one in range(256)]))
    words: Any = array({2: "H", 4: "I", 8: "Q"}[width])
    words.frombytes(levels)
    if len(set(words[:20_000])) > MAX_SETS:
        raise NoChain
    found = sorted(set(words))
    if len(found) > MAX_SETS:
        raise NoChain
    index = {word: number for number, word in enumerate(found)}
    text = bytes([index[word] for word in words])
    return [int.from_bytes(array(words.typecode, [word]).tobytes(), "little") for word in found], text
