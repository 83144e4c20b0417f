"""What a Lark text says, before any of it is compiled; and places in that text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from ffgrammar.core.errors import GrammarError

__all__ = ["Definition", "Op", "Source", "error_at", "place", "popped"]

_T = TypeVar("_T")


class Op(NamedTuple):
    """One step of a body. Bodies are in postfix order, so that no depth of nesting can overflow a stack.

    code    argument                 effect on the stack of values
    text    (string, ignore_case)    push
    regex   (pattern, flags)         push
    range   (first, last)            push
    name    name                     push what the definition stands for
    common  name                     push a terminal of the common library
    rep     (lo, hi or None)         pop one, push its repetition
    not     None                     pop one, push all texts but its (terminals only)
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
        body: leaves its alternatives on the stack, `alternatives` of them.
        lazy: the terminal ends at its first match.
    """

    name: str
    offset: int
    body: tuple[Op, ...]
    alternatives: int = 1
    lazy: bool = False


@dataclass
class Source:
    """All definitions of one text."""

    text: str
    rules: dict[str, Definition] = field(default_factory=dict)
    terminals: dict[str, Definition] = field(default_factory=dict)
    ignored: list[Definition] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, in code points."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def error_at(text: str, offset: int, message: str, kind: type[GrammarError] = GrammarError) -> GrammarError:
    """The error, to be raised by the caller."""
    line, column = place(text, offset)
    return kind(message, line=line, column=column)


def popped(stack: list[_T], count: int) -> list[_T]:
    """The last values of a stack, taken off it (a plain slice would take all of them for a count of 0)."""
    values = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return values
