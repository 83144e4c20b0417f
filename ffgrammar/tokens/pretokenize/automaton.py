# cython: language_level=3
"""The automaton of pre-token boundaries: what a pre-tokenizer does with a text that is not complete yet.

A pre-tokenizer matches its pattern again and again, each time where the last pre-token ended. Of several ways to match,
the first one counts. So whether a pre-token ends at some offset can depend on the text after it. A run of white space,
say, ends before its last character if a letter follows, and goes on if a line break does. Here every boundary is a
hypothesis, and the automaton checks later whether the hypothesis holds. A state is

    threads   matches of the current pre-token that are under way, in the order in which they count, and
    watched   threads that were dropped when an earlier pre-token ended; none of them may ever match, because its match
              would count before the one that ended the pre-token.

Threads are what a Pike machine keeps: a machine that reads a text once and follows all ways to match at the same time.
(Cox, "Regular Expression Matching: the Virtual Machine Approach", describes it.)

At a character, a state of one pattern without gaps (see below) has up to two successors. In the first the pre-token
goes on. If a thread matches before the character, only the threads that precede this thread in the order stay. In the
second successor the pre-token ends before the character, by that match. Then the threads that precede the matching one
are watched. Every text has exactly one sequence of hypotheses that holds to its end, and this sequence is what the
pattern does.

A pattern may also leave out parts of a text. What lies between two matches is then a pre-token too, called a gap. "This
pre-token is a gap" is a hypothesis like the others: at each of its characters, a match that begins there is watched.

Several patterns may follow one another (composed.py). Gaps and several patterns are why a state has more than two
successors. Each successor has a number, its way.

An automaton has tens to hundreds of states and is made in a few milliseconds. table.pyx runs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.alphabet import Alphabet, make_alphabet
from ffgrammar.tokens.pretokenize.boundaries import DEAD, MAX_STATES, Automaton, Boundaries, by_way
from ffgrammar.tokens.pretokenize.composed import compose
from ffgrammar.tokens.pretokenize.pattern import compile_pattern
from ffgrammar.tokens.pretokenize.program import CHAR, END, JUMP, MATCH, NEXT, SPLIT, CharSet, Instruction
from ffgrammar.tokens.pretokenize.split import Split
from ffgrammar.tokens.pretokenize.words import compile_words

__all__ = ["make_automata"]

# How many hypotheses about one text may be open at a time. The patterns of models need three at most. table.pxd has the
# same number.
MAX_HYPOTHESES = 8
# How many sets of hypotheses are explored to check that at most MAX_HYPOTHESES may be open.
MAX_SETS = 5000

# The only thread of a pre-token that is a gap.
GAP = -1

State = tuple[tuple[int, ...], frozenset[int]]


def _program_of(split: Split) -> list[Instruction]:
    """The program of a pattern, or of added tokens."""
    return compile_words(split.atoms) if split.atoms else compile_pattern(split.pattern, split.oniguruma)


def make_automata(splits: Sequence[Split], kinds: Sequence[int], space: str | None = None) -> list[Automaton]:
    """The automaton of patterns, one after another. If there are several patterns, then the automaton of each follows.
    All have the same alphabet.

    Args:
        splits: the patterns.
        kinds: the class byte of each code point.
        space: a character that stands for the space in the patterns. No text has this character itself.

    Raises:
        TokenizerError: there is no pattern, a pattern cannot be read, matches the empty text, or (without `gaps`) does
            not match every character, or there are too many instructions, classes, states or open hypotheses.
    """
    if not splits:
        raise TokenizerError("pre-tokenizer: there is no pattern")
    programs = [_program_of(split) for split in splits]
    alphabet, members = make_alphabet([step for program in programs for step in program], kinds, space)
    each = [
        _Builder(split, program, alphabet, members).build() for split, program in zip(splits, programs, strict=True)
    ]
    together = reduce(compose, each)
    _check_hypotheses(together)
    packed = [one.pack(split.gaps, bool(split.atoms)) for one, split in zip(each, splits, strict=True)]
    return packed if len(each) == 1 else [together.pack(gaps=False, finds_atoms=False), *packed]


def _check_hypotheses(found: Boundaries) -> None:
    """Raises TokenizerError if more than MAX_HYPOTHESES may be open at a time, or if it takes too long to find out."""
    sets = {frozenset([0])}
    todo = list(sets)
    while todo:
        # (many classes lead to the same states)
        for groups in set(zip(*[found.rows[state] for state in todo.pop()], strict=True)):
            after = frozenset(chain.from_iterable([found.reaches[group] for group in groups]))
            if after not in sets:
                sets.add(after)
                todo.append(after)
            if len(after) > MAX_HYPOTHESES or len(sets) > MAX_SETS:
                raise TokenizerError("pre-tokenizer patterns: too many ways to cut a text into pre-tokens are open")


def _bit(number: int) -> int:
    """A set of one small number as bits. (A function, because compiled code would shift a word of 64 bits.)"""
    return 1 << number


class _Builder:
    """Builds the automaton of one pattern from its program."""

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
        # (a class of characters that are in no text is in no set, and leads nowhere)
        self.never = [one is None for one in members]
        # The instructions that only look at what comes next: a character, or the end of the text.
        self.decides = {at for at, step in enumerate(program) if step.kind in (NEXT, END)}
        # By CHAR: the threads after its character. By NEXT and END: the threads if what is asked holds.
        self.after = {at: self.closure(at + 1) for at, step in enumerate(program) if step.kind in (CHAR, NEXT, END)}
        # By class: the CHARs and NEXTs whose set of characters contains the class (`takes`).
        having: dict[CharSet, list[int]] = {}
        for at, step in enumerate(program):
            if step.chars is not None:
                having.setdefault(step.chars, []).append(at)
        self.takes = [frozenset(at for chars in one or () for at in having.get(chars, ())) for one in members]
        # By class, and at last for the end of the text: the NEXTs and ENDs that hold before it.
        wanted = frozenset(at for at in self.decides if program[at].kind == NEXT and program[at].wanted)
        unwanted = frozenset(at for at in self.decides if program[at].kind == NEXT and not program[at].wanted)
        self.holds = [one & wanted | unwanted - one for one in self.takes]
        self.holds.append(frozenset(self.decides) - wanted)
        # By instruction: its set of characters as a bit; 0 if it has none. By class: the sets that contain it, and one
        # bit more for a class of characters that are in no text.
        bits = {chars: _bit(number) for number, chars in enumerate(having)}
        self.asks = [0 if step.chars is None else bits[step.chars] for step in program]
        self.never_bit = _bit(len(having))
        self.inside = [self.never_bit if one is None else sum(bits.get(chars, 0) for chars in one) for one in members]
        self.matching = {at for at, step in enumerate(program) if step.kind == MATCH}
        self.start = self.closure(0)
        # By class: the threads of a match after its first character, if this is of the class.
        self.begins = [self.step(self.resolve(self.start, one), one) for one in range(alphabet.size)]
        # By class: what is watched after a character of the class, if no match may begin at it.
        self.unbegun = [self.watch(self.start, one) for one in range(alphabet.size)] if split.gaps else []
        self.states: list[State] = [(self.start, frozenset())]
        # (A state inside a match may have the same threads as the state before a text, but is another state. So the
        # state before a text is entered here under a key that no other state has.)
        self.numbers: dict[State, int] = {((), frozenset()): 0}

    def build(self) -> Boundaries:
        if any(self.has_match(self.resolve(self.start, one)) for one in range(-1, self.alphabet.size)):
            raise TokenizerError(f"pre-tokenizer pattern: it matches the empty text: {self.pattern!r}")
        if not self.split.gaps:
            self.check_total()
        # by group (`Boundaries`)
        goes_on: list[list[int]] = []
        ends: list[list[int]] = []
        matched: list[bool] = []
        rows: list[list[int]] = []
        final = bytearray()
        at = 0
        while at < len(self.states):
            asked = self.asked_by(at)
            # Classes that the state does not tell apart have the same successors, which are found once. (The automaton
            # of o200k takes 4.8 ms instead of 7.6.)
            known: dict[int, int] = {}
            row: list[int] = []
            for character, key in enumerate([bits & asked for bits in self.inside]):
                group = known.get(key)
                if group is None:
                    group = known[key] = len(matched)
                    found = self.successors(at, character)
                    goes_on.append(found[0])
                    ends.append(found[1])
                    matched.append(found[2])
                row.append(group)
            rows.append(row)
            final.append(self.is_final(at))
            at += 1
        finds_atoms = bool(self.split.atoms)
        atoms = bytes(finds_atoms and at > 0 and threads != (GAP,) for at, (threads, _) in enumerate(self.states))
        return Boundaries(
            self.alphabet,
            by_way(goes_on, rows),
            by_way(ends, rows),
            bytes([matched[group] for row in rows for group in row]),
            bytes(final),
            atoms,
            rows,
            [[to for to in chain(*both) if to != DEAD] for both in zip(goes_on, ends, strict=True)],
        )

    def check_total(self) -> None:
        """Raises TokenizerError unless each character by itself can be a match, whatever follows. Then a text has no
        gaps."""
        for begun, never in zip(self.begins, self.never, strict=True):
            if never or self.has_match(begun):
                continue
            for character in range(-1, self.alphabet.size):
                if not self.has_match(self.resolve(begun, character)):
                    raise TokenizerError(f"pre-tokenizer pattern: it leaves characters out: {self.pattern!r}")

    def is_final(self, at: int) -> bool:
        """Whether the text may end in a state: the pre-token ends there, and nothing that is watched matches there."""
        threads, watched = self.states[at]
        ends = threads == (GAP,) or self.has_match(self.resolve(threads, -1))
        return at == 0 or (ends and not self.has_match(self.resolve(watched, -1)))

    # ---- a character

    def asked_by(self, at: int) -> int:
        """The sets of characters on which the successors of a state depend, as bits (`asks`)."""
        threads, watched = self.states[at]
        found = {*threads, *watched, *self.start}
        new = found & self.decides
        while new:
            more = {one for at in new for one in self.after[at]} - found
            found |= more
            new = more & self.decides
        bits = self.never_bit
        for at in found - {GAP}:
            bits |= self.asks[at]
        return bits

    def successors(self, at: int, character: int) -> tuple[list[int], list[int], bool]:
        """(states where the pre-token goes on, states where it ends before the character, whether some thread matches
        before the character)."""
        threads, watched = self.states[at]
        seen = self.watch(watched, character)
        if threads == (GAP,):
            if self.never[character]:
                return [], [], False
            begun = self.unwatched(self.begins[character], seen)
            return self.number_all(self.in_gap(seen, character)), self.number_all(begun), False
        before, matched = self.until_match(self.resolve(threads, character))
        if self.never[character]:
            return [], [], matched
        passed = self.step(before, character)
        after = self.unwatched(passed, seen)
        if at == 0:
            # (at the start of a text the first way is always that of a match, even if no match can begin there)
            return (
                [*(self.number_all(after) or [DEAD]), *self.number_all(self.in_gap(frozenset(), character))],
                [],
                matched,
            )
        ends: list[State] = []
        if matched:
            # (from here on, the threads before the match are watched, too)
            seen = self.both(seen, None if self.has_match(passed) else frozenset(passed))
            ends = [*self.unwatched(self.begins[character], seen), *self.in_gap(seen, character)]
        return self.number_all(after), self.number_all(ends), matched

    def in_gap(self, seen: frozenset[int] | None, character: int) -> list[State]:
        """The states where the character is one of a gap. `seen` is what is watched after the character. No match may
        begin at the character."""
        seen = self.both(seen, self.unbegun[character]) if self.split.gaps else None
        return [] if seen is None else [((GAP,), seen)]

    def both(self, one: frozenset[int] | None, other: frozenset[int] | None) -> frozenset[int] | None:
        """What is watched after a character, of two sets together (`watch`)."""
        return None if one is None or other is None else one | other

    def watch(self, watched: Iterable[int], character: int) -> frozenset[int] | None:
        """What is watched after a character. None if a watched thread matches: before the character, or after it
        whatever follows."""
        now = self.resolve(watched, character)
        if self.has_match(now):
            return None
        after = self.step(now, character)
        return None if self.has_match(after) else frozenset(after)

    def unwatched(self, threads: tuple[int, ...], watched: frozenset[int] | None) -> list[State]:
        """The state of these threads. Threads that are watched must not match, so they are left out. [] if none are
        left."""
        if watched is None:
            return []
        left = tuple([at for at in threads if at not in watched])
        return [(left, watched)] if left else []

    def number_all(self, states: list[State]) -> list[int]:
        """The numbers of states, new ones included."""
        numbers = []
        for state in states:
            number = self.numbers.setdefault(state, len(self.numbers))
            if number == len(self.states):
                self.states.append(state)
            if number > MAX_STATES:
                raise TokenizerError(f"pre-tokenizer pattern: more than {MAX_STATES} states: {self.pattern!r}")
            numbers.append(number)
        return numbers

    # ---- threads

    def closure(self, start: int) -> tuple[int, ...]:
        """The CHAR, MATCH, NEXT and END instructions that are reached from an instruction without reading a character,
        in order."""
        found: list[int] = []
        seen = set()
        stack = [start]
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

    def resolve(self, threads: Iterable[int], character: int) -> Iterable[int]:
        """The threads that are left once NEXT and END are decided. `character` is the class of the next character, or
        -1 at the end of the text."""
        if self.decides.isdisjoint(threads):
            return threads
        found: dict[int, None] = {}
        decided: set[int] = set()
        holds = self.holds[character]
        waiting = list(reversed(list(threads)))
        while waiting:
            at = waiting.pop()
            if at not in self.decides:
                found[at] = None
            # (a repeat of NEXT or END comes back to itself without reading a character)
            elif at in holds and at not in decided:
                decided.add(at)
                waiting += reversed(self.after[at])
        return list(found)

    def step(self, threads: Iterable[int], character: int) -> tuple[int, ...]:
        """Threads after a character."""
        takes = self.takes[character]
        found: dict[int, None] = {}
        for at in threads:
            # (the threads are resolved: those in `takes` are CHARs)
            if at in takes:
                found.update(dict.fromkeys(self.after[at]))
        return tuple(found)

    def has_match(self, threads: Iterable[int]) -> bool:
        return not self.matching.isdisjoint(threads)

    def until_match(self, threads: Iterable[int]) -> tuple[list[int], bool]:
        """(the threads before the first one that matches here, whether one matches)."""
        before = list(threads)
        for index, at in enumerate(before):
            if at in self.matching:
                return before[:index], True
        return before, False
