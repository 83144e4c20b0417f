"""Arrays of which so many items must obey a schema (`contains`): a small automaton, written as productions.

Its states are the number of items so far, as far as that matters, and how many of them were counted by each
`contains`. Where there is no upper bound, an item that obeys may also go uncounted: a count only has to be reached.
With an upper bound each item obeys or obeys the opposite. States from which no array can end are left out, so the
parser never gets stuck.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.normalize.shape import NEVER, Conj, Contained, Shape, join

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["containing"]

# A way on from a state costs as much as so many productions.
STEP_COST = 10

# items so far, and those counted by each `contains`
State = tuple[int, tuple[int, ...]]


def containing(em: Symbols, shape: Shape, depth: int, items: list[Conj], most: int | None) -> list[tuple[int, ...]]:
    """Bodies of the item lists that a shape allows, without their brackets; () is the empty list.

    Args:
        items: what the item at each index must obey; the last one is for all further ones.
        most: items at most; None: no bound.
    """
    wanted = shape.contained
    last = len(items) - 1
    # from here on, the number of items makes no difference; never 0, so that nothing leads back to the start
    cap = max(1, last, shape.min_items, *[one.start for one in wanted]) if most is None else most
    first: State = (0, (0,) * len(wanted))
    edges: dict[State, list[tuple[State, int]]] = {}
    found = [first]
    steps = 0
    for state in found:
        if state in edges:
            continue
        count, counts = state
        edges[state] = []
        if most is not None and count == most:
            continue
        choices = _choices(em, wanted, count, counts)
        steps += prod([len(options) for options in choices])
        if steps * STEP_COST > em.limits.rules:
            raise LimitError("rules", em.limits.rules, f"counting items at {wanted[0].subschema.pointer('contains')}")
        for conj, after in _steps(choices):
            symbol = _symbol(em, join(items[min(count, last)], conj), depth)
            if symbol != em.never:
                following = (min(count + 1, cap), after)
                edges[state].append((following, symbol))
                found.append(following)
    ends = {
        state
        for state in edges
        if state[0] >= shape.min_items and all([n >= one.least for n, one in zip(state[1], wanted, strict=True)])
    }
    # every step goes up in this order, or stays
    order = sorted(edges, key=lambda state: (state[0], sum(state[1])))
    alive = set(ends)
    for state in reversed(order):
        if any([following in alive for following, _ in edges[state]]):
            alive.add(state)
    incoming: dict[State, list[tuple[State, int]]] = {}
    for state in order:
        for following, symbol in edges[state]:
            if following in alive and state in alive:
                incoming.setdefault(following, []).append((state, symbol))
    lists: dict[State, int] = {}
    bodies: list[tuple[int, ...]] = [()] if first in ends else []
    for state in order:
        into: list[tuple[int, ...]] = []
        again: list[tuple[int, ...]] = []
        for source, symbol in incoming.get(state, ()):
            if source == state:
                again.append((em.comma, symbol))
            else:
                into.append((symbol,) if source == first else (lists[source], em.comma, symbol))
        if into:
            lists[state] = em.growing(into, again, "items") if again else em.rule(into, "items")
            if state in ends:
                bodies.append((lists[state],))
    return bodies


def _symbol(em: Symbols, conj: Conj, depth: int) -> int:
    return em.never if conj == NEVER else em.symbol(conj, depth + 1)


def _choices(
    em: Symbols, wanted: tuple[Contained, ...], count: int, counts: tuple[int, ...]
) -> list[list[tuple[Conj, int]]]:
    """For each `contains`: what the next item may obey, and the count then."""
    choices: list[list[tuple[Conj, int]]] = []
    for one, already in zip(wanted, counts, strict=True):
        if count < one.start:
            choices.append([((), already)])
            continue
        options: list[tuple[Conj, int]] = []
        if already < (one.least if one.most is None else one.most):
            options.append((one.conj, already + 1))
        uncounted: Conj = ()
        if one.most is not None:
            uncounted = em.combiner.reader.negate.conj(one.subschema, one.conj)
        options.append((uncounted, already))
        choices.append(options)
    return choices


def _steps(choices: list[list[tuple[Conj, int]]]) -> list[tuple[Conj, tuple[int, ...]]]:
    """What the next item may obey, and the counts then."""
    found: dict[tuple[Conj, tuple[int, ...]], None] = {}
    for chosen in product(*choices):
        conj: Conj = ()
        for part, _ in chosen:
            conj = join(conj, part)
        if conj != NEVER:
            found[conj, tuple([after for _, after in chosen])] = None
    return list(found)
