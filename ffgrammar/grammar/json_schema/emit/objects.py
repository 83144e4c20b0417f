# cython: language_level=3
"""Objects: the named properties, all other keys by what their values must obey, and how many of them there are. How
they may follow each other is in ordered.py and unordered.py.

A key beside the named ones may be written twice, where that makes no difference. JSON readers keep the last value then;
all of them obey the same schema, because keys that obey different ones are different terminals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.emit.layout import KeysApart
from ffgrammar.grammar.json_schema.emit.ordered import ordered
from ffgrammar.grammar.json_schema.emit.unordered import unordered
from ffgrammar.grammar.json_schema.normalize.finite_keys import finite_keys
from ffgrammar.grammar.json_schema.normalize.shape import NEVER, STR, Conj, Group, Shape, SomeKey, join
from ffgrammar.grammar.json_schema.strings.strings import Strings

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit.symbols import Symbols

__all__ = ["Body", "Item", "Members", "object_symbol", "property_conj"]

# A class of keys, told apart by several patterns, costs as much as so many alternatives.
CLASS_COST = 200
# An object in which one of the named keys is the one that is asked for, as much as so many.
VARIANT_COST = 20
# So many keys beside the named ones may be asked for: there is a rule for each set of them.
MAX_WANTED = 8

Body = tuple[int, ...]


class Item(NamedTuple):
    """One property: its key, colon and value; listed if some `properties` names it, not only `required`."""

    body: Body
    is_required: bool
    is_listed: bool


class Members(NamedTuple):
    """What an object may have.

    Attributes:
        items: the named properties.
        others: keys, colons and values of all other ones.
        kinds: those among the other ones that are wanted: the set of wants that one meets, as bits, and its body.
        wanted: all the bits.
        least, most: number of properties; None: no bound.
    """

    items: list[Item]
    others: list[Body]
    kinds: list[tuple[int, Body]]
    wanted: int
    least: int
    most: int | None


def property_conj(shape: Shape, name: str, strings: Strings, first: int = 0) -> Conj:
    """What the value of a property must obey, as far as the groups from one on say it."""
    conj: Conj = ()
    for group in shape.groups[first:]:
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


def object_symbol(em: Symbols, shape: Shape, depth: int) -> int | None:
    """The symbol of the objects of a shape; None when there are none."""
    found = []
    todo: list[tuple[Shape, tuple[SomeKey, ...]]] = [(shape, ())]
    while todo:
        shape, wanted = todo.pop()
        if not shape.some_keys:
            found.append(_object(em, shape, depth, wanted))
            continue
        # the key that is asked for is a named one, or one of the others; where these are few, it is named here
        one, *rest = shape.some_keys
        keys = one.keys
        if one.name:
            keys = em.store.intersect([keys, _key_filter(em, one.name)])
        there = shape.copy()
        there.some_keys = tuple(rest)
        few = finite_keys(em.store, keys)
        if few is None:
            todo.append((there, (*wanted, one._replace(keys=keys))))
        listed = _listed_names(shape)
        for name in dict.fromkeys([*listed, *shape.required, *sorted(few or ())]):
            if em.store.matches(keys, em.strings.spelled(name)):
                if em.combiner.impossible(join(property_conj(shape, name, em.strings), one.conj), 0):
                    continue
                named = there.copy()
                named.require([name])
                # (listed, it would have a place in the order)
                if name in listed:
                    asked = Group({name: one.conj}, (), ())
                else:
                    asked = Group({}, ((em.strings.body(name), one.conj),), ())
                named.groups = (*shape.groups, asked)
                todo.append((named, wanted))
        if len(todo) + len(found) > em.limits.alternatives // VARIANT_COST:
            where = one.subschema.pointer()
            raise LimitError(
                "alternatives", em.limits.alternatives, f"too many keys may be the one asked for at {where}"
            )
    symbols = [symbol for symbol in found if symbol is not None]
    return em.builder.choice(symbols, "object") if symbols else None


def _listed_names(shape: Shape) -> dict[str, None]:
    names: dict[str, None] = {}
    for group in shape.groups:
        names.update(dict.fromkeys(group.named))
    return names


def _object(em: Symbols, shape: Shape, depth: int, wanted: tuple[SomeKey, ...]) -> int | None:
    """The objects of a shape, some of whose keys beside the named ones are as wanted."""
    names = _listed_names(shape)
    listed = len(names)
    names.update(dict.fromkeys(shape.required))
    required = set(shape.required)
    key_filter = _key_filter(em, shape.key_names) if shape.key_names else None
    classes = []
    for keys, conj in _other_keys(em, shape, names, key_filter):
        value = em.symbol(conj, depth + 1)
        if value != em.never:
            classes.append((keys, conj, value))
    kinds = _kinds(em, classes, wanted, depth) if wanted else []
    if not _cover(kinds, wanted):
        return None
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
    least, most = shape.min_properties, shape.max_properties
    if least <= len(required):
        least = 0
    if most is not None and not classes and most >= len(items):
        most = None
    if (not classes and least > len(items)) or (most is not None and most < max(least, len(required))):
        return None
    # a key that is written twice counts once, and its last value counts: so where it matters none is
    check = em.builder.check("new key") if classes and (wanted or least > 1) else None
    few = [finite_keys(em.store, keys) for keys, _, _ in classes] if check is not None else []
    if few and None not in few and len(items) + sum([len(keys) for keys in few if keys is not None]) < least:
        return None
    if few and None not in few:
        message = "few keys are allowed, and where they run out nothing can follow: name them under properties"
        warnings = em.combiner.reader.warnings
        if shape.counted_at is not None:
            warnings.once(shape.counted_at, "minProperties", message)
        else:
            warnings.once(wanted[0].subschema, None, message)
    others: list[Body] = [(*_key_symbols(em, keys, "key", check), value) for keys, _, value in classes]
    members = Members(items, others, kinds, (1 << len(wanted)) - 1, least, most)
    lists = unordered(em, members) if em.any_order else ordered(em, members)
    if not lists:
        return None
    brace = em.left_brace
    if check is not None:
        brace = em.builder.terminal(em.store.literal(b"{"), opens=True)
    return em.rule([em.layout.enclosed(brace, body, em.right_brace) for body in lists], "object")


def _cover(kinds: list[tuple[int, Body]], wanted: tuple[SomeKey, ...]) -> bool:
    """Whether every want is met by some kind."""
    met = 0
    for bits, _ in kinds:
        met |= bits
    return met == (1 << len(wanted)) - 1


def _kinds(
    em: Symbols, classes: list[tuple[int, Conj, int]], wanted: tuple[SomeKey, ...], depth: int
) -> list[tuple[int, Body]]:
    """The other keys that are wanted: for each set of wants, those that meet them all."""
    if len(wanted) > MAX_WANTED:
        raise UnsupportedError(
            f"more than {MAX_WANTED} keys beside the named ones are asked for: name them under properties, or ask for "
            "fewer",
            pointer=wanted[0].subschema.pointer(),
        )
    found: list[tuple[int, Body]] = []
    for bits in range(1, 1 << len(wanted)):
        chosen = [one for bit, one in enumerate(wanted) if bits >> bit & 1]
        for keys, conj, _ in classes:
            expr = em.store.intersect([keys, *[one.keys for one in chosen]])
            for one in chosen:
                conj = join(conj, one.conj)
            if conj == NEVER or em.store.is_nothing(expr):
                continue
            value = em.symbol(conj, depth + 1)
            if value != em.never:
                found.append((bits, (*_key_symbols(em, expr, "key", em.builder.check("new key")), value)))
    return found


def _key(em: Symbols, name: str) -> Body:
    found = em.keys.get(name)
    if found is None:
        found = em.keys[name] = _key_symbols(em, em.strings.key(name), name)
    return found


def _key_symbols(em: Symbols, expr: int, name: str, check: int | None = None) -> Body:
    """A key and its colon; one terminal where nothing may stand between them."""
    if em.layout.fuses_keys:
        if check is not None:
            raise KeysApart
        expr = em.store.concat([expr, em.store.literal(b":")])
        return (em.builder.plain(expr, name),)
    if check is None:
        return (em.builder.plain(expr, name), em.colon)
    return (em.builder.terminal(expr, name, check=check), em.colon)


# Keys beside the named ones


def _key_filter(em: Symbols, conj: Conj) -> int:
    """The keys that a schema allows as strings."""
    strings = em.strings
    options = [strings.of(shape) for shape in em.combiner.resolved_shapes(conj) if shape.types & STR]
    return em.store.intersect([strings.any_key, em.store.union(options)])


def _other_keys(em: Symbols, shape: Shape, names: dict[str, None], key_filter: int | None) -> list[tuple[int, Conj]]:
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
