# cython: language_level=3
"""Objects: named properties, all other keys grouped by what their values must obey, and the number of properties.
ordered.py and unordered.py decide in which order properties may come.

A key beside the named ones may be written twice, unless it matters how many keys, or which keys, there are. Of a key
that is written twice, JSON readers keep the last value. All values of such a key obey the same conjunction, because
each key belongs to only one class of keys.
"""

from __future__ import annotations

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.members import Body, Item, Members
from ffgrammar.grammar.json_schema.emit.ordered import ordered
from ffgrammar.grammar.json_schema.emit.other_keys import (
    key_classes,
    key_filter,
    key_symbols,
    named_key,
    other_property,
    wanted_kinds,
)
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.emit.unordered import unordered
from ffgrammar.grammar.json_schema.normalize.parts import property_conj, property_conjs
from ffgrammar.grammar.json_schema.shape.constraints import Group, SomeKey
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.strings.finite_keys import finite_keys

__all__ = ["object_symbol"]

# Each way to meet the wants of an object (see members.py) costs as much as this many alternatives.
VARIANT_COST = 20


def object_symbol(em: Symbols, shape: Shape, depth: int) -> int | None:
    """The symbol of the objects of a shape; None when there are none.

    A shape may have wants (see members.py). Each want is met by a named key, or by a key beside the named ones. If the
    expression of a want matches only a few keys, all of these are treated as named keys.
    """
    if shape.clauses:
        from ffgrammar.grammar.json_schema.emit.clauses import clause_object

        return clause_object(em, shape, depth)
    found = []
    todo: list[tuple[Shape, tuple[SomeKey, ...]]] = [(_few_first(em, shape), ())]
    while todo:
        shape, wanted = todo.pop()
        if not shape.some_keys:
            found.append(_object(em, shape, depth, wanted))
            continue
        todo.extend(_meet_first_want(em, shape, wanted))
        if len(todo) + len(found) > em.limits.alternatives // VARIANT_COST:
            where = f"at {shape.some_keys[0].subschema.written_pointer()}"
            raise LimitError("alternatives", em.limits.alternatives, "too many keys may be the wanted one", where)
    symbols = [symbol for symbol in found if symbol is not None]
    if len(symbols) == 1:
        return symbols[0]
    return em.builder.choice(symbols, "object") if symbols else None


def _few_first(em: Symbols, shape: Shape) -> Shape:
    """The shape with the wants first that only a few keys can meet: these keys get names, and may meet others, too."""
    if len(shape.some_keys) < 2:
        return shape
    ordered = shape.copy()
    ordered.some_keys = tuple(sorted(shape.some_keys, key=lambda one: finite_keys(em.store, _keys(em, one)) is None))
    return ordered


def _keys(em: Symbols, one: SomeKey) -> int:
    """The keys that meet a want."""
    return em.store.intersect([one.keys, em.strings.keys(key_filter(em, one.name), ())]) if one.name else one.keys


def _meet_first_want(em: Symbols, shape: Shape, wanted: tuple[SomeKey, ...]) -> list[tuple[Shape, tuple[SomeKey, ...]]]:
    """The ways to meet the first want of a shape: shapes without this want, each with the wants that are left for keys
    beside the named ones."""
    one, *rest = shape.some_keys
    keys = _keys(em, one)
    without = shape.copy()
    without.some_keys = tuple(rest)
    if _is_met(em, shape, keys, one.conj):
        return [(without, wanted)]
    few = finite_keys(em.store, keys)
    found: list[tuple[Shape, tuple[SomeKey, ...]]] = []
    if few is None and not _is_closed(shape):
        found.append((without, (*wanted, one._replace(keys=keys))))
    listed = _listed_names(shape)
    for name in dict.fromkeys([*listed, *shape.required, *sorted(few or ())]):
        if em.store.matches(keys, em.strings.spelled(name)):
            if em.combiner.impossible(join(property_conj(shape, name, em.strings), one.conj), 0):
                continue
            named = without.copy()
            named.require([name])
            # A name that is not listed becomes a pattern, so that it does not get a position among the listed names.
            if name in listed:
                constraint = Group({name: one.conj}, (), ())
            else:
                constraint = Group({}, ((em.strings.body(name), one.conj),), ())
            named.groups = (*shape.groups, constraint)
            found.append((named, wanted))
    return found


def _is_met(em: Symbols, shape: Shape, keys: int, conj: Conj) -> bool:
    """Whether each object of a shape has a key that matches an expression and whose value obeys a conjunction, because
    such a key is required."""
    for name in shape.required:
        if em.store.matches(keys, em.strings.spelled(name)):
            if not conj or set(conj) <= set(property_conj(shape, name, em.strings)):
                return True
    return False


def _is_closed(shape: Shape) -> bool:
    """Whether some schema allows only the keys that it names."""
    return any(group.additional == NEVER and not group.patterns for group in shape.groups)


def _listed_names(shape: Shape) -> dict[str, None]:
    if len(shape.groups) == 1:
        return dict.fromkeys(shape.groups[0].named)
    names: dict[str, None] = {}
    for group in shape.groups:
        names.update(dict.fromkeys(group.named))
    return names


def _object(em: Symbols, shape: Shape, depth: int, wanted: tuple[SomeKey, ...]) -> int | None:
    """The symbol of the objects of a shape in which keys beside the named ones meet the wants; None when there are
    none."""
    names = _listed_names(shape)
    listed = len(names)
    for name in shape.required:
        names[name] = None
    allowed = key_filter(em, shape.key_names) if shape.key_names else None
    property_of_any = None if wanted else other_property(em, shape, names, allowed, depth)
    classes = _classes(em, key_classes(em, shape, names, allowed, depth), depth) if property_of_any is None else []
    kinds = wanted_kinds(em, classes, wanted, depth) if wanted else []
    if not _cover(kinds, wanted):
        return None
    items = _items(em, shape, depth, names, listed, allowed)
    if items is None:
        return None
    others: list[Body] = [] if property_of_any in (None, em.never) else [(property_of_any,)]
    counts = _counts(shape, len(items), bool(classes or others))
    if counts is None:
        return None
    least, most = counts
    # A key that is written twice is only one key, and only its last value counts. Where this matters, no key may be
    # repeated.
    check = em.builder.check("new key") if classes and (wanted or least > 1) else None
    if check is not None and not _has_enough_keys(em, shape, classes, len(items), least, wanted):
        return None
    others += [(*key_symbols(em, keys, "key", check), value) for keys, _, value in classes]
    members = Members(items, others, kinds, (1 << len(wanted)) - 1, least, most)
    lists = unordered(em, members) if em.any_order else ordered(em, members)
    if not lists:
        return None
    brace = em.left_brace
    if check is not None:
        brace = em.builder.terminal(em.store.literal(b"{"), opens=True)
    return em.rule([em.layout.enclosed(brace, body, em.right_brace) for body in lists], "object")


def _classes(em: Symbols, classes: list[tuple[int, Conj]], depth: int) -> list[tuple[int, Conj, int]]:
    """The keys beside the named ones for which there are values, each with the symbol of the values."""
    found = [(keys, conj, em.symbol(conj, depth + 1)) for keys, conj in classes]
    return [one for one in found if one[2] != em.never]


def _items(
    em: Symbols, shape: Shape, depth: int, names: dict[str, None], listed: int, allowed: int | None
) -> list[Item] | None:
    """The named properties for which there are values; None when a required property has no value.

    The first `listed` of the names are declared in some `properties`.
    """
    required = set(shape.required)
    items: list[Item] = []
    conjs = property_conjs(shape, names, em.strings)
    for index, name in enumerate(names):
        conj = conjs.get(name, ())
        is_allowed = conj != NEVER and (allowed is None or em.strings.has_body(allowed, name))
        value = em.symbol(conj, depth + 1) if is_allowed else em.never
        if value != em.never:
            items.append(((*named_key(em, name), value), name in required, index < listed))
        elif name in required:
            return None
    return items


def _counts(shape: Shape, items: int, has_others: bool) -> tuple[int, int | None] | None:
    """The least and the greatest number of properties, as far as they must be counted; None when no number is possible.

    Args:
        shape: the shape.
        items: the number of named properties.
        has_others: whether there may be other properties.
    """
    least, most = shape.min_properties, shape.max_properties
    required = len(set(shape.required))
    if least <= required:
        least = 0
    if most is not None and not has_others and most >= items:
        most = None
    if (not has_others and least > items) or (most is not None and most < max(least, required)):
        return None
    return least, most


def _has_enough_keys(
    em: Symbols,
    shape: Shape,
    classes: list[tuple[int, Conj, int]],
    items: int,
    least: int,
    wanted: tuple[SomeKey, ...],
) -> bool:
    """Whether there are enough different keys for `least` properties.

    Warns if there are only a few keys beside the named ones: a text may use them up, and then nothing can follow.
    """
    few = [finite_keys(em.store, keys) for keys, _, _ in classes]
    if not few or None in few:
        return True
    if items + sum([len(keys) for keys in few if keys is not None]) < least:
        return False
    message = "only a few keys are allowed, and where they run out nothing can follow: name them under properties"
    if shape.counted_at is not None:
        em.warnings.once(shape.counted_at, "minProperties", message)
    else:
        em.warnings.once(wanted[0].subschema, None, message)
    return True


def _cover(kinds: list[tuple[int, Body]], wanted: tuple[SomeKey, ...]) -> bool:
    """Whether each want is met by one of the kinds (see `Members.kinds`)."""
    met = 0
    for bits, _ in kinds:
        met |= bits
    return met == (1 << len(wanted)) - 1
