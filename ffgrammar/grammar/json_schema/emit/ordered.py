# cython: language_level=3
"""Objects whose named properties come in the schema's order, followed by all other keys in any order.

A name that is required but not listed by any `properties` comes after the listed ones. Other keys may stand before and
after it.

Lists of properties are left recursive. Once a property is written, it does not matter which properties before it were
left out, so the parser has few rows. A run of required properties is one production, and each optional property costs
one rule. If properties are counted, or there are wants (see members.py), there is a rule for each count and each set of
wants that are met. For `{"properties": {"a": A, "b": B}, "required": ["a"], "additionalProperties": false}` the rule is

    members: a | a "," b
"""

from __future__ import annotations

from heapq import heappop, heappush

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.emit.members import Body, Item, Members
from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["ordered"]

# The work of a list of properties, in units of `ExprStore.count_work`.
WORK = 50

# The number of properties, as far as it matters, and the wants that are met, as bits.
State = tuple[int, int]


def ordered(em: Symbols, members: Members) -> list[Body]:
    """The bodies of the lists of properties, without braces; () is the empty list."""
    if members.least > 1 or members.most is not None or members.wanted:
        return _counted(em, members)
    run, may_be_empty = _run(em, members.items, members.others)
    bodies = [run] if run else []
    if may_be_empty and not members.least:
        bodies.append(())
    return bodies


def _run(em: Symbols, items: list[Item], others: list[Body]) -> tuple[Body, bool]:
    """A body for the lists of at least one property, and whether the empty list is allowed, too."""
    comma = em.comma
    # The symbols of the properties so far, written out while there is only one way to write them. It is a
    # list that grows in place: an object may have thousands of required properties.
    run: list[int] = []
    may_be_empty = True
    for body, is_required, is_listed in items:
        if others and not is_listed:
            run = [_followed(em, tuple(run), others, may_be_empty)]
        if not run:
            run = list(body)
        elif is_required and not may_be_empty:
            run.append(comma)
            run.extend(body)
        elif is_required:
            run = [em.rule([(*run, comma, *body), body], "members")]
        else:
            if len(run) > 1:
                run = [em.rule([tuple(run)], "members")]
            bodies = [(*run, comma, *body), tuple(run)]
            if may_be_empty:
                bodies.insert(1, body)
            run = [em.rule(bodies, "members")]
        may_be_empty = may_be_empty and not is_required
    if others:
        run = [_followed(em, tuple(run), others, may_be_empty)]
    return tuple(run), may_be_empty


def _followed(em: Symbols, run: Body, others: list[Body], may_be_empty: bool) -> int:
    """The properties so far, followed by any number of other properties."""
    bodies = [run] if run else []
    if may_be_empty:
        bodies.extend(others)
    return em.growing(bodies, [(em.comma, *body) for body in others], "members")


# By state: the lists of properties so far that lead to it, as one body. () is the empty list, which leads to (0, 0).
Lists = dict[State, Body]


def _counted(em: Symbols, members: Members) -> list[Body]:
    """The bodies of the lists of properties, if these must be counted or there are wants."""
    least, most = members.least, members.most
    cap = max(least, 1) if most is None else most
    if cap * (len(members.items) + 2 * len(members.others)) * (members.wanted + 1) > em.limits.rules:
        raise LimitError("rules", em.limits.rules, f"counting up to {cap} properties takes too many productions")
    lists: Lists = {(0, 0): ()}
    for body, is_required, is_listed in members.items:
        if not is_listed:
            lists = _with_others(em, members, lists, cap)
        em.store.count_work(WORK * len(lists))
        after: dict[State, list[Body]] = {}
        for (count, met), run in lists.items():
            if count < cap or most is None:
                longer = (*run, em.comma, *body) if run else body
                after.setdefault((min(count + 1, cap), met), []).append(longer)
            if not is_required:
                after.setdefault((count, met), []).append(run)
        lists = {state: _one(em, bodies) for state, bodies in after.items()}
    lists = _with_others(em, members, lists, cap)
    return [run for (count, met), run in lists.items() if count >= least and met == members.wanted]


def _one(em: Symbols, bodies: list[Body]) -> Body:
    """A body that stands for any one of these bodies."""
    return bodies[0] if bodies == [()] else (em.rule(bodies, "members"),)


def _with_others(em: Symbols, members: Members, lists: Lists, cap: int) -> Lists:
    """The given lists, each followed by any number of other properties; by the state that the longer lists lead to."""
    kinds = members.counted_kinds()
    if not kinds:
        return lists
    after: dict[State, list[Body]] = {state: [run] for state, run in lists.items()}
    found: Lists = {}
    # in this order, every property leads to a later state or back to the same state
    todo = sorted([(count, met.bit_count(), met) for count, met in after])
    while todo:
        count, _, met = heappop(todo)
        state = count, met
        bodies = after.pop(state)
        em.store.count_work(WORK * len(bodies))
        loops = []
        if count == cap and members.most is None:
            loops = [(em.comma, *body) for body in members.others]
        run = found[state] = (em.growing(bodies, loops, "members"),) if loops else _one(em, bodies)
        if members.most is not None and count == cap:
            continue
        for meets, body in kinds:
            following = (min(count + 1, cap), met | meets)
            if meets & met or following == state:
                continue
            if following not in after:
                after[following] = []
                heappush(todo, (following[0], following[1].bit_count(), following[1]))
            after[following].append((*run, em.comma, *body) if run else body)
    return found
