# cython: language_level=3
"""The rules of a text, before anything is compiled, and errors that show their place in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ffgrammar.core.errors import GrammarError

__all__ = ["Op", "Rule", "Source", "TokenSet", "error_at", "place"]

# How much of a long line an error shows before and after its place.
BEFORE, AFTER = 60, 80


class Op(NamedTuple):
    """One step of the body of a rule, with its place in the text.

    The steps of a body are in postfix order, and are evaluated on a stack of values. So deep nesting cannot overflow
    Python's own stack.

    code      argument           effect on the stack of values
    text      str                push the string
    set       Charset            push one of these characters
    name      name               push what a rule stands for
    token     TokenSet           push a token
    dispatch  Dispatch           push free text with tags
    rep       (lo, hi or None)   pop one, push its repetition
    cat       n                  pop n, push their concatenation
    alt       n                  pop n, push their alternation
    """

    code: str
    argument: Any
    offset: int


class TokenSet(NamedTuple):
    """Tokens as they are written.

    Attributes:
        written: the notation, for messages.
        name: the name of the token, with its brackets; or None.
        ids: the ids, if there is no name.
        negated: whether any token but these is meant.
    """

    written: str
    name: str | None
    ids: tuple[int, ...]
    negated: bool


class Rule(NamedTuple):
    """A rule.

    Attributes:
        name: its name.
        offset: where the name stands in the text.
        body: steps that leave one value on the stack.
    """

    name: str
    offset: int
    body: tuple[Op, ...]


@dataclass
class Source:
    """All rules of a text, by name."""

    text: str
    rules: dict[str, Rule] = field(default_factory=dict)


def place(text: str, offset: int) -> tuple[int, int]:
    """The line and the column of an offset, both from 1, in code points."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def error_at(text: str, offset: int, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
    """An error about a place in a text, which the caller raises. It shows the line, with a mark below the place."""
    line, column = place(text, offset)
    begin = offset - column + 1
    end = text.find("\n", offset)
    first = max(begin, offset - BEFORE)
    shown = text[first : min(len(text) if end < 0 else end, offset + AFTER)].rstrip("\r").replace("\t", " ")
    excerpt = f"    {shown}\n    {' ' * (offset - first)}^"
    return kind(message, line=line, column=column, excerpt=excerpt)
