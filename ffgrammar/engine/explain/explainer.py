"""Puts an explanation together, from the captures of a text and the recognizer's view of its end."""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.text import Special
from ffgrammar.engine.engine import Engine
from ffgrammar.engine.explain.explanation import (
    ExpectedLexeme,
    Explanation,
    LiveLexeme,
    Reason,
    Refusal,
    byte_name,
    classes,
    label,
)
from ffgrammar.engine.explain.lexeme_text import lexeme_name, lexeme_text
from ffgrammar.engine.explain.place import Place, find_place

__all__ = ["Question", "explain"]

# How many lexemes are written as text.
MAX_LEXEMES = 100
# How many lexemes a message names.
SHOWN = 6


class Question:
    """What is asked about a place.

    Args:
        more: bytes that are tried there.
        token: the id of the token that has these bytes; None if bytes were given.
        otherwise: why the token is refused if its bytes fit: a reason and a message. None if it is not refused.
    """

    def __init__(self, more: bytes, token: int | None = None, otherwise: tuple[Reason, str] | None = None) -> None:
        self.more = more
        self.token = token
        self.otherwise = otherwise


def explain(
    engine: Engine, text: bytes, special: list[Special], question: Question, captures: Sequence[Capture], may_end: bool
) -> Explanation:
    """The explanation of a place.

    Args:
        engine: of the matcher.
        text, special: what the matcher has accepted.
        question: what is asked.
        captures: those of the text, with the bytes of the question that fit.
        may_end: whether that text is a sentence.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    place = find_place(engine, text, special, question.more)
    here = text + question.more[: place.fitting]
    line_start = here.rfind(b"\n") + 1
    reading = _reading(engine, place, here)
    expected = _expected(engine, place)
    return Explanation(
        here,
        here.count(b"\n") + 1,
        len(here[line_start:].decode("utf-8", "replace")) + 1,
        may_end,
        tuple(one for one in captures if one.end is None),
        tuple(one for one in captures if one.end == len(here)),
        reading,
        expected,
        place.next_bytes,
        _refusal(question, place, len(text), reading, expected),
    )


def _reading(engine: Engine, place: Place, text: bytes) -> tuple[LiveLexeme, ...]:
    start = place.start if place.start < len(text) else None
    return tuple(
        LiveLexeme(
            lexeme_name(engine, lexeme),
            start,
            b"" if start is None else text[start:],
            lexeme_text(packed, engine.limits),
            may_end,
            _rule_names(engine, heads),
        )
        for lexeme, packed, may_end, heads in place.reading[:MAX_LEXEMES]
    )


def _expected(engine: Engine, place: Place) -> tuple[ExpectedLexeme, ...]:
    found = []
    for lexeme, packed, heads in place.expected[:MAX_LEXEMES]:
        one = engine.lexemes[lexeme]
        pattern = one.name if one.tokens else lexeme_text(packed, engine.limits)
        found.append(ExpectedLexeme(one.name, pattern, _rule_names(engine, heads), one.skip))
    return tuple(found)


def _rule_names(engine: Engine, heads: Sequence[int]) -> tuple[str, ...]:
    """The names of nonterminals: of rules of the source, if there are any, else of all."""
    known = [engine.names[head] for head in heads if head < len(engine.names)]
    return tuple(dict.fromkeys(name for name in known if name))


def _refusal(
    question: Question,
    place: Place,
    offset: int,
    reading: Sequence[LiveLexeme],
    expected: Sequence[ExpectedLexeme],
) -> Refusal | None:
    if place.fitting == len(question.more):
        if question.otherwise is None:
            return None
        reason, message = question.otherwise
        return Refusal(offset, None, question.token, reason, message)
    byte = question.more[place.fitting]
    at = offset + place.fitting
    found: Reason = place.reason  # type: ignore[assignment]
    return Refusal(at, byte, question.token, found, f"{byte_name(byte)} at byte {at} {_why(place, reading, expected)}")


def _why(place: Place, reading: Sequence[LiveLexeme], expected: Sequence[ExpectedLexeme]) -> str:
    """Why the byte of a place is refused."""
    if place.reason == "lexeme":
        return f"does not fit what is being read: {_listed([f'{one.name} needs {one.needs}' for one in reading])}"
    if place.reason == "value":
        return "would end a key or an item that must differ from those before, or leave too few that differ"
    if place.reason == "dead end":
        allowed = classes(place.next_bytes) or "nothing"
        return f"leads to no sentence, because longest match would take what must follow; allowed: {allowed}"
    ended = [one.name for one in reading if one.may_end]
    where = f"may follow {_listed(ended)}" if ended else "may come here"
    open_ones = [one.name for one in reading if not one.may_end]
    unfinished = f"; unfinished: {_listed(open_ones)}" if open_ones else ""
    if not expected:
        return f"begins nothing that {where}: the text has to end{unfinished}"
    wanted = [one for one in expected if not one.skip] or expected
    return f"begins nothing that {where}; expected: {_listed([label(one) for one in wanted])}{unfinished}"


def _listed(parts: Sequence[str]) -> str:
    more = len(parts) - SHOWN
    return "; ".join([*parts[:SHOWN], *([f"and {more} more"] if more > 0 else [])])
