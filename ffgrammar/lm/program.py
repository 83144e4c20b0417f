"""Programs: texts, holes and selections, one after another.

    program = "I have " + gen("count", regex="[0-9]+") + " apples and a " + select("pet", ["cat", "dog"])

A program does nothing until it is added to a state. It may be added to many.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, TypeAlias, Union

from ffgrammar.api.compile import compile_json_schema, compile_lark, compile_regex
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import Composable, Part, optional, repeat, sequence, text
from ffgrammar.api.parts import capture as captured
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.composition.parts import SpecialToken
from ffgrammar.lm.score import read_options
from ffgrammar.regex.syntax.parser import parse
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = [
    "Addend",
    "Hole",
    "Piece",
    "Program",
    "Said",
    "Selection",
    "Settings",
    "Turn",
    "gen",
    "literal_pattern",
    "many",
    "select",
]

# Below this, log-probabilities that are divided by the temperature would leave the range of floats.
MIN_TEMPERATURE = 1e-6
# The texts of one hole are written side by side, and the model is asked about all of them at once.
MAX_TEXTS = 256


@dataclass(frozen=True)
class Settings:
    """How tokens are drawn: see `gen`."""

    temperature: float = 1.0
    top_p: float = 1.0


@dataclass(frozen=True)
class Hole:
    """What `gen` and `many` make: a part that the model writes.

    Attributes:
        name: the name of what is written; None if it is not kept.
        part: the part, given a tokenizer and the capture name; None as that name captures nothing.
        settings: how tokens are drawn; None: as in the hole before it.
        stop: a regex; the text ends before its first match. None: the part says where it ends.
        max_tokens, log_probs: see `gen`.
        free: whether it takes any text. If a text follows, it ends before this text.
        several: whether it may be captured several times: its value is a list.
        token: whether it is one special token.
        number: how many texts are written from this place, whose list the name has. None: one, which is no list.
    """

    name: str | None
    part: Callable[[Tokenizer, str | None], Composable]
    settings: Settings | None = field(default_factory=Settings)
    stop: str | None = None
    max_tokens: int | None = None
    log_probs: bool = False
    free: bool = False
    several: bool = False
    token: bool = False
    number: int | None = None


@dataclass(frozen=True)
class Said:
    """What was written under a name before, once more."""

    name: str


@dataclass(frozen=True)
class Turn:
    """Where a turn of a chat opens or closes: see `chat`."""

    role: str
    opens: bool


@dataclass(frozen=True)
class Selection:
    """What `select` makes: one of several texts."""

    name: str
    options: tuple[str, ...]
    temperature: float
    canonical: bool = True


Piece: TypeAlias = str | Hole | Selection | Said | Turn
Addend: TypeAlias = Union["Program", Composable]


@dataclass(frozen=True)
class Program:
    """Texts, holes and selections, one after another; `+` makes longer ones.

    Attributes:
        pieces: the pieces; no two texts follow each other, and none is empty.
    """

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, value: Addend) -> Program:
        """A program of one value: a program, a text, or a part of a composition, which is written but not kept.

        Raises:
            TypeError: the value is of another type.
            GrammarError: a text has half of a surrogate pair.
        """
        if isinstance(value, Program):
            return value
        expect("what is added to a program or state", value, (str, Part, Grammar), "a str, a part or a program")
        if not isinstance(value, str):
            part = value
            return cls((Hole(None, lambda tok, name: part, None, token=isinstance(part, SpecialToken)),))
        try:
            value.encode()
        except UnicodeEncodeError:
            raise GrammarError("a text cannot have half of a surrogate pair") from None
        return cls((value,) if value else ())

    @classmethod
    def joined(cls, programs: Iterable[Program]) -> Program:
        """Programs one after another. The time is linear in the number of their pieces, unlike that of many `+`."""
        pieces: list[Piece] = []
        for is_text, group in groupby(
            (piece for one in programs for piece in one.pieces), lambda one: isinstance(one, str)
        ):
            run = list(group)
            pieces += ["".join(map(str, run))] if is_text else run
        return cls(tuple(pieces))

    def __add__(self, other: Addend) -> Program:
        return Program.joined((self, Program.of(other)))

    def __radd__(self, other: Addend) -> Program:
        return Program.of(other) + self


def gen(
    name: str | None = None,
    part: Part | Grammar | None = None,
    *,
    regex: str | None = None,
    json: Any = None,
    lark: str | None = None,
    stop: str | Iterable[str] | None = None,
    stop_regex: str | None = None,
    max_tokens: int | None = None,
    temperature: float = 1.0,
    top_p: float = 1.0,
    n: int | None = None,
    log_probs: bool = False,
) -> Program:
    """A hole that the model fills: with any text, or with what a grammar allows.

    Any text ends before the first place where the text that follows the hole in the program is complete. If no text
    follows, it ends with an end-of-text token.

    Each token is drawn like this: the model's log-probabilities are divided by the temperature; only the tokens that
    the grammar allows are kept; of these the most probable ones whose probabilities add up to at least `top_p`. Tokens
    that must come are not drawn, and the model is not asked about them.

    Args:
        name: under this name the state has what was written. None: it is not kept.
        part: a part of a composition, such as a compiled grammar; no text.
        regex: a pattern, as for `compile_regex`.
        json: a JSON Schema (a dict, bool, or JSON text); written without white space between values.
        lark: a Lark grammar.
        stop: a text, or several. The hole ends before the first place where one of them is complete. They do not
            become part of the text. The hole may also end with the text.
        stop_regex: the same with a pattern.
        max_tokens: how many tokens may end inside the hole. What is written is complete nevertheless. The grammar then
            knows only the first byte of the text that follows the hole.
        temperature: 0 takes the most probable token each time; else at least 1e-6.
        top_p: more than 0, at most 1.
        n: how many texts are drawn from this place, independently of each other; at most 256. The name has their list,
            and the program goes on with the first, which is the one that there is without `n`. The grammar of each
            knows the text that follows the hole, up to the next hole. The model is asked about all of them together.
        log_probs: whether `State.log_probs` has the log-probabilities of the hole's tokens. If so, the model is asked
            about tokens that must come, too.

    Raises:
        GrammarError: more than one of part, regex, json and lark is given, or a stop beside one of them; a stop is
            empty; a number is out of range. A source is read when the hole is filled, and may raise then.
        TypeError: an argument is of another type.
    """
    expect("gen: name", name, (str, type(None)), "a str or None")
    expect("gen: max_tokens", max_tokens, (int, type(None)), "an int or None")
    if isinstance(part, str | bytes):
        raise TypeError("gen: part is a text; for a pattern write regex=, and write fixed text outside of gen")
    sources = [one is not None for one in (part, regex, json, lark)]
    stops = _stop_pattern(stop, stop_regex)
    if sum(sources) + (stops is not None) > 1:
        raise GrammarError("gen: give one of part, regex, json, lark, or stops")
    if max_tokens is not None and max_tokens < 1:
        raise GrammarError(f"gen: max_tokens must be positive, not {max_tokens}")
    expect("gen: n", n, (int, type(None)), "an int or None")
    if n is not None and not (name is not None and 1 <= n <= MAX_TEXTS):
        raise GrammarError(f"gen: n must be from 1 to {MAX_TEXTS}, not {n}" if name else "gen: n needs a name")
    expect("gen: top_p", top_p, (int, float), "a number")
    settings = Settings(_temperature("gen", temperature), top_p)
    if not 0 < top_p <= 1:
        raise GrammarError(f"gen: top_p must be more than 0 and at most 1, not {top_p}")

    def made(tok: Tokenizer, key: str | None) -> Composable:
        found: Composable
        if part is not None:
            found = part
        elif regex is not None:
            found = compile_regex(regex, tok)
        elif json is not None:
            found = compile_json_schema(json, tok, separators=(",", ":"))
        else:
            found = text() if lark is None else compile_lark(lark, tok)
        return found if key is None else captured(key, found)

    free = not any(sources)
    return Program((Hole(name, made, settings, stops, max_tokens, bool(log_probs), free, number=n),))


def select(name: str, options: Iterable[str], *, temperature: float = 1.0, canonical: bool = True) -> Program:
    """One of several texts, drawn by its exact probability: what `score` gives.

    If a text follows, its first character is the `then` of `score`. If a hole or nothing follows, anything may follow.

    Args:
        name: under this name the state has the text, and its `scores`.
        options: different texts.
        temperature: the log-probabilities of the options are divided by it. 0 takes the most probable option.
        canonical: as for `score`: whether only the token sequences count that the tokenizer itself would write.

    Raises:
        GrammarError: there are no options, two are equal, or the temperature is out of range.
        TypeError: an argument is of another type.
    """
    expect("select: name", name, str, "a str")
    expect("select: canonical", canonical, bool, "a bool")
    return Program((Selection(name, read_options(options), _temperature("select", temperature), canonical),))


def many(name: str, item: Program, separator: str = "", least: int = 0, most: int | None = None) -> Program:
    """A hole several times: the state has a list of texts under its name. Items that are empty are not in the list.

    Args:
        name: under this name the state has the list.
        item: what `gen` returns, without stops, `max_tokens` and `n`. Its name does not count.
        separator: the text between two items.
        least: how many items at least.
        most: how many at most, at least 1; None for no bound.

    Raises:
        GrammarError: the item is not a single hole, or has stops, `max_tokens` or `n`; the numbers are negative or in
            the wrong order, or `most` is 0.
        TypeError: an argument is of another type.
    """
    expect("many: name", name, str, "a str")
    expect("many: item", item, Program, "what gen returns")
    expect("many: separator", separator, str, "a str")
    hole = item.pieces[0] if len(item.pieces) == 1 else None
    bounded = isinstance(hole, Hole) and (hole.stop, hole.max_tokens, hole.number) != (None, None, None)
    if not isinstance(hole, Hole) or hole.several or bounded:
        raise GrammarError("many: the item must be one gen without stops, max_tokens and n")
    repeat(separator, least, most)  # raises if the numbers are wrong
    if most == 0:
        raise GrammarError("many: most must be at least 1")
    one = hole.part

    def made(tok: Tokenizer, key: str | None) -> Composable:
        part = one(tok, key)
        bound = None if most is None else most - 1
        rest = repeat(sequence(separator, part), max(least - 1, 0), bound)
        found = sequence(part, rest)
        return found if least else optional(found)

    return Program((replace(hole, name=name, part=made, free=False, several=True),))


def _temperature(what: str, value: float) -> float:
    expect(f"{what}: temperature", value, (int, float), "a number")
    # (an int may be larger than all floats)
    if value != 0 and not MIN_TEMPERATURE <= value <= sys.float_info.max:
        raise GrammarError(f"{what}: the temperature must be 0 or at least {MIN_TEMPERATURE}, not {value}")
    return float(value)


def _stop_pattern(stop: str | Iterable[str] | None, stop_regex: str | None) -> str | None:
    """Stops as one pattern."""
    expect("gen: stop", stop, (str, Iterable, type(None)), "a str or several")
    expect("gen: stop_regex", stop_regex, (str, type(None)), "a str or None")
    stops = () if stop is None else (stop,) if isinstance(stop, str) else tuple(stop)
    for one in stops:
        expect("gen: a stop", one, str, "a str")
        if not one:
            raise GrammarError("gen: a stop must not be empty")
        try:
            one.encode()
        except UnicodeEncodeError:
            raise GrammarError("gen: a stop cannot have half of a surrogate pair") from None
    patterns = [literal_pattern(one) for one in stops]
    if stop_regex is not None:
        parse(stop_regex)  # (alone, so that no bracket in it closes one of those that are put around it)
        patterns.append(f"(?:{stop_regex})")
    return "|".join(patterns) if patterns else None


def literal_pattern(text: str) -> str:
    """A regex that matches exactly a text."""
    # (every character as its code point: nothing needs an escape of its own)
    return "".join(f"\\x{{{ord(letter):x}}}" for letter in text)
