# cython: language_level=3
r"""Recursion that is a repetition: in `ws ::= ([ \t] ws)?` the rule uses itself once in an alternative, at its end.

Such a rule is an equation X = A X | B between languages. Its least solution is A* B (Arden, Delayed-logic and
finite-state machines, 1961). If the rule uses itself at the beginning, X = X A | B, the solution is B A*. So the
rule is an expression, and no recursion is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ffgrammar.grammar.gbnf.source import Op, Rule
from ffgrammar.regex.expr.store import EMPTY, NOTHING, ExprStore

__all__ = ["linear"]


class _Sides(NamedTuple):
    """The expressions A and B of an equation. NOTHING as A: the rule does not use itself."""

    again: int
    rest: int


def linear(rule: Rule, store: ExprStore, atom: Callable[[Op], int | None]) -> int | None:
    """The expression of a rule that uses itself; None if it is no repetition.

    Args:
        rule: the rule.
        store: where expressions are made.
        atom: the expression of a string, a set or another rule; None if it has none.
    """
    for at_end in (True, False):
        sides = _sides(rule, store, atom, at_end)
        if sides is not None:
            again = store.repeat(sides.again, 0, None)
            return store.concat([again, sides.rest] if at_end else [sides.rest, again])
    return None


def _sides(rule: Rule, store: ExprStore, atom: Callable[[Op], int | None], at_end: bool) -> _Sides | None:
    stack: list[_Sides] = []
    for op in rule.body:
        code = op.code
        if code == "cat" or code == "alt":
            parts = stack[len(stack) - op.argument :]
            del stack[len(stack) - op.argument :]
            found = _alternatives(store, parts) if code == "alt" else _sequence(store, parts, at_end)
        elif code == "rep":
            found = _repeated(store, stack.pop(), op.argument)
        elif code == "name" and op.argument == rule.name:
            found = _Sides(EMPTY, NOTHING)
        else:
            expr = atom(op)
            found = None if expr is None else _Sides(NOTHING, expr)
        if found is None:
            return None
        stack.append(found)
    return stack[0]


def _alternatives(store: ExprStore, parts: list[_Sides]) -> _Sides:
    return _Sides(store.union([part.again for part in parts]), store.union([part.rest for part in parts]))


def _sequence(store: ExprStore, parts: list[_Sides], at_end: bool) -> _Sides | None:
    if not parts:
        return _Sides(NOTHING, EMPTY)
    last = parts.pop(-1 if at_end else 0)
    if any(part.again != NOTHING for part in parts):
        return None
    others = store.concat([part.rest for part in parts])

    def joined(expr: int) -> int:
        return store.concat([others, expr] if at_end else [expr, others])

    return _Sides(joined(last.again), joined(last.rest))


def _repeated(store: ExprStore, part: _Sides, bounds: tuple[int, int | None]) -> _Sides | None:
    if part.again == NOTHING:
        return _Sides(NOTHING, store.repeat(part.rest, *bounds))
    return _Sides(part.again, store.union([part.rest, EMPTY])) if bounds == (0, 1) else None
