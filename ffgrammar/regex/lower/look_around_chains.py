"""Chains: expressions with conditions between them, and how they become one expression.

A condition asks for something of all the text before a place, or of all the text after it. Two operations remove
conditions:

- *Nesting.* If a condition asks for a language of the text before (or after) it, the part of the chain before (or
  after) it is intersected with this language. Nesting works if the conditions about the text before come first in the
  chain, and those about the text after come last.
- *Settling.* A condition that sees only a few characters is decided by the expression beside it, if the texts of that
  expression are long enough. If the condition sees one character and the expression matches the empty text, there are
  two alternatives: texts of the expression that decide the condition, and the empty text, behind which the condition
  is still to be settled.

A condition that neither operation can remove is refused, with its column. Alternatives multiply, so
`Limits.alternatives` bounds them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, NOTHING, ExprStore
from ffgrammar.regex.lower.look_around_loops import AMBIGUOUS, loop_after, loop_before
from ffgrammar.regex.lower.utf8 import Encoding
from ffgrammar.regex.syntax.charset import ANY

__all__ = ["FREE", "Chain", "Chains", "Condition", "Loop", "Value"]

TOO_FAR = "holds another one that sees too far in the other direction"


class Condition(NamedTuple):
    """What must be true at a place between two characters.

    Attributes:
        before, after: the languages in which all the text on each side must be; ANY_BYTES asks for nothing.
        before_reach, after_reach: how many characters next to the place decide whether the text on that side is in its
            language; None: any number.
        column: where the condition was written, for messages.
    """

    before: int
    before_reach: int | None
    after: int
    after_reach: int | None
    column: int | None


class Loop(NamedTuple):
    """A repeat whose body has conditions that could not be settled inside it.

    Attributes:
        body: the alternatives of one round.
        lo, hi: how many rounds; hi None: no upper bound.
        sees_before, sees_after: whether a condition in the body is about the text on that side.
        column: for messages.
    """

    body: tuple[Chain, ...]
    lo: int
    hi: int | None
    sees_before: bool
    sees_after: bool
    column: int | None


# An expression or a loop; then, any number of times, a condition and another expression or loop.
Chain = tuple[Any, ...]
# The value of a tree: alternatives.
Value = tuple[Chain, ...]

FREE = Condition(ANY_BYTES, 0, ANY_BYTES, 0, None)


class Chains:
    """The operations on chains over one store.

    Args:
        store: where expressions are made.
        encode: how characters are spelled in bytes; the reach of conditions is counted in characters.
    """

    def __init__(self, store: ExprStore, encode: Encoding) -> None:
        self.store = store
        self.char = encode.charset(store, ANY)

    def refuse(self, column: int | None, why: str) -> NoReturn:
        """Raise UnsupportedError for the look-around at a column."""
        raise UnsupportedError(f"in the pattern: this look-around {why}; rewrite the pattern without it", column=column)

    def limited(self, chains: list[Any]) -> Value:
        """The chains as a tuple, if they are not too many.

        Raises:
            LimitError: there are more than `Limits.alternatives`.
        """
        most = self.store.limits.alternatives
        if len(chains) > most:
            raise LimitError("alternatives", most, "a pattern with look-around has too many alternatives")
        return tuple(chains)

    def both(self, one: Condition, two: Condition) -> Condition:
        """One condition that asks for all that two conditions at the same place ask for."""
        intersect = self.store.intersect
        return Condition(
            intersect([one.before, two.before]),
            _longer(one.before_reach, two.before_reach),
            intersect([one.after, two.after]),
            _longer(one.after_reach, two.after_reach),
            two.column if one.column is None else one.column,
        )

    def join(self, left: Chain, right: Chain) -> Chain | None:
        """One chain, made of two that follow each other; None when nothing matches."""
        last, first = left[-1], right[0]
        if isinstance(last, int) and isinstance(first, int):
            middle: Chain = (self.store.concat([last, first]),)
        elif last == EMPTY or first == EMPTY:
            middle = (first if last == EMPTY else last,)
        else:
            middle = (last, FREE, first)
        return self.merged(left[:-1] + middle + right[1:])

    def merged(self, chain: Chain) -> Chain | None:
        """The chain, simplified; None when nothing matches.

        Conditions at one place become one condition, and expressions side by side become one expression.
        """
        store = self.store
        made: list[Any] = []
        for index, part in enumerate(chain):
            if part == NOTHING:
                return None
            if isinstance(part, Condition):
                if part.before == NOTHING or part.after == NOTHING:
                    return None
                if len(made) > 1 and made[-1] == EMPTY:
                    made.pop()
                    part = self.both(made.pop(), part)
                    if part.before == NOTHING or part.after == NOTHING:
                        return None
                free = part.before == ANY_BYTES and part.after == ANY_BYTES
                if free and isinstance(made[-1], int) and isinstance(chain[index + 1], int):
                    part = None
            elif made and made[-1] is None:
                made.pop()
                part = store.concat([made.pop(), part])
                if part == NOTHING:
                    return None
            made.append(part)
        return tuple(made)

    # Settling a condition within the expression beside it

    def settle_one(self, chain: Chain, at: int, ahead: bool) -> list[Chain] | None:
        """Settle one side of the condition at an index by the expression on that side.

        Args:
            chain: has the condition.
            at: the index of the condition.
            ahead: whether the side is the text after the condition, else the text before it.

        Returns:
            Alternatives that are together the language of the chain. None when this cannot be done: the condition may
            see any number of characters, or on that side stands a loop, the end of the chain, or an expression with
            texts too short to decide.
        """
        store = self.store
        condition = chain[at]
        beside = at + 1 if ahead else at - 1
        expr = chain[beside]
        if ahead:
            language, reach = condition.after, condition.after_reach
            settled = condition._replace(after=ANY_BYTES, after_reach=0)
        else:
            language, reach = condition.before, condition.before_reach
            settled = condition._replace(before=ANY_BYTES, before_reach=0)
        if not isinstance(expr, int) or reach is None:
            return None
        if expr == EMPTY and reach:
            # This is an end of the chain, and what will stand there is not known yet.
            return None
        if reach > 1 and not store.is_nothing(store.intersect([expr, store.repeat(self.char, 0, reach - 1)])):
            return None
        long = store.intersect([expr, language, store.repeat(self.char, reach, None)])
        made = [self.replaced(chain, {at: settled, beside: long})]
        if reach and store.is_nullable(expr):
            made.append(self.replaced(chain, {beside: EMPTY}))
        return [one for one in made if one is not None]

    def replaced(self, chain: Chain, parts: dict[int, Any]) -> Chain | None:
        """The chain with other parts at some indexes; None when nothing matches."""
        return self.merged(tuple([parts.get(index, part) for index, part in enumerate(chain)]))

    def settle_inside(self, chain: Chain) -> list[Chain]:
        """Alternatives that are together the language of the chain, with as many conditions settled as possible."""
        todo, done = [chain], []
        while todo:
            chain = todo.pop()
            for at in range(1, len(chain), 2):
                made = None
                if chain[at].after != ANY_BYTES:
                    made = self.settle_one(chain, at, ahead=True)
                if made is None and chain[at].before != ANY_BYTES:
                    made = self.settle_one(chain, at, ahead=False)
                if made is not None:
                    todo.extend(made)
                    break
            else:
                done.append(chain)
            self.limited(todo + done)
        return done

    def as_look(self, chain: Chain, ahead: bool, column: int | None) -> list[tuple[int, int | None, int]]:
        """What a look-around asks for, if a chain is inside it.

        Args:
            chain: reaches from the place of the look-around to the end of the text. If `ahead` is False, it reaches
                from the start of the text to the place.
            ahead: whether the look-around looks ahead.
            column: of the look-around, for messages.

        Returns:
            Alternatives. Each has the language asked for on the side where the look-around does not look, the reach of
            what is asked there, and the language asked for on the side where the look-around looks.
        """
        todo: list[Chain] = [chain]
        found: list[tuple[int, int | None, int]] = []
        while todo:
            chain = todo.pop()
            made = self.without_other_side(chain, ahead, column)
            if made is None:
                found.append(self.look_of(chain, ahead, column))
            else:
                todo.extend(made)
            self.limited(todo + found)
        return found

    def without_other_side(self, chain: Chain, ahead: bool, column: int | None) -> list[Chain] | None:
        """Inside a look-around, settle one condition that looks in the other direction.

        Returns the alternatives, or None when there is no such condition. A condition at the place of the look-around
        itself is left as it is: `look_of` returns what it asks for.
        """
        at_place = _at_place(chain, ahead)
        for at in range(1, len(chain), 2):
            language = chain[at].before if ahead else chain[at].after
            if language != ANY_BYTES and at != at_place:
                made = self.settle_one(chain, at, ahead=not ahead)
                return self.refuse(column, TOO_FAR) if made is None else made
        return None

    def look_of(self, chain: Chain, ahead: bool, column: int | None) -> tuple[int, int | None, int]:
        """One alternative of `as_look`."""
        if any(isinstance(part, Loop) and (part.sees_before if ahead else part.sees_after) for part in chain):
            self.refuse(column, TOO_FAR)
        texts = self.nested_after(chain) if ahead else self.nested_before(chain)
        at_place = _at_place(chain, ahead)
        if at_place is None:
            return ANY_BYTES, 0, texts
        condition = chain[at_place]
        if ahead:
            return condition.before, condition.before_reach, texts
        return condition.after, condition.after_reach, texts

    # From chains to expressions

    def nested_after(self, chain: Chain) -> int:
        """The language of a chain that ends where the text ends, by nesting its conditions on the text after."""
        store = self.store
        rest = EMPTY
        for part in reversed(chain):
            if isinstance(part, Condition):
                rest = store.intersect([rest, part.after])
            elif isinstance(part, Loop):
                bodies = [(chain[::2], [one.after for one in chain[1::2]]) for chain in part.body]
                made = loop_after(store, bodies, part.lo, part.hi, rest)
                rest = self.refuse(part.column, AMBIGUOUS) if made is None else made
            else:
                rest = store.concat([part, rest])
        return rest

    def nested_before(self, chain: Chain) -> int:
        """The language of a chain that begins where the text begins, by nesting its conditions on the text before."""
        store = self.store
        so_far = EMPTY
        for part in chain:
            if isinstance(part, Condition):
                so_far = store.intersect([so_far, part.before])
            elif isinstance(part, Loop):
                bodies = [(chain[::2], [one.before for one in chain[1::2]]) for chain in part.body]
                made = loop_before(store, bodies, part.lo, part.hi, so_far)
                so_far = self.refuse(part.column, AMBIGUOUS) if made is None else made
            else:
                so_far = store.concat([so_far, part])
        return so_far

    def whole_chain(self, chain: Chain) -> int:
        """The language of a chain that reaches from the start of the text to its end."""
        todo, found = [chain], []
        while todo:
            chain = todo.pop()
            befores = [at for at, part in enumerate(chain) if _sees(part, ahead=False)]
            afters = [at for at, part in enumerate(chain) if _sees(part, ahead=True)]
            if not befores or not afters or befores[-1] <= afters[0]:
                cut = befores[-1] + 1 if befores else 0
                left, right = chain[:cut], chain[cut:]
                if cut and afters and afters[0] == befores[-1]:
                    # This one condition asks for something on both sides.
                    right = chain[cut - 1 :]
                found.append(self.store.concat([self.nested_before(left), self.nested_after(right)]))
                continue
            made = self.settle_one(chain, afters[0], ahead=True) if afters[0] % 2 else None
            if made is None and befores[-1] % 2:
                made = self.settle_one(chain, befores[-1], ahead=False)
            if made is None:
                column = next(part.column for part in chain[afters[0] :] if not isinstance(part, int))
                self.refuse(column, "crosses another one that looks the other way")
            todo.extend(made)
            self.limited(todo)
        return self.store.union(found)


def _at_place(chain: Chain, ahead: bool) -> int | None:
    """The index of the condition at the place of a look-around, if its chain begins (or ends) with one."""
    if len(chain) == 1:
        return None
    if ahead:
        return 1 if chain[0] == EMPTY else None
    return len(chain) - 2 if chain[-1] == EMPTY else None


def _sees(part: Any, ahead: bool) -> bool:
    if isinstance(part, Condition):
        return (part.after if ahead else part.before) != ANY_BYTES
    if isinstance(part, Loop):
        return part.sees_after if ahead else part.sees_before
    return False


def _longer(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else max(one, two)
