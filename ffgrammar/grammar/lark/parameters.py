"""Parameters of rules: `name::set_bit(0)`, and conditions on them: `%if bit_clear(0)`.

A parameter is a number of 64 bits. A function makes the parameter of a rule that is used from that of the rule that
uses it. An alternative with a condition counts only for the parameters that meet the condition. All comparisons are
unsigned.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.names import did_you_mean, one_of

if TYPE_CHECKING:
    from ffgrammar.grammar.lark.tokens import Cursor, Token

__all__ = ["Condition", "Function", "is_constant", "read_condition", "read_function"]

BITS = 64
ALL = (1 << BITS) - 1
# How deep conditions may be nested.
MAX_DEPTH = 50

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_OF_BITS: dict[str, Callable[[int, int], int]] = {
    "set_bit": lambda value, bit: value | 1 << bit,
    "clear_bit": lambda value, bit: value & ~(1 << bit),
}
_OF_VALUES: dict[str, Callable[[int, int], int]] = {"bit_and": operator.and_, "bit_or": operator.or_}
_OF_RANGES = ("incr", "decr")
_FUNCTIONS = (*_OF_BITS, *_OF_VALUES, *_OF_RANGES)
_TESTS = ("true", "bit_clear", "bit_set", "is_ones", "is_zeros", *_COMPARISONS)
_CONDITIONS = (*_TESTS, *(f"bit_count_{name}" for name in _COMPARISONS), "and", "or", "not")


class _Range(NamedTuple):
    """The bits from `first` to before `end`."""

    first: int
    end: int

    def of(self, value: int) -> int:
        return (value >> self.first) & self.ones

    @property
    def ones(self) -> int:
        return (1 << (self.end - self.first)) - 1


class Function(NamedTuple):
    """What makes the parameter of a rule that is used.

    Attributes:
        name: the function; or "" for a number, and "_" for the parameter itself.
        argument: a number, the number of a bit, or a range of bits.
    """

    name: str
    argument: int | _Range = 0

    def of(self, value: int) -> int:
        """The new parameter."""
        argument = self.argument
        if isinstance(argument, _Range):
            bits = argument.of(value)
            if self.name == "incr":
                return value if bits == argument.ones else value + (1 << argument.first)
            return value if bits == 0 else value - (1 << argument.first)
        if self.name in ("", "_"):
            return argument if self.name == "" else value
        combine = _OF_BITS.get(self.name) or _OF_VALUES[self.name]
        return combine(value, argument)


class Condition(NamedTuple):
    """What the parameter of a rule must meet.

    Attributes:
        name: the test, or "and", "or", "not".
        bits: the bits that are tested.
        number: what they are compared with.
        inner: the conditions that "and", "or" and "not" combine.
    """

    name: str
    bits: _Range = _Range(0, BITS)
    number: int = 0
    inner: tuple[Condition, ...] = ()

    def holds(self, value: int) -> bool:
        """Whether a parameter meets it."""
        if self.name == "true":
            return True
        if self.name == "and":
            return all(one.holds(value) for one in self.inner)
        if self.name == "or":
            return any(one.holds(value) for one in self.inner)
        if self.name == "not":
            return not self.inner[0].holds(value)
        bits = self.bits.of(value)
        if self.name.startswith("bit_count_"):
            return _COMPARISONS[self.name[10:]](bits.bit_count(), self.number)
        return _COMPARISONS[self.name](bits, self.number)


def is_constant(function: Function) -> bool:
    """Whether a function has the same value for every parameter."""
    return function.name == ""


def read_function(at: Cursor) -> Function:
    """Read what stands after `::` where a rule is used. Raises GrammarError if it is malformed."""
    token = at.take("number", "_", "rule", what="a number, '_' or a function, such as set_bit(0)")
    if token.kind == "number":
        return Function("", _number(at, token, ALL))
    if token.kind == "_":
        return Function("_")
    name = token.value
    if name not in _FUNCTIONS:
        raise _unknown(at, token, "function", _FUNCTIONS)
    at.take("(", what=f"'(' after {name}")
    argument: int | _Range
    if name in _OF_RANGES:
        argument = _bit_range(at)
    else:
        number = at.take("number", what="a number")
        argument = _number(at, number, BITS - 1 if name in _OF_BITS else ALL)
    at.take(")", what="')'")
    return Function(name, argument)


def read_condition(at: Cursor, depth: int = 0) -> Condition:
    """Read a condition. Raises GrammarError if it is malformed, or nested too deep."""
    token = at.take("rule", what="a condition, such as bit_clear(0)")
    name = token.value
    if name not in _CONDITIONS:
        raise _unknown(at, token, "condition", _CONDITIONS)
    if depth > MAX_DEPTH:
        raise at.error(token.offset, f"conditions are nested deeper than {MAX_DEPTH}")
    if name == "true" and at.peek().kind != "(":
        return Condition(name)
    at.take("(", what=f"'(' after {name}")
    found = _arguments(at, name, depth)
    at.take(")", what="')'")
    return found


def _arguments(at: Cursor, name: str, depth: int) -> Condition:
    """What stands in the brackets of a condition."""
    if name == "true":
        return Condition(name)
    if name in ("and", "or", "not"):
        inner = [read_condition(at, depth + 1)]
        if name != "not":
            at.take(",", what="','")
            inner.append(read_condition(at, depth + 1))
        return Condition(name, inner=tuple(inner))
    if name in ("bit_clear", "bit_set"):
        bit = _number(at, at.take("number", what="the number of a bit"), BITS - 1)
        return Condition("eq", _Range(bit, bit + 1), int(name == "bit_set"))
    bits = _bit_range(at)
    if name in ("is_ones", "is_zeros"):
        return Condition("eq", bits, bits.ones if name == "is_ones" else 0)
    at.take(",", what="','")
    return Condition(name, bits, _number(at, at.take("number", what="a number"), ALL))


def _bit_range(at: Cursor) -> _Range:
    """Read `[first:end]`, or `_` for all bits."""
    opener = at.take("[", "_", what="a range of bits, such as [0:3], or '_'")
    if opener.kind == "_":
        return _Range(0, BITS)
    first = _number(at, at.take("number", what="the number of a bit"), BITS)
    at.take(":", what="':'")
    end = _number(at, at.take("number", what="the number of a bit"), BITS)
    at.take("]", what="']'")
    if first >= end:
        raise at.error(opener.offset, f"the range of bits [{first}:{end}] is empty")
    return _Range(first, end)


def _number(at: Cursor, token: Token, most: int) -> int:
    value = token.value
    is_hex = value[:2] in ("0x", "0X")
    if not is_hex and not value.isdigit():
        raise at.error(token.offset, f"expected a whole number, found {value}")
    if len(value) > 2 * BITS or (number := int(value, 16 if is_hex else 10)) > most:
        raise at.error(token.offset, f"{value[:BITS]} is too large: at most {most} is expected")
    return number


def _unknown(at: Cursor, token: Token, what: str, known: tuple[str, ...]) -> GrammarError:
    hint = did_you_mean(token.value, list(known)) or f"; there are {one_of(known)}"
    return at.error(token.offset, f"there is no {what} {token.value}{hint}")
