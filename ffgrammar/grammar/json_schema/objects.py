"""Objects: named properties in the schema's order, then all other keys in any order. A name that is required but not
listed by any `properties` comes after the listed ones, among the other keys. (Or all keys in any order: unordered.py.)

Property lists are left recursive: what has been left out does not matter any more once a property has been written, so
the parser's states stay few. A run of required properties is one production; each optional one costs one rule.

A key beside the named ones may be written twice. JSON readers keep the last value then; all of them obey the same
schema, because keys that obey different ones are different terminals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.shape import NEVER, STR, Conj, Group, Shape, join
from ffgrammar.grammar.json_schema.strings import Strings
from ffgrammar.grammar.json_schema.unordered import unordered

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit import Emitter
    from ffgrammar.grammar.json_schema.places import Place

__all__ = ["object_symbol", "property_conj"]

# A class of keys, told apart by several patterns, costs as much as so many alternatives.
CLASS_COST = 200

Body = tuple[int, ...]


class Item(NamedTuple):
    """One property: its key, colon and value; listed if some `properties` names it, not only `required`."""

    body: Body
    is_required: bool
    is_listed: bool


def property_conj(shape: Shape, name: str, strings: Strings) -> Conj:
    """What the value of a property must obey."""
    conj: Conj = ()
    for group in shape.groups:
        matching: list[int] = []
        if group.patterns:
            spelled = strings.spelled(name)[1:-1]
            matching = [body for body, _ in group.patterns if strings.store.matches(body, spelled)]
        conj = join(conj, group.of(name, matching))
    return conj


def _property_conjs(shape: Shape, names: Iterable[str], strings: Strings) -> dict[str, Conj]:
    """What the value of each of these properties must obey; a group costs what it names, not what others do."""
    found: dict[str, Conj] = {}
    strict: list[Group] = []
    for group in shape.groups:
        if group.patterns or group.additional:
            strict.append(group)
            continue
        for name, conj in group.named.items():
            found[name] = join(found.get(name, ()), conj)
    if strict:
        rest = Shape()
        rest.groups = tuple(strict)
        for name in names:
            found[name] = join(found.get(name, ()), property_conj(rest, name, strings))
    return found


def object_symbol(em: Emitter, shape: Shape, depth: int) -> int | None:
    """The symbol of the objects of a shape; None when there are none."""
    if not shape.some_keys:
        return _object(em, shape, depth, None)
    # the key that is asked for is a named one, or one of the others
    (expr, conj, place), *others = shape.some_keys
    found = []
    for name in (*_listed_names(shape), *shape.required):
        if em.store.matches(expr, em.strings.spelled(name)):
            there = shape.copy()
            there.some_keys = tuple(others)
            there.require([name])
            there.groups = (*shape.groups, Group({name: conj}, (), ()))
            found.append(object_symbol(em, there, depth))
    if others:
        if any([group.additional != NEVER or group.patterns for group in shape.groups]) or not shape.groups:
            raise UnsupportedError(
                "several keys that an object must have, none of them named, are not supported", pointer=place.pointer()
            )
    else:
        found.append(_object(em, shape, depth, (expr, conj, place)))
    symbols = [symbol for symbol in found if symbol is not None]
    return em.builder.choice(symbols, "object") if symbols else None


def _listed_names(shape: Shape) -> dict[str, None]:
    names: dict[str, None] = {}
    for group in shape.groups:
        names.update(dict.fromkeys(group.named))
    return names


def _object(em: Emitter, shape: Shape, depth: int, hit: tuple[int, Conj, Place] | None) -> int | None:
    """The objects of a shape, one of whose keys beside the named ones is in the expression and has such a value.

    That key stands behind all others in the expression: written twice, its last value counts.
    """
    names = _listed_names(shape)
    listed = len(names)
    names.update(dict.fromkeys(shape.required))
    required = set(shape.required)
    key_filter = _key_filter(em, shape.key_names)
    items: list[Item] = []
    conjs = _property_conjs(shape, names, em.strings)
    for place, name in enumerate(names):
        conj = conjs.get(name, ())
        allowed = conj != NEVER and (key_filter is None or em.store.matches(key_filter, em.strings.spelled(name)))
        value = em.symbol(conj, depth + 1) if allowed else em.never
        if value != em.never:
            items.append(Item((*_key(em, name), value), name in required, place < listed))
        elif name in required:
            return None
    others = []
    hits: list[Body] = []
    after: list[Body] = []
    for keys, conj in _other_keys(em, shape, names, key_filter):
        value = em.symbol(conj, depth + 1)
        if value == em.never:
            continue
        others.append((*_key_symbols(em, keys, "key"), value))
        if hit is not None:
            wanted = em.symbol(join(conj, hit[1]), depth + 1)
            both = em.store.intersect([keys, hit[0]])
            if wanted != em.never and not em.store.is_nothing(both):
                hits.append((*_key_symbols(em, both, "key"), wanted))
            rest = em.store.intersect([keys, em.store.complement(hit[0])])
            if not em.store.is_nothing(rest):
                after.append((*_key_symbols(em, rest, "key"), value))
    if hit is not None and not hits:
        return None
    least, most = shape.min_properties, shape.max_properties
    if least <= len(required):
        least = 0
    if most is not None and not others and most >= len(items):
        most = None
    if not others and least > len(items):
        return None
    if least > 1 and others:
        assert shape.counted_at is not None
        raise UnsupportedError(
            "minProperties above 1 is supported only where additionalProperties and patternProperties allow no further "
            "keys: one that is written twice counts once",
            pointer=shape.counted_at.pointer("minProperties"),
        )
    if em.any_order:
        highest = most if others or (most is not None and most < len(items)) else len(items)
        if highest is not None and highest < max(least, len(required)):
            return None
        if most == 0:
            return None if hits else em.rule([(em.left_brace, em.right_brace)], "object")
        return em.rule(unordered(em, items, others, least, most, hits, after), "object")
    if hit is not None:
        if least > 1 or most is not None:
            raise UnsupportedError(
                "a bound on the number of properties is not supported where one that is not named must be there",
                pointer=hit[2].pointer(),
            )
        bodies = _with_hit(em, items, others, hits, after)
    elif least > 1 or most is not None:
        bodies = _counted(em, items, others, least, most)
    else:
        bodies = _listed(em, items, others, least)
    return em.rule(bodies, "object") if bodies else None


def _key(em: Emitter, name: str) -> Body:
    found = em.keys.get(name)
    if found is None:
        found = em.keys[name] = _key_symbols(em, em.strings.key(name), name)
    return found


def _key_symbols(em: Emitter, expr: int, name: str) -> Body:
    """A key and its colon; one terminal where nothing may stand between them."""
    if em.compact:
        return (em.builder.terminal(em.store.concat([expr, em.store.literal(b":")]), name),)
    return (em.builder.terminal(expr, name), em.colon)


# Keys beside the named ones


def _key_filter(em: Emitter, conj: Conj) -> int | None:
    """The keys that `propertyNames` allows; None when that is all of them."""
    if not conj:
        return None
    strings = em.strings
    options = [
        strings.range(shape.min_length, shape.max_length, shape.patterns)
        if shape.strings is None
        else strings.any_of(shape.strings)
        for shape in em.combiner.settled(conj)
        if shape.types & STR
    ]
    return em.store.intersect([strings.any_key, em.store.union(options)])


def _other_keys(em: Emitter, shape: Shape, names: dict[str, None], key_filter: int | None) -> list[tuple[int, Conj]]:
    """The keys beside the named ones, by what their values must obey."""
    store, strings = em.store, em.strings
    groups = shape.groups
    patterns = dict.fromkeys([body for group in groups for body, _ in group.patterns])
    if not patterns:
        conj: Conj = ()
        for group in groups:
            conj = join(conj, group.additional)
        if conj == NEVER:
            return []
    parts = [strings.any_key] if key_filter is None else [key_filter]
    if names:
        parts.append(store.complement(strings.any_of(names)))
    if not patterns:
        keys = store.intersect(parts)
        if key_filter is not None and store.is_nothing(keys):
            return []
        return [(keys, conj)]
    # every pattern splits the keys into those that match it and those that do not
    classes: list[tuple[int, tuple[int, ...]]] = [(store.intersect(parts), ())]
    for body in patterns:
        matching = strings.quoted(body)
        split = []
        for keys, matched in classes:
            for part, now in ((matching, (*matched, body)), (store.complement(matching), matched)):
                both = store.intersect([keys, part])
                if not store.is_nothing(both):
                    split.append((both, now))
        classes = split
        if len(classes) > em.limits.alternatives // CLASS_COST:
            raise LimitError("alternatives", em.limits.alternatives, "patternProperties overlap in too many ways")
    by_conj: dict[Conj, list[int]] = {}
    for keys, matched in classes:
        conj = ()
        for group in groups:
            conj = join(conj, group.of_other(matched))
        if conj != NEVER:
            by_conj.setdefault(conj, []).append(keys)
    return [(store.union(keys), conj) for conj, keys in by_conj.items()]


# Lists of properties


def _listed(em: Emitter, items: list[Item], others: list[Body], least: int) -> list[Body]:
    """Productions of the objects with at least `least` (0 or 1) properties."""
    run, may_be_empty = _members(em, items, others)
    bodies = [(em.left_brace, *run, em.right_brace)] if run else []
    if may_be_empty and not least:
        bodies.append((em.left_brace, em.right_brace))
    return bodies


def _with_hit(em: Emitter, items: list[Item], others: list[Body], hits: list[Body], after: list[Body]) -> list[Body]:
    """Productions of the objects in which a hit comes, and then only keys of `after`."""
    run, may_be_empty = _members(em, items, others)
    bodies = [(*run, em.comma, *hit) for hit in hits] if run else []
    if may_be_empty:
        bodies.extend(hits)
    return [(em.left_brace, em.growing(bodies, [(em.comma, *body) for body in after], "members"), em.right_brace)]


def _members(em: Emitter, items: list[Item], others: list[Body]) -> tuple[Body, bool]:
    """The symbols of at least one property, and whether there may be none."""
    comma = em.comma
    # the properties so far, in one production while there is one way to write them; () is none
    run: Body = ()
    may_be_empty = True
    for body, is_required, is_listed in items:
        if others and not is_listed:
            run = (_followed(em, run, others, may_be_empty),)
        if is_required or not run:
            if run and may_be_empty:
                run = (em.rule([(*run, comma, *body), body], "members"),)
            else:
                run = (*run, comma, *body) if run else body
        else:
            if len(run) > 1:
                run = (em.rule([run], "members"),)
            bodies = [(*run, comma, *body), run]
            if may_be_empty:
                bodies.insert(1, body)
            run = (em.rule(bodies, "members"),)
        may_be_empty = may_be_empty and not is_required
    if others:
        run = (_followed(em, run, others, may_be_empty),)
    return run, may_be_empty


def _followed(em: Emitter, run: Body, others: list[Body], may_be_empty: bool) -> int:
    """The properties so far, and then any number of other ones."""
    bodies = [run] if run else []
    if may_be_empty:
        bodies.extend(others)
    return em.growing(bodies, [(em.comma, *body) for body in others], "members")


def _counted(em: Emitter, items: list[Item], others: list[Body], least: int, most: int | None) -> list[Body]:
    """Productions of the objects with least to most (None: no bound) properties.

    One nonterminal for each count, up to the largest that makes a difference.
    """
    comma = em.comma
    cap = least if most is None else most
    if cap * (len(items) + 2 * len(others)) > em.limits.rules:
        raise LimitError("rules", em.limits.rules, f"counting up to {cap} properties takes too many productions")
    # the objects so far by their number of properties; number 0 is a marker
    counts: list[int | None] = [None] * (cap + 1)
    may_be_empty = True
    for body, is_required, is_listed in items:
        if others and not is_listed:
            counts = _counted_others(em, counts, others, may_be_empty, most is None)
        after: list[int | None] = [None] * (cap + 1)
        for count in range(1, cap + 1):
            bodies: list[Body] = []
            for before in (count - 1, count) if count == cap and most is None else (count - 1,):
                if before == 0 and may_be_empty:
                    bodies.append(body)
                symbol = counts[before]
                if before and symbol is not None:
                    bodies.append((symbol, comma, *body))
            kept = counts[count]
            if not is_required and kept is not None:
                bodies.append((kept,))
            if bodies:
                after[count] = em.rule(bodies, "members")
        counts = after
        may_be_empty = may_be_empty and not is_required
    if others:
        counts = _counted_others(em, counts, others, may_be_empty, most is None)
    found: list[Body] = [
        (em.left_brace, symbol, em.right_brace) for symbol in counts[max(least, 1) :] if symbol is not None
    ]
    if may_be_empty and not least:
        found.append((em.left_brace, em.right_brace))
    return found


def _counted_others(
    em: Emitter, counts: list[int | None], others: list[Body], may_be_empty: bool, unbounded: bool
) -> list[int | None]:
    comma = em.comma
    after: list[int | None] = [None] * len(counts)
    for count in range(1, len(counts)):
        bodies: list[Body] = []
        kept = counts[count]
        if kept is not None:
            bodies.append((kept,))
        before = after[count - 1]
        if count == 1 and may_be_empty:
            bodies.extend(others)
        if before is not None:
            bodies.extend([(before, comma, *body) for body in others])
        if not bodies:
            continue
        if unbounded and count == len(counts) - 1:
            after[count] = em.growing(bodies, [(comma, *body) for body in others], "members")
        else:
            after[count] = em.rule(bodies, "members")
    return after
