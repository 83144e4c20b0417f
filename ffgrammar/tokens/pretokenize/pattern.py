r"""Reads pre-tokenizer patterns: the regular expressions that cut a text into pre-tokens before its bytes are merged.

The patterns are of the backtracking kind: of several ways to match, the one that is written first counts. Models use a
small part of that language, and only this part is read:

    a|b  (?:…)  (?i:…)  ? * + {m} {m,n} {m,}, each also lazy (??) or possessive (?+)
    characters, \r \n \t \v \f \s \S \d \D \w \W \p{L} \p{Lu} \p{Han} \P{N} …
    classes [^\s\p{L}] [a[bc]] [\p{L}&&[^\p{Han}]]
    (?!x) (?=x), where x is one character or class; $ at the end of a text; groups (…), which only group

A possessive quantifier gives nothing back. It is read as a greedy one, and refused where that could make a difference:
where a character that it takes may also begin what follows. It is also refused where this cannot be told: at the end of
a group, and after more than one character or class.

Engines differ in what \w is. tiktoken's has the two joiners U+200C and U+200D in it. Oniguruma, which Hugging Face's
tokenizers use, has not. But Oniguruma's \w has ² ³ ¹ ¼ ½ ¾, unless it stands in a class: these six are in \w and not in
[\w]. \W is the opposite. Both engines were asked about all characters.

`compile_pattern` makes a program for a Pike machine, a list of `Instruction`, in well under a millisecond. What a
pattern matches is not decided here but in automaton.py, which also says what a Pike machine is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.program import (
    CHAR,
    END,
    JUMP,
    MATCH,
    MAX_INSTRUCTIONS,
    NEXT,
    PROPERTIES,
    SPLIT,
    CharSet,
    Instruction,
    may_share,
)
from ffgrammar.tokens.pretokenize.properties import PROPERTY_NAMES, property_ranges

__all__ = ["compile_pattern"]

MAX_REPEATS = 64

TOGETHER = ({"Lu", "Lt"}, {"Lm", "Lo"})
# The bit of \p{P} and \p{S} together. One of the two alone is read as ranges (properties.py).
SIGNS = 128

# What is in \w in some places only
JOINERS = ((0x200C, 0x200D),)
FRACTIONS = ((0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE))


Node = Callable[[list[Instruction]], None]


class Part(NamedTuple):
    """A part of a pattern.

    Attributes:
        emit: appends its instructions to a program.
        first: the sets of characters that it may begin with.
        nullable: whether it may match the empty text.
        single: if it is one character or class, or a repeat of one: the set of these characters; else None.
    """

    emit: Node
    first: tuple[CharSet, ...]
    nullable: bool = False
    single: CharSet | None = None


def compile_pattern(pattern: str, oniguruma: bool = False) -> list[Instruction]:
    r"""The program of a pattern. It ends with MATCH.

    Args:
        pattern: the pattern.
        oniguruma: whether \w is Oniguruma's; if not, it is tiktoken's.

    Raises:
        TokenizerError: the pattern uses something that is not read here, or its program has more than MAX_INSTRUCTIONS
            steps. The message says what, and at which position.
    """
    reader = _Reader(pattern, oniguruma)
    part = reader.alternatives(ignore_case=False)
    if reader.at < len(pattern):
        raise reader.error("unmatched )")
    program: list[Instruction] = []
    part.emit(program)
    program.append(Instruction(MATCH))
    if len(program) > MAX_INSTRUCTIONS:
        raise reader.error(f"more than {MAX_INSTRUCTIONS} steps")
    return program


def _step(step: Instruction, first: tuple[CharSet, ...], nullable: bool = False, single: CharSet | None = None) -> Part:
    """A part of one instruction."""
    return Part(lambda program: program.append(step), first, nullable, single)


def _first(parts: list[Part]) -> tuple[CharSet, ...]:
    """The sets of characters that a sequence of parts may begin with."""
    found: list[CharSet] = []
    for part in parts:
        found += part.first
        if not part.nullable:
            break
    return tuple(found)


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str, oniguruma: bool) -> None:
        self.pattern = pattern
        self.oniguruma = oniguruma
        self.at = 0
        self.depth = 0

    def error(self, what: str) -> TokenizerError:
        return TokenizerError(f"pre-tokenizer pattern, character {self.at}: {what}: {self.pattern!r}")

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self, text: str) -> bool:
        found = self.peek(text)
        self.at += len(text) if found else 0
        return found

    def alternatives(self, ignore_case: bool) -> Part:
        parts = [self.sequence(ignore_case)]
        while self.take("|"):
            parts.append(self.sequence(ignore_case))
        if len(parts) == 1:
            return parts[0]

        def emit(program: list[Instruction]) -> None:
            jumps = []
            for part in parts[:-1]:
                split = len(program)
                program.append(Instruction(SPLIT))
                part.emit(program)
                jumps.append(len(program))
                program.append(Instruction(JUMP))
                program[split] = Instruction(SPLIT, to=split + 1, other=len(program))
            parts[-1].emit(program)
            for jump in jumps:
                program[jump] = Instruction(JUMP, to=len(program))

        first = tuple(one for part in parts for one in part.first)
        return Part(emit, first, any(part.nullable for part in parts))

    def sequence(self, ignore_case: bool) -> Part:
        parts: list[Part] = []
        possessive: list[int] = []
        while self.at < len(self.pattern) and not self.peek("|") and not self.peek(")"):
            part = self.atom(ignore_case)
            part, kept = self.quantified(part)
            if kept:
                possessive.append(len(parts))
            parts.append(part)
        for index in possessive:
            self.check_possessive(parts, index)

        def emit(program: list[Instruction]) -> None:
            for part in parts:
                part.emit(program)

        first = _first(parts)
        nullable = all(part.nullable for part in parts)
        return Part(emit, first, nullable, parts[0].single if len(parts) == 1 else None)

    def check_possessive(self, parts: list[Part], index: int) -> None:
        taken, after = parts[index].single, parts[index + 1 :]
        at_the_end = self.depth > 0 and all(part.nullable for part in after)
        if taken is None or at_the_end or any(may_share(taken, one) for one in _first(after)):
            raise self.error("a possessive quantifier before what it may have taken is not supported")

    def quantified(self, part: Part) -> tuple[Part, bool]:
        if self.take("?"):
            least, most = 0, 1
        elif self.take("*"):
            least, most = 0, -1
        elif self.take("+"):
            least, most = 1, -1
        elif self.peek("{"):
            least, most = self.braces()
        else:
            return part, False
        lazy = self.take("?")
        possessive = not lazy and self.take("+")

        def choice(program: list[Instruction], split: int, inside: int, after: int) -> None:
            first, second = (after, inside) if lazy else (inside, after)
            program[split] = Instruction(SPLIT, to=first, other=second)

        def emit(program: list[Instruction]) -> None:
            start = len(program)
            for _ in range(least):
                start = len(program)
                part.emit(program)
            if most < 0:
                split = len(program)
                program.append(Instruction(SPLIT))
                if least:
                    choice(program, split, start, split + 1)
                else:
                    part.emit(program)
                    program.append(Instruction(JUMP, to=split))
                    choice(program, split, split + 1, len(program))
                return
            splits = []
            for _ in range(most - least):
                splits.append(len(program))
                program.append(Instruction(SPLIT))
                part.emit(program)
            for split in splits:
                choice(program, split, split + 1, len(program))

        return Part(emit, part.first, part.nullable or not least, part.single), possessive

    def braces(self) -> tuple[int, int]:
        self.at += 1
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at : max(end, self.at)].partition(",")
        if not low.isdecimal() or (high and not high.isdecimal()):
            raise self.error("expected {m}, {m,} or {m,n}")
        least = int(low)
        most = least if not comma else int(high) if high else -1
        if max(least, most) > MAX_REPEATS or -1 < most < least:
            raise self.error(f"repeats must be ascending and at most {MAX_REPEATS}")
        self.at = end + 1
        return least, most

    def atom(self, ignore_case: bool) -> Part:
        if self.take("(?:"):
            return self.group(ignore_case)
        if self.take("(?i:"):
            return self.group(True)
        for text, wanted in (("(?!", False), ("(?=", True)):
            if self.take(text):
                chars, without = self.characters(ignore_case)
                if not self.take(")") or without:
                    raise self.error("only one character can be looked ahead to")
                return _step(Instruction(NEXT, chars, wanted=wanted), (), nullable=True)
        if self.take("$"):
            return _step(Instruction(END), ())
        if self.peek("(?"):
            raise self.error("this kind of group is not supported")
        if self.take("("):
            return self.group(ignore_case)
        chars, without = self.characters(ignore_case)
        if without is None:
            return _step(Instruction(CHAR, chars), (chars,), single=chars)

        def emit(program: list[Instruction]) -> None:
            program.append(Instruction(NEXT, without, wanted=False))
            program.append(Instruction(CHAR, chars))

        return Part(emit, (chars,))

    def group(self, ignore_case: bool) -> Part:
        self.depth += 1
        part = self.alternatives(ignore_case)
        self.depth -= 1
        if not self.take(")"):
            raise self.error("expected )")
        return part

    def characters(self, ignore_case: bool) -> tuple[CharSet, CharSet | None]:
        """Reads one character, escape or class. Returns (its set, the set that is taken out of it or None). In
        [a&&[^b]], b is taken out of a."""
        if self.take("["):
            return self.bracketed(ignore_case)
        return self.set_of(*self.member(ignore_case)), None

    def bracketed(self, ignore_case: bool) -> tuple[CharSet, CharSet | None]:
        negated = self.take("^")
        names: list[str] = []
        ranges: list[tuple[int, int]] = []
        mask = 0  # of the classes inside this one
        if self.peek("]"):
            raise self.error("] at the start of a class is not supported")
        while not self.take("]"):
            if not negated and (names or ranges or mask) and self.take("&&[^"):
                self.at -= 1  # (`bracketed` reads the ^)
                without, other = self.bracketed(ignore_case)
                if other or not without.negated or not self.take("]"):
                    raise self.error("only [^...] can be taken out of a class, at its end")
                return self.set_of(names, ranges, False, mask), without._replace(negated=False)
            if any(self.peek(text) for text in ("&&", "--", "~~", "[^", "[:")):
                raise self.error("operations on classes are not supported")
            if self.take("["):
                inner, out = self.bracketed(ignore_case)
                if out or inner.negated:
                    raise self.error("only plain classes are supported inside a class")
                mask |= inner.mask
                ranges += inner.ranges
                continue
            more, found, opposite = self.member(ignore_case, True)
            if opposite:
                if names or ranges or mask or negated or not self.take("]"):
                    raise self.error("\\S or \\P beside others in a class is not supported")
                return self.set_of(more, found, True), None
            if self.peek("-") and not self.pattern.startswith("-]", self.at) and len(found) >= 1 and not more:
                self.at += 1
                _, last, _ = self.member(False, True)
                if ignore_case or len(found) != 1 or len(last) != 1 or last[0][0] < found[0][0]:
                    raise self.error("this range is not supported")
                found = [(found[0][0], last[0][0])]
            names += more
            ranges += found
        return self.set_of(names, ranges, negated, mask), None

    def member(self, ignore_case: bool, bracketed: bool = False) -> tuple[list[str], list[tuple[int, int]], bool]:
        """(properties, ranges, whether all other characters are meant) of a character or an escape."""
        if self.at >= len(self.pattern):
            raise self.error("the pattern ends too early")
        character = self.pattern[self.at]
        self.at += 1
        if character == "\\":
            escape = self.pattern[self.at : self.at + 1]
            self.at += 1
            if escape in ("p", "P"):
                end = self.pattern.find("}", self.at)
                name = self.pattern[self.at + 1 : end] if self.peek("{") and end > 0 else ""
                if (name not in PROPERTIES and name not in PROPERTY_NAMES) or name in ("s", "w"):
                    raise self.error(f"the property {name!r} is not supported")
                self.at = end + 1
                return [name], [], escape == "P"
            if escape in ("s", "S"):
                return ["s"], [], escape == "S"
            if escape in ("d", "D"):
                return ["Nd"], [], escape == "D"
            if escape in ("w", "W"):
                more = JOINERS if not self.oniguruma else () if bracketed else FRACTIONS
                return ["w"], list(more), escape == "W"
            if escape in ("r", "n", "t", "v", "f"):
                character = {"r": "\r", "n": "\n", "t": "\t", "v": "\v", "f": "\f"}[escape]
            elif escape.isalnum() or not escape:
                raise self.error(f"\\{escape} is not supported")
            else:
                character = escape
        elif character in "?*+{.^" and not bracketed:
            raise self.error(f"{character!r} is not supported here")
        return [], [(code, code) for code in _cases(character, ignore_case)], False

    def set_of(self, names: Iterable[str], ranges: Iterable[tuple[int, int]], negated: bool, mask: int = 0) -> CharSet:
        """The set of characters with one of these properties, in these ranges, or with one of the bits in `mask`."""
        given = set(names)
        for pair in TOGETHER:
            if given & pair and not pair <= given and "L" not in given:
                raise self.error(f"{' and '.join(sorted(pair))} are supported together only")
        if {"P", "S"} <= given:
            given -= {"P", "S"}
            mask |= SIGNS
        named = [one for name in sorted(given & set(PROPERTY_NAMES)) for one in property_ranges(name)]
        for name in given & PROPERTIES.keys():
            mask |= PROPERTIES[name]
        return CharSet(mask, (*ranges, *named), negated)


def _cases(character: str, ignore_case: bool) -> list[int]:
    """The code points that a character stands for."""
    if not ignore_case:
        return [ord(character)]
    found = {character, character.lower(), character.upper()}
    # the two letters beyond ASCII that are ASCII letters in another case
    found |= {"\u017f"} if "s" in found else {"\u212a"} if "k" in found else set()
    return sorted(ord(one) for one in found if len(one) == 1)
