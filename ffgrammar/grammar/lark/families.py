"""Parametric rules that the engine itself expands.

A rule for n things in any order has 2^n parameters, of which a text meets a handful. The engine makes nonterminals for
sets of bits when a text needs them (`Template` in ir.py), as it does for the keys of JSON objects. It can do so for
rules that only set bits, and whose alternatives ask for nothing but bits that are clear before they are set, or for
bits that are set. Other parametric rules are written out for each parameter (rules.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ffgrammar.grammar.lark.parameters import Condition
from ffgrammar.grammar.lark.source import Definition, Op, Source

__all__ = ["Member", "bits_of", "find_families"]

# Rules with at most this many bits are written out: then their names can be captures.
MAX_WRITTEN_BITS = 8
_COUNTED = ("cat", "and", "alt")


class Member(NamedTuple):
    """An alternative of a rule that the engine expands.

    Attributes:
        body: its steps without the rule that follows at the end.
        again: the name of that rule, or None.
        bit: the bit that it sets, or None.
        clear: whether this bit must be clear before.
        need: the bits that must be set.
    """

    body: tuple[Op, ...]
    again: str | None
    bit: int | None
    clear: bool
    need: int


_Families = dict[str, list[Member]]


def find_families(source: Source, takes_text: Callable[[Op], bool]) -> _Families:
    """The parametric rules that the engine can expand, with their alternatives.

    Args:
        source: the definitions.
        takes_text: whether a step is a lexeme that is never empty.

    Returns:
        An empty dict if none of them has more than MAX_WRITTEN_BITS bits.
    """
    found: _Families = {}
    for rule in source.rules.values():
        members = _members(rule, takes_text) if rule.parametric and not rule.params else None
        if members is not None:
            found[rule.name] = members
    before = -1
    while before != len(found):
        before = len(found)
        good = _completable(found) & _well_used(source, found)
        found = {name: members for name, members in found.items() if name in good}
    most = max([bits_of(members) for members in found.values()], default=0)
    return found if most > MAX_WRITTEN_BITS else {}


def bits_of(members: list[Member]) -> int:
    """How many bits alternatives are about."""
    numbers = [-1 if one.bit is None else one.bit for one in members]
    return max([number + 1 for number in numbers] + [one.need.bit_length() for one in members], default=0)


def _well_used(source: Source, found: _Families) -> set[str]:
    """The rules of which each use is at the end of an alternative of such a rule, or has the parameter 0."""
    good = set(found)
    for rule in source.rules.values():
        inner = [op for one in found.get(rule.name, ()) for op in one.body] if rule.name in found else rule.body
        for op in inner:
            if op.code == "param" and (op.argument[1].name != "" or op.argument[1].argument != 0):
                good.discard(op.argument[0])
    for name, members in found.items():
        if any(one.again is not None and one.again not in found for one in members):
            good.discard(name)
    return good


def _completable(found: _Families) -> set[str]:
    """The rules that can be completed from every parameter: they can set all bits that some way out of them needs."""
    good: set[str] = set()
    before = -1
    while before != len(good):
        before = len(good)
        for name, members in found.items():
            free = [one.bit for one in members if one.again == name and one.bit is not None and not one.need]
            own = sum(1 << bit for bit in set(free))
            for one in members:
                if one.bit is None and not one.need & ~own and (one.again is None or one.again in good):
                    good.add(name)
    return good


def _members(rule: Definition, takes_text: Callable[[Op], bool]) -> list[Member] | None:
    """The alternatives of a rule, or None if one has another form."""
    members: list[Member] = []
    for condition, body in _split(rule):
        member = _member(condition, body, takes_text)
        if member is None:
            return None
        members.append(member)
    return members


def _split(rule: Definition) -> Iterator[tuple[Condition | None, tuple[Op, ...]]]:
    """The alternatives of a rule, the last one first: their conditions and their steps."""
    end = len(rule.body)
    while end > 0:
        first, missing = end, 1
        while missing > 0:
            first -= 1
            missing += _operands(rule.body[first]) - 1
        body = rule.body[first:end]
        condition = rule.body[first - 1] if first > 0 else None
        if condition is not None and condition.code == "if" and condition.argument[1] == len(body):
            yield condition.argument[0], body
            first -= 1
        else:
            yield None, body
        end = first


def _operands(op: Op) -> int:
    """How many values a step takes off the stack. (A condition in a group takes none, and leaves none.)"""
    if op.code in _COUNTED:
        return int(op.argument)
    if op.code == "call":
        return int(op.argument[1])
    return 1 if op.code in ("rep", "not", "if") else 0


def _member(condition: Condition | None, body: tuple[Op, ...], takes_text: Callable[[Op], bool]) -> Member | None:
    need = _need(condition)
    if need is None:
        return None
    ones, clear = need
    if len(body) > 1 and body[-1].code == "cat" and body[-2].code == "param":
        again, last = body[-2].argument, body[-1]
        inner = (*body[:-2], last._replace(argument=last.argument - 1))
    else:
        again, inner = None, body
    if any(op.code in ("param", "if") for op in inner):
        return None
    if again is None:
        return None if clear else Member(inner, None, None, False, ones)
    name, function = again
    if not any(takes_text(op) for op in _items(inner)):
        return None
    if function.name == "_" and not clear:
        return Member(inner, name, None, False, ones)
    if function.name == "set_bit" and clear <= {function.argument}:
        return Member(inner, name, int(function.argument), bool(clear), ones)
    return None


def _items(body: tuple[Op, ...]) -> Iterator[Op]:
    """The items of a concatenation that are one step."""
    end = len(body) - 1
    while end > 0:
        first, missing = end, 1
        while missing > 0:
            first -= 1
            missing += _operands(body[first]) - 1
        if first == end - 1:
            yield body[first]
        end = first


def _need(condition: Condition | None) -> tuple[int, set[int]] | None:
    """The bits that a condition asks to be set, and to be clear; None if it asks for something else."""
    if condition is None or condition.name == "true":
        return 0, set()
    bits = condition.bits
    if condition.name == "and":
        inner = [_need(one) for one in condition.inner]
        if inner[0] is None or inner[1] is None:
            return None
        return inner[0][0] | inner[1][0], inner[0][1] | inner[1][1]
    if condition.name == "eq" and condition.number == bits.ones:
        return bits.ones << bits.first, set()
    if condition.name == "eq" and condition.number == 0 and bits.ones == 1:
        return 0, {bits.first}
    return None
