"""The automaton of piece boundaries: what a pre-tokenizer does with a text that is not there yet.

A pre-tokenizer's pattern is matched again and again, each time where the last piece ended, and of several ways to match
the first counts. So whether a piece ends at some place can depend on what comes after it: a run of white space ends
before its last character if a letter follows, and nowhere if a line break does. Here boundaries are guessed, and each
guess is watched. A state is

    threads   ways in which the current piece may go on, the first ones first (what a Pike machine keeps), and
    watched   ways in which earlier pieces would have gone on, had they not ended: none of these may ever match.

At a character, a state has up to two successors: one in which the piece goes on, so that what would have matched here
counts for nothing, nor does any way behind it in order; and one in which the piece ends before the character, and the
ways that come first in order are watched from now on. Every text has exactly one sequence of guesses that holds to its
end, and that is what the pattern does. (Pike's machine is told of in Cox, "Regular Expression Matching: the Virtual
Machine Approach".)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pattern import END, JUMP, MATCH, NEXT, SPLIT, CharSet, Instruction, compile_pattern

__all__ = ["Alphabet", "Boundaries", "make_boundaries"]

MOST_STATES = 4000
MOST_CLASSES = 254
DEAD = 0xFFFF
# Ranges of no more code points than this are looked at one by one.
MOST_LOOKED_UP = 1000
# The class bytes that occur: one property, or none; line breaks are white space.
ALL_KINDS = (0, 1, 2, 4, 8, 16, 32, 96)

State = tuple[tuple[int, ...], frozenset[int]]


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
    """The automaton. State 0 is the one before a text; all others have begun a piece.

    Attributes:
        alphabet: its characters.
        goes_on: state by state * classes + class where the piece goes on; DEAD where it cannot.
        ends: the same where the piece ends before the character.
        matches: 1 by state * classes + class where the first way to match ends here: that is where the piece ends,
            unless a way before it matches later.
        final: 1 by state where the text may end.
    """

    alphabet: Alphabet
    goes_on: list[int]
    ends: list[int]
    matches: bytes
    final: bytes


def make_boundaries(pattern: str, kinds: Sequence[int]) -> Boundaries:
    """The automaton of a pattern.

    Args:
        pattern: see pattern.py.
        kinds: the class byte of each code point.

    Raises:
        TokenizerError: the pattern is not read here, does not match every character, or needs too many states.
    """
    program = compile_pattern(pattern)
    alphabet, members = _alphabet(program, kinds)
    return _Builder(pattern, program, alphabet, members).build()


def _alphabet(program: list[Instruction], kinds: Sequence[int]) -> tuple[Alphabet, list[frozenset[CharSet]]]:
    """The classes, and the sets of the program that each is in."""
    sets = sorted({step.chars for step in program if step.chars is not None})
    named = [pair for one in sets for pair in one.ranges]
    classes: dict[frozenset[CharSet], int] = {}

    def by_kind(code: int, here: Iterable[int]) -> bytes:
        numbers = bytearray(256)
        for kind in here:
            inside = frozenset(one for one in sets if one.has(code, kind))
            numbers[kind] = classes.setdefault(inside, len(classes))
            if len(classes) > MOST_CLASSES:
                raise TokenizerError(f"pre-tokenizer pattern: more than {MOST_CLASSES} classes of characters")
        return bytes(numbers)

    cuts = sorted({at for low, high in named for at in (low, high + 1)})
    # (no pattern names what is beyond the last code point)
    plain = by_kind(0x110000, ALL_KINDS)
    ranges = []
    for low, after in pairwise(cuts):
        if any(start <= low <= end for start, end in named):
            few = after - low <= MOST_LOOKED_UP
            here = {kinds[code] for code in range(low, after)} if few else ALL_KINDS
            ranges.append((low, after - 1, by_kind(low, here)))
    return Alphabet(plain, ranges, len(classes)), list(classes)


class _Builder:
    def __init__(
        self, pattern: str, program: list[Instruction], alphabet: Alphabet, members: list[frozenset[CharSet]]
    ) -> None:
        self.pattern = pattern
        self.program = program
        self.alphabet = alphabet
        self.members = members
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

    def split(self, threads: list[int]) -> tuple[list[int], bool]:
        """The ways before the first that matches here, and whether there is one."""
        for index, at in enumerate(threads):
            if self.program[at].kind == MATCH:
                return threads[:index], True
        return threads, False

    def number(self, state: State) -> int:
        if len(self.numbers) > MOST_STATES:
            raise TokenizerError(f"pre-tokenizer pattern: more than {MOST_STATES} states: {self.pattern!r}")
        return self.numbers.setdefault(state, len(self.numbers))

    def watch(self, watched: Iterable[int], character: int) -> frozenset[int] | None:
        """What is watched after a character; None where it matches, now or with the next character whatever that is."""
        now = self.resolve(watched, character)
        if self.has_match(now):
            return None
        after = self.step(now, character)
        return None if self.has_match(after) else frozenset(after)

    def build(self) -> Boundaries:
        if any(self.has_match(self.resolve(self.start, one)) for one in range(-1, self.alphabet.size)):
            raise TokenizerError(f"pre-tokenizer pattern: it matches nothing at all: {self.pattern!r}")
        begins = [self.step(self.resolve(self.start, one), one) for one in range(self.alphabet.size)]
        goes_on: list[int] = []
        ends: list[int] = []
        matches = bytearray()
        final = bytearray()
        states: list[State] = [(self.start, frozenset())]
        self.number(states[0])
        at = 0
        while at < len(states):
            threads, watched = states[at]
            for character in range(self.alphabet.size):
                now = self.resolve(threads, character)
                before, matched = self.split(now)
                matches.append(matched)
                more = self.step(before, character)
                seen = self.watch(watched, character)
                goes_on.append(self.add(states, (more, seen)) if more and seen is not None else DEAD)
                seen = self.watch([*watched, *before], character) if matched else None
                begun = begins[character]
                ends.append(self.add(states, (begun, seen)) if begun and seen is not None else DEAD)
            _, matched = self.split(self.resolve(threads, -1))
            final.append(at == 0 or (matched and not self.has_match(self.resolve(watched, -1))))
            at += 1
        self.check_total(begins)
        return Boundaries(self.alphabet, goes_on, ends, bytes(matches), bytes(final))

    def add(self, states: list[State], state: State) -> int:
        number = self.number(state)
        if number == len(states):
            states.append(state)
        return number

    def check_total(self, begins: list[tuple[int, ...]]) -> None:
        """Every text must be cut into pieces without gaps: one character alone is always a match."""
        for begun in begins:
            for character in range(-1, self.alphabet.size):
                if not self.has_match(self.resolve(begun, character)):
                    raise TokenizerError(f"pre-tokenizer pattern: it leaves characters out: {self.pattern!r}")
