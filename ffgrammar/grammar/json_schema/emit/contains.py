"""Arrays in which some number of items must obey a schema (`contains`): a small automaton, written as productions.

A state is the number of items so far, as far as it matters, and how many of these items each `contains` has counted. If
a `contains` has no upper bound, an item that obeys it may also be left uncounted, because only the lower bound has to
be reached. If it has an upper bound, each item is either counted and obeys the schema, or it obeys the opposite of the
schema. States from which no array can end are left out, so the parser never gets stuck.

For `{"contains": A, "items": B}` the states are (0, 0) before the first item, and (1, 0) and (1, 1) after one item or
more. An item that obeys A and B leads to (1, 1). An item that obeys B leads to the state whose second number is the
same as before.
"""

from __future__ import annotations

from itertools import product
from math import prod

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.constraints import Contained
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["containing"]

# A transition costs as much as this many productions, or, with n `contains`, as 3 * n. What items may obey costs n ** 3
# when it comes up first: n expressions are put together. (12 patterns end in the limit after 0.5 s.)
STEP_COST = 10
CONTAINS_COST = 3
# With more `contains`, the automaton is so large that a higher limit does not help.
MANY = 4
ADVICE = (
    "a higher one hardly helps: let no item obey two of these contains, or leave out maxContains, maxItems or "
    "prefixItems"
)

# items so far, and those counted by each `contains`
State = tuple[int, tuple[int, ...]]
# by state: the states after it (or before it), each with the symbol of the item between the two
Edges = dict[State, list[tuple[State, int]]]


def containing(
    style: ArrayStyle, shape: Shape, depth: int, items: list[Conj], most: int | None
) -> list[tuple[int, ...]]:
    """The bodies of the item lists of a shape, without their brackets; () is the empty list.

    The arguments are those of `containing_array` (contains_ways.py).

    Raises:
        LimitError: there are too many states.
    """
    wanted = shape.contained
    first: State = (0, (0,) * len(wanted))
    edges = _edges(style, shape, depth, items, most, first)
    ends = {
        state
        for state in edges
        if state[0] >= shape.min_items and all([n >= one.least for n, one in zip(state[1], wanted, strict=True)])
    }
    # every transition leads upwards in this order, or back to the same state
    order = sorted(edges, key=lambda state: (state[0], sum(state[1])))
    alive = set(ends)
    for state in reversed(order):
        if any([following in alive for following, _ in edges[state]]):
            alive.add(state)
    incoming: Edges = {}
    for state in order:
        for following, symbol in edges[state]:
            if following in alive and state in alive:
                incoming.setdefault(following, []).append((state, symbol))
    bodies: list[tuple[int, ...]] = [()] if first in ends else []
    lists = _lists(style, order, incoming, first)
    bodies.extend([(lists[state],) for state in order if state in lists and state in ends])
    return bodies


def _edges(style: ArrayStyle, shape: Shape, depth: int, items: list[Conj], most: int | None, first: State) -> Edges:
    """All states that can be reached, with their transitions."""
    em, wanted = style.em, shape.contained
    last = len(items) - 1
    # from this number of items on, the number makes no difference; it is never 0, so no item leads back to the start
    cap = max(1, last, shape.min_items, *[one.start for one in wanted]) if most is None else most
    step_cost = max(STEP_COST, CONTAINS_COST * len(wanted))
    edges: Edges = {}
    found = [first]
    met: set[Conj] = set()
    cost = 0
    for state in found:
        if state in edges:
            continue
        count, counts = state
        edges[state] = []
        if most is not None and count == most:
            continue
        choices = _choices(em, wanted, count, counts)
        cost += step_cost * prod([len(options) for options in choices])
        if cost > em.limits.rules:
            raise _too_many(em, wanted)
        for obeyed, after in _steps(choices):
            conj = join(items[min(count, last)], obeyed)
            if conj not in met:
                met.add(conj)
                cost += len(wanted) ** 3
                if cost > em.limits.rules:
                    raise _too_many(em, wanted)
            symbol = style.item(conj, depth)
            if symbol != em.never:
                following = (min(count + 1, cap), after)
                edges[state].append((following, symbol))
                found.append(following)
    return edges


def _too_many(em: Symbols, wanted: tuple[Contained, ...]) -> LimitError:
    where = f"at {wanted[0].subschema.pointer('contains')}"
    if len(wanted) <= MANY:
        return LimitError("rules", em.limits.rules, "counting items", where)
    return LimitError("rules", em.limits.rules, f"counting items that obey {len(wanted)} contains", where, ADVICE)


def _lists(style: ArrayStyle, order: list[State], incoming: Edges, first: State) -> dict[State, int]:
    """By state: the symbol of the lists of at least one item that lead to it."""
    em, comma = style.em, style.comma
    lists: dict[State, int] = {}
    for state in order:
        into: list[tuple[int, ...]] = []
        again: list[tuple[int, ...]] = []
        for source, symbol in incoming.get(state, ()):
            if source == state:
                again.append((comma, symbol))
            else:
                into.append((symbol,) if source == first else (lists[source], comma, symbol))
        if into:
            lists[state] = em.growing(into, again, "items") if again else em.rule(into, "items")
    return lists


def _choices(
    em: Symbols, wanted: tuple[Contained, ...], count: int, counts: tuple[int, ...]
) -> list[list[tuple[Conj, int]]]:
    """For each `contains`: the conjunctions that the next item may obey, each with the count after that item."""
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
            uncounted = em.negation.conj(one.subschema, one.conj)
        options.append((uncounted, already))
        choices.append(options)
    return choices


def _steps(choices: list[list[tuple[Conj, int]]]) -> list[tuple[Conj, tuple[int, ...]]]:
    """For all `contains` together: the conjunctions that the next item may obey, with the counts after that item."""
    found: dict[tuple[Conj, tuple[int, ...]], None] = {}
    for chosen in product(*choices):
        conj: Conj = ()
        for part, _ in chosen:
            conj = join(conj, part)
        if conj != NEVER:
            found[conj, tuple([after for _, after in chosen])] = None
    return list(found)
