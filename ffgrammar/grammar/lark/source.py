"""The definitions of a Lark text, before anything is compiled, and places in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ffgrammar.core.errors import GrammarError

__all__ = ["Definition", "Op", "Source", "did_you_mean", "error_at", "place", "popped"]

# How many names, and of how many letters, are compared to find the one that was meant.
MAX_LETTERS = 60
MAX_NAMES = 1000

_T = TypeVar("_T")


class Op(NamedTuple):
    """One step of the body of a definition, with its place in the text.

    The steps of a body are in postfix order, and are evaluated on a stack of values. So deep nesting cannot overflow
    Python's own stack.

    code    argument                 effect on the stack of values
    text    (string, ignore_case)    push the string
    regex   (pattern, flags)         push what the pattern matches
    range   (first, last)            push one character between two code points
    name    name                     push what a definition stands for
    common  name                     push a terminal of the common library
    special as it is written         push a special token (rules only)
    json    text of a schema         push the JSON texts valid under it (rules only)
    pieces  JSON object              push the pieces of a text (substrings.py)
    rep     (lo, hi or None)         pop one, push its repetition
    not     None                     pop one, push all other texts (terminals only)
    cat     n                        pop n, push their concatenation
    and     n                        pop n, push their intersection (terminals only)
    alt     n                        pop n, push their alternation
    """

    code: str
    argument: Any
    offset: int


@dataclass(frozen=True)
class Definition:
    """A rule, a terminal or an %ignore.

    Attributes:
        name: the name of the rule or terminal; or "%ignore".
        offset: where the name stands in the text.
        body: steps that leave the alternatives of the body on the stack of values.
        alternatives: how many alternatives there are.
        lazy: whether it is a terminal that ends at its first match.
    """

    name: str
    offset: int
    body: tuple[Op, ...]
    alternatives: int = 1
    lazy: bool = False


@dataclass
class Source:
    """All definitions of a text.

    Attributes:
        text: the text.
        rules, terminals: definitions by name.
        ignored: the definitions of every %ignore.
        words: the definitions of every %words.
        indenter: the %indenter, as a step with the text of its JSON object; or None.
        warnings: messages about what has no effect in ffgrammar, each with its place.
    """

    text: str
    rules: dict[str, Definition] = field(default_factory=dict)
    terminals: dict[str, Definition] = field(default_factory=dict)
    ignored: list[Definition] = field(default_factory=list)
    words: list[Definition] = field(default_factory=list)
    indenter: Op | None = None
    warnings: list[str] = field(default_factory=list)


def place(text: str, offset: int) -> tuple[int, int]:
    """The line and the column of an offset, both from 1, in code points."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def error_at(text: str, offset: int, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
    """An error about a place in a text; the caller raises it."""
    line, column = place(text, offset)
    return kind(message, line=line, column=column)


def did_you_mean(name: str, known: list[str]) -> str:
    """The end of a message about a name that does not exist: the known name that is most like it; or nothing."""
    import difflib

    short = [one for one in known[:MAX_NAMES] if len(one) <= MAX_LETTERS]
    like = difflib.get_close_matches(name[:MAX_LETTERS], short, 1)
    return f"; did you mean {like[0]}?" if like else ""


def popped(stack: list[_T], count: int) -> list[_T]:
    """Take the last `count` values off a stack. (With a count of 0, `stack[-count:]` would be all values.)"""
    values = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return values
