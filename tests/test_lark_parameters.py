"""Parametric rules of Lark grammars against plain Python: random ones, written out and expanded by the engine."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import ffgrammar as ff
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES

ALL = (1 << 64) - 1
LETTERS = "abc"


def bits(value: int, first: int, end: int) -> int:
    return (value >> first) & ((1 << (end - first)) - 1)


class Way(NamedTuple):
    """An alternative: a letter, and the rule that follows with its parameter; or the end."""

    written: str
    letter: str
    again: str | None
    holds: Callable[[int], bool]
    change: Callable[[int], int]


Grammar = dict[str, list[Way]]


def random_sets(rng: random.Random, numbers: list[int]) -> Grammar:
    """Rules that only set bits."""
    names = ["r", "s"][: rng.randint(1, 2)]

    def way() -> Way:
        letter, again, bit = rng.choice(LETTERS), rng.choice(names), rng.choice(numbers)
        need = rng.choice([0, 0, 1 << rng.choice(numbers)])
        asked = [f"bit_set({need.bit_length() - 1})"] if need else []
        kind = rng.randrange(4)
        if kind == 0:
            written = f'"{letter}" {again}::_'
            return Way(written + told(asked), letter, again, lambda value: value & need == need, lambda value: value)
        if kind == 1:
            written = f'"{letter}" {again}::set_bit({bit})'
            return Way(
                written + told(asked), letter, again, lambda value: value & need == need, lambda value: value | 1 << bit
            )
        written = f'"{letter}" {again}::set_bit({bit})'
        return Way(
            written + told([*asked, f"bit_clear({bit})"]),
            letter,
            again,
            lambda value: value & need == need and not value >> bit & 1,
            lambda value: value | 1 << bit,
        )

    def end() -> Way:
        need = sum(1 << one for one in numbers if rng.random() < 0.4)
        asked = [f"bit_set({one})" for one in numbers if need >> one & 1]
        return Way('""' + told(asked), "", None, lambda value: value & need == need, lambda value: value)

    return {name: [*(way() for _ in range(rng.randint(1, 4))), end()] for name in names}


def told(conditions: list[str]) -> str:
    if not conditions:
        return ""
    whole = conditions[0]
    for one in conditions[1:]:
        whole = f"and({whole}, {one})"
    return f" %if {whole}"


COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda one, other: one == other,
    "ne": lambda one, other: one != other,
    "lt": lambda one, other: one < other,
    "le": lambda one, other: one <= other,
    "gt": lambda one, other: one > other,
    "ge": lambda one, other: one >= other,
}


def random_condition(rng: random.Random, depth: int) -> tuple[str, Callable[[int], bool]]:
    kind = rng.randrange(8 if depth else 5)
    first = rng.randrange(3)
    end = rng.randint(first + 1, 3)
    bit, number = rng.randrange(3), rng.randrange(4)
    if kind == 0:
        return f"bit_set({bit})", lambda value: bool(value >> bit & 1)
    if kind == 1:
        return f"bit_clear({bit})", lambda value: not value >> bit & 1
    if kind == 2:
        name, compare = rng.choice(list(COMPARED.items()))
        return f"{name}([{first}:{end}], {number})", lambda value: compare(bits(value, first, end), number)
    if kind == 3:
        name, compare = rng.choice(list(COMPARED.items()))
        return f"bit_count_{name}(_, {number})", lambda value: compare(bin(value).count("1"), number)
    if kind == 4:
        if rng.random() < 0.5:
            return f"is_ones([{first}:{end}])", lambda value: bits(value, first, end) == (1 << (end - first)) - 1
        return f"is_zeros([{first}:{end}])", lambda value: bits(value, first, end) == 0
    one, other = random_condition(rng, depth - 1), random_condition(rng, depth - 1)
    if kind == 5:
        return f"and({one[0]}, {other[0]})", lambda value: one[1](value) and other[1](value)
    if kind == 6:
        return f"or({one[0]}, {other[0]})", lambda value: one[1](value) or other[1](value)
    return f"not({one[0]})", lambda value: not one[1](value)


def random_function(rng: random.Random) -> tuple[str, Callable[[int], int]]:
    first = rng.randrange(3)
    end = rng.randint(first + 1, 3)
    bit, number = rng.randrange(3), rng.randrange(8)
    ones = (1 << (end - first)) - 1
    found: list[tuple[str, Callable[[int], int]]] = [
        ("_", lambda value: value),
        (f"{number:#x}", lambda value: number),
        (f"set_bit({bit})", lambda value: value | 1 << bit),
        (f"clear_bit({bit})", lambda value: value & ALL & ~(1 << bit)),
        (f"bit_and({number})", lambda value: value & number),
        (f"bit_or({number})", lambda value: value | number),
        (f"incr([{first}:{end}])", lambda value: value if bits(value, first, end) == ones else value + (1 << first)),
        (f"decr([{first}:{end}])", lambda value: value if bits(value, first, end) == 0 else value - (1 << first)),
    ]
    return rng.choice(found)


def random_rules(rng: random.Random) -> Grammar:
    """Rules with any functions and conditions."""

    def way(name: str) -> Way:
        condition, holds = random_condition(rng, 2)
        if rng.random() < 0.4:
            return Way(f'"" %if {condition}', "", None, holds, lambda value: value)
        letter, (function, change) = rng.choice(LETTERS), random_function(rng)
        return Way(f'"{letter}" {name}::{function} %if {condition}', letter, name, holds, change)

    return {name: [way(rng.choice("rs")) for _ in range(rng.randint(1, 4))] for name in "rs"}


def source(grammar: Grammar) -> str:
    rules = [f"{name}::_: " + "\n  | ".join(way.written for way in ways) for name, ways in grammar.items()]
    return "\n".join(["start: r::0", *rules])


class Machine:
    """Reads texts: states are a rule and its parameter."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.good: dict[tuple[str, int], bool] = {}

    def completable(self, state: tuple[str, int]) -> bool:
        seen, todo = {state}, [state]
        while todo:
            name, value = todo.pop()
            for way in self.grammar[name]:
                if way.holds(value):
                    if way.again is None:
                        return True
                    after = (way.again, way.change(value))
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
        return False

    def read(self, text: str) -> tuple[bool, bool]:
        """Whether a sentence begins with a text, and whether the text is one."""
        states = {("r", 0)}
        for letter in text:
            states = {
                (way.again, way.change(value))
                for name, value in states
                for way in self.grammar[name]
                if way.again is not None and way.letter == letter and way.holds(value)
            }
        ended = any(way.again is None and way.holds(value) for name, value in states for way in self.grammar[name])
        for state in states:
            if state not in self.good:
                self.good[state] = self.completable(state)
        return any(self.good[state] for state in states), ended


def compare(grammar: Grammar, families: bool | None) -> bool:
    text = source(grammar)
    machine = Machine(grammar)
    try:
        compiled = ff.compile_lark(text, BYTES)
    except ff.GrammarError as error:
        assert "no text at all matches" in error.message and not machine.read("")[0], text
        return False
    expanded = bool(build(text, ExprStore(), ff.Limits()).templates)
    assert families is None or families or not expanded
    for length in range(5):
        for letters in itertools.product(LETTERS, repeat=length):
            matcher: Any = compiled.matcher()
            word = "".join(letters)
            found = matcher.accept_bytes(word.encode()) == length
            assert (found, found and matcher.is_accepting()) == machine.read(word), (text, word)
    return expanded


@pytest.mark.parametrize(("numbers", "families"), [([0, 1, 2], False), ([0, 9, 63], True)], ids=["few", "many"])
def test_rules_that_set_bits(numbers: list[int], families: bool) -> None:
    expanded = sum(compare(random_sets(random.Random(seed), numbers), families) for seed in range(60))
    assert (expanded > 10) == families


def test_all_functions_and_conditions() -> None:
    for seed in range(60):
        compare(random_rules(random.Random(seed)), None)
