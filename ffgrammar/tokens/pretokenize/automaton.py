"""The automaton of pre-token boundaries: what a pre-tokenizer does with a text that is not there yet.

A pre-tokenizer's pattern is matched again and again, each time where the last pre-token ended, and of several ways to
match the first counts. So whether a pre-token ends at some place can depend on what comes after it: a run of white
space ends before its last character if a letter follows, and nowhere if a line break does. Here boundaries are guessed,
and each hypothesis is watched. A state is

    threads   ways in which the current pre-token may go on, the first ones first (what a Pike machine keeps), and
    watched   ways in which earlier pre-tokens would have gone on, had they not ended: none of these may ever match.

At a character, a state has up to two successors: one in which the pre-token goes on, so that what would have matched
here counts for nothing, nor does any way behind it in order; and one in which the pre-token ends before the character,
and the ways that come first in order are watched from now on. Every text has exactly one sequence of hypotheses that
holds to its end, and that is what the pattern does. (Pike's machine is told of in Cox, "Regular Expression Matching:
the Virtual Machine Approach".)

A pattern may also match here and there only; what lies between two matches is then a pre-token, too. That a pre-token
is such a gap is a hypothesis like the others: at each of its characters a match that begins there is watched. And
several patterns may follow one another, each of which cuts the pre-tokens of the one before as texts of their own. A
state is then a state of each, so there are several ways for a pre-token to end: for all of them, or for the last ones
only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.pattern import END, JUMP, MATCH, NEXT, SPLIT, CharSet, Instruction, compile_pattern

__all__ = ["Alphabet", "Boundaries", "Split", "make_boundaries"]

MAX_STATES = 4000
MAX_CLASSES = 254
# Guesses that are kept of one text; three are the most that the patterns of models need.
MAX_HYPOTHESES = 8
MAX_SETS = 5000
DEAD = 0xFFFF
# Ranges of no more code points than this are looked at one by one.
MAX_LOOKED_UP = 1000
# The class bytes that occur: one property, or none; line breaks are white space.
ALL_KINDS = (0, 1, 2, 4, 8, 16, 32, 96, 128)

# The thread of a gap
GAP = -1

State = tuple[tuple[int, ...], frozenset[int]]


class Split(NamedTuple):
    """One step of a pre-tokenizer.

    Attributes:
        pattern: see pattern.py.
        gaps: whether what lies between matches is a pre-token; if not, the pattern must match every character.
        atoms: whether matches are tokens, so that no further step cuts them, nor do merges. Only with `gaps`.
    """

    pattern: str
    gaps: bool = False
    atoms: bool = False


class Alphabet(NamedTuple):
    """Classes of characters that a pattern does not tell apart.

    Attributes:
        of_kind: class by class byte (`split.CharClasses`), 256 bytes: that of characters the pattern does not name.
        ranges: (first, last, class by class byte) of the code points that it names, ascending.
        size: how many classes there are.
    """

    of_kind: bytes
    ranges: list[tuple[int, int, bytes]]
    size: int


class Boundaries(NamedTuple):
    """The automaton. State 0 is the one before a text; all others have begun a pre-token.

    Attributes:
        alphabet: its characters.
        goes_on: by way in which the pre-token goes on, state by state * classes + class; DEAD where it cannot. A match
            begins and goes on in the first way.
        ends: the same for ways in which the pre-token ends before the character.
        matches: 1 by state * classes + class where the first way to match ends here: that is where the pre-token ends,
            unless a way before it matches later. Of one pattern only, and not of gaps; else empty.
        final: 1 by state where the text may end.
        atoms: 1 by state where the pre-token is to be one token.
    """

    alphabet: Alphabet
    goes_on: list[list[int]]
    ends: list[list[int]]
    matches: bytes
    final: bytes
    atoms: bytes


def make_boundaries(splits: Sequence[Split], kinds: Sequence[int], space: str | None = None) -> Boundaries:
    """The automaton of patterns, one after another.

    Args:
        splits: the patterns.
        kinds: the class byte of each code point.
        space: a character that the patterns have in the place of the space. It is in no text.

    Raises:
        TokenizerError: a pattern is not read here, does not match every character, or there are too many states.
    """
    programs = [compile_pattern(split.pattern) for split in splits]
    alphabet, members = _alphabet([step for program in programs for step in program], kinds, space)
    found: Boundaries | None = None
    for split, program in zip(splits, programs, strict=True):
        one = _Builder(split, program, alphabet, members).build()
        found = one if found is None else _compose(found, one)
    if found is None:
        raise TokenizerError("pre-tokenizer: there is no pattern")
    _check_guesses(found)
    return found


def _alphabet(
    steps: list[Instruction], kinds: Sequence[int], space: str | None
) -> tuple[Alphabet, list[frozenset[CharSet] | None]]:
    """The classes, and the sets of the programs that each is in; None for what is in no text."""
    sets = sorted({step.chars for step in steps if step.chars is not None})
    named = [pair for one in sets for pair in one.ranges]
    classes: dict[frozenset[CharSet] | None, int] = {}

    def number(inside: frozenset[CharSet] | None) -> int:
        found = classes.setdefault(inside, len(classes))
        if len(classes) > MAX_CLASSES:
            raise TokenizerError(f"pre-tokenizer pattern: more than {MAX_CLASSES} classes of characters")
        return found

    def by_kind(code: int, here: Iterable[int]) -> bytes:
        numbers = bytearray(256)
        for kind in here:
            numbers[kind] = number(frozenset(one for one in sets if one.has(code, kind)))
        return bytes(numbers)

    other: dict[int, int] = {}
    if space is not None:
        code = ord(space)
        other = {code: number(None), 0x20: number(frozenset(one for one in sets if one.has(code, kinds[code])))}
        named += [(code, code) for code in other]
    cuts = sorted({at for low, high in named for at in (low, high + 1)})
    # (no pattern names what is beyond the last code point)
    plain = by_kind(0x110000, ALL_KINDS)
    ranges = []
    for low, after in pairwise(cuts):
        if low in other:
            ranges.append((low, low, bytes([other[low]]) * 256))
        elif any(start <= low <= end for start, end in named):
            few = after - low <= MAX_LOOKED_UP
            here = {kinds[code] for code in range(low, after)} if few else ALL_KINDS
            ranges.append((low, after - 1, by_kind(low, here)))
    return Alphabet(plain, ranges, len(classes)), list(classes)


def _table(cells: list[list[int]]) -> list[list[int]]:
    """Successors by cell as successors by way; there is at least one way."""
    ways = max(1, *map(len, cells))
    return [[cell[way] if way < len(cell) else DEAD for cell in cells] for way in range(ways)]


def _compose(outer: Boundaries, inner: Boundaries) -> Boundaries:
    """What cuts the pre-tokens of `outer` by `inner`."""
    size = outer.alphabet.size
    # (a pre-token of `outer` that is a token has no state of `inner`)
    states: list[tuple[int, int]] = [(0, 0)]
    numbers = {states[0]: 0}

    def alive(ways: list[list[int]], state: int, character: int) -> list[int]:
        return [way[state * size + character] for way in ways if way[state * size + character] != DEAD]

    def add(state: tuple[int, int]) -> int:
        number = numbers.setdefault(state, len(numbers))
        if number == len(states):
            states.append(state)
        if number >= MAX_STATES:
            raise TokenizerError(f"pre-tokenizer patterns: more than {MAX_STATES} states together")
        return number

    def begin(to: int, character: int) -> list[int]:
        if outer.atoms[to]:
            return [add((to, -1))]
        return [add((to, within)) for within in alive(inner.goes_on, 0, character)]

    goes_on: list[list[int]] = []
    ends: list[list[int]] = []
    final = bytearray()
    at = 0
    while at < len(states):
        state, within = states[at]
        may_end = within < 0 or inner.final[within]
        final.append(outer.final[state] and may_end)
        for character in range(size):
            stays: list[int] = []
            leaves: list[int] = []
            for to in alive(outer.goes_on, state, character):
                if at == 0:
                    stays += begin(to, character)
                elif within < 0:
                    stays.append(add((to, -1)))
                else:
                    stays += [add((to, one)) for one in alive(inner.goes_on, within, character)]
                    leaves += [add((to, one)) for one in alive(inner.ends, within, character)]
            if may_end:
                for to in alive(outer.ends, state, character):
                    leaves += begin(to, character)
            goes_on.append(stays)
            ends.append(leaves)
        at += 1
    atoms = bytes(outer.atoms[state] if within < 0 else inner.atoms[within] for state, within in states)
    return Boundaries(outer.alphabet, _table(goes_on), _table(ends), b"", bytes(final), atoms)


def _check_guesses(found: Boundaries) -> None:
    """Raises TokenizerError if more hypotheses may be open at a time than are kept."""
    size = found.alphabet.size
    ways = [*found.goes_on, *found.ends]
    sets = {frozenset([0])}
    todo = list(sets)
    while todo:
        states = todo.pop()
        for character in range(size):
            after = frozenset(way[state * size + character] for way in ways for state in states) - {DEAD}
            if after not in sets:
                sets.add(after)
                todo.append(after)
            if len(after) > MAX_HYPOTHESES or len(sets) > MAX_SETS:
                raise TokenizerError("pre-tokenizer patterns: too many ways to cut a text into pieces are open")


class _Builder:
    def __init__(
        self,
        split: Split,
        program: list[Instruction],
        alphabet: Alphabet,
        members: list[frozenset[CharSet] | None],
    ) -> None:
        self.split = split
        self.pattern = split.pattern
        self.program = program
        self.alphabet = alphabet
        # (what is in no text is in no set, and leads nowhere)
        self.never = [one is None for one in members]
        self.members = [one or frozenset() for one in members]
        self.start = self.closure([0])
        self.numbers: dict[State, int] = {}

    def closure(self, starts: Iterable[int]) -> tuple[int, ...]:
        """The CHAR, MATCH, NEXT and END instructions that are reached without a character, in order."""
        found: list[int] = []
        seen = set()
        stack = list(reversed(list(starts)))
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            step = self.program[at]
            if step.kind == JUMP:
                stack.append(step.to)
            elif step.kind == SPLIT:
                stack += [step.other, step.to]
            else:
                found.append(at)
        return tuple(found)

    def resolve(self, threads: Iterable[int], character: int) -> list[int]:
        """With what is looked ahead to decided: the next character is of a class, or -1 for none."""
        found: dict[int, None] = {}
        for at in threads:
            step = self.program[at]
            if step.kind == NEXT:
                inside = character >= 0 and step.chars in self.members[character]
                holds = inside == step.wanted
            elif step.kind == END:
                holds = character < 0
            else:
                found[at] = None
                continue
            if holds:
                found.update(dict.fromkeys(self.resolve(self.closure([at + 1]), character)))
        return list(found)

    def step(self, threads: Iterable[int], character: int) -> tuple[int, ...]:
        after = [at + 1 for at in threads if self.program[at].chars in self.members[character]]
        return self.closure(after)

    def has_match(self, threads: Iterable[int]) -> bool:
        return any(self.program[at].kind == MATCH for at in threads)

    def until_match(self, threads: list[int]) -> tuple[list[int], bool]:
        """The ways before the first that matches here, and whether there is one."""
        for index, at in enumerate(threads):
            if self.program[at].kind == MATCH:
                return threads[:index], True
        return threads, False

    def number(self, state: State) -> int:
        if len(self.numbers) > MAX_STATES:
            raise TokenizerError(f"pre-tokenizer pattern: more than {MAX_STATES} states: {self.pattern!r}")
        return self.numbers.setdefault(state, len(self.numbers))

    def watch(self, watched: Iterable[int], character: int) -> frozenset[int] | None:
        """What is watched after a character; None where it matches, now or with the next character whatever that is."""
        now = self.resolve(watched, character)
        if self.has_match(now):
            return None
        after = self.step(now, character)
        return None if self.has_match(after) else frozenset(after)

    def build(self) -> Boundaries:
        size = self.alphabet.size
        if any(self.has_match(self.resolve(self.start, one)) for one in range(-1, size)):
            raise TokenizerError(f"pre-tokenizer pattern: it matches nothing at all: {self.pattern!r}")
        begins = [self.step(self.resolve(self.start, one), one) for one in range(size)]
        if not self.split.gaps:
            self.check_total(begins)
        goes_on: list[list[int]] = []
        ends: list[list[int]] = []
        matches = bytearray()
        final = bytearray()
        states: list[State] = [(self.start, frozenset())]
        self.number(states[0])
        at = 0
        while at < len(states):
            threads, watched = states[at]
            is_gap = threads == (GAP,)
            for character in range(size):
                after: list[State | None]
                now = [] if is_gap else self.resolve(threads, character)
                before, matched = self.until_match(now)
                follows: list[State] = []
                if self.never[character]:
                    after = []
                elif is_gap:
                    after = [*self.in_gap(watched, character)]
                    follows = self.next_match(watched, begins[character], character)
                else:
                    after = self.in_match(before, watched, character)
                    if at == 0:
                        # (the first way is always that of a match)
                        after = [*(after or [None]), *self.in_gap([], character)]
                    elif matched:
                        follows = self.next_match([*watched, *before], begins[character], character)
                        follows += self.in_gap([*watched, *before], character)
                matches.append(matched and not is_gap)
                goes_on.append([DEAD if state is None else self.add(states, state) for state in after])
                ends.append([self.add(states, state) for state in follows])
            _, matched = self.until_match([] if is_gap else self.resolve(threads, -1))
            seen = self.has_match(self.resolve(watched, -1))
            final.append(at == 0 or ((matched or is_gap) and not seen))
            at += 1
        atoms = bytes(self.split.atoms and state[0] != (GAP,) and number > 0 for number, state in enumerate(states))
        return Boundaries(self.alphabet, _table(goes_on), _table(ends), bytes(matches), bytes(final), atoms)

    def in_match(self, threads: list[int], watched: Iterable[int], character: int) -> list[State | None]:
        """The pre-token goes on with a character."""
        return [*self.unwatched(self.step(threads, character), self.watch(watched, character))]

    def in_gap(self, watched: Iterable[int], character: int) -> list[State]:
        """The character is one of a gap; nothing that is watched may match, nor may a match begin here."""
        seen = self.watch([*watched, *self.start], character) if self.split.gaps else None
        return [] if seen is None else [((GAP,), seen)]

    def next_match(self, watched: Iterable[int], begun: tuple[int, ...], character: int) -> list[State]:
        """A match begins with the character."""
        return self.unwatched(begun, self.watch(watched, character))

    def unwatched(self, threads: tuple[int, ...], watched: frozenset[int] | None) -> list[State]:
        """A state without the ways to match of which it is said that they do not."""
        if watched is None:
            return []
        left = tuple(at for at in threads if at not in watched)
        return [(left, watched)] if left else []

    def add(self, states: list[State], state: State) -> int:
        number = self.number(state)
        if number == len(states):
            states.append(state)
        return number

    def check_total(self, begins: list[tuple[int, ...]]) -> None:
        """Every text must be cut into pre-tokens without gaps: one character alone is always a match."""
        for begun, never in zip(begins, self.never, strict=True):
            for character in range(-1, self.alphabet.size):
                if not never and not self.has_match(self.resolve(begun, character)):
                    raise TokenizerError(f"pre-tokenizer pattern: it leaves characters out: {self.pattern!r}")
