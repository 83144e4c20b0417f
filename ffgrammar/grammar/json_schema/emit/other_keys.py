# cython: language_level=3
"""The keys of an object beside the named ones, and the symbols that are written for any key."""

from __future__ import annotations

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.key_patterns import KeyPattern, matching_sets, patterns_of
from ffgrammar.grammar.json_schema.emit.layout import KeysApart
from ffgrammar.grammar.json_schema.emit.matched_keys import matched_key
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.constraints import SomeKey
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import STR

__all__ = ["key_classes", "key_filter", "key_symbols", "named_key", "other_property", "wanted_kinds"]

# Each class of keys that `patternProperties` tell apart costs as much as this many alternatives.
CLASS_COST = 200
# With more sets of patterns that may match one key, or with more sets of several patterns, the parser remembers which
# of them do (matched_keys.py).
FEW_SETS = 16
FEW_OVERLAPS = 1
# At most this many wants (see members.py) may be left for keys beside the named ones: each set of wants has a rule.
MAX_WANTED = 8


def named_key(em: Symbols, name: str) -> Body:
    """A named key and its colon."""
    found = em.keys.get(name)
    if found is None:
        found = em.keys[name] = key_symbols(em, em.strings.key(name), name)
    return found


def key_symbols(em: Symbols, expr: int, name: str, check: int | None = None) -> Body:
    """The symbols of keys, given by an expression, and of their colon. They are one terminal if `Layout.fuses_keys`.

    Args:
        em: the symbols of the grammar.
        expr: the expression of the keys.
        name: the name of the terminal.
        check: the check of the keys; None: they are not checked.

    Raises:
        KeysApart: the keys are checked, but keys and colons are one terminal.
    """
    if em.layout.fuses_keys:
        if check is not None:
            raise KeysApart
        expr = em.store.concat([expr, em.store.literal(b":")])
        return (em.builder.plain(expr, name),)
    if check is None:
        return (em.builder.plain(expr, name), em.colon)
    return (em.builder.terminal(expr, name, check=check), em.colon)


def key_filter(em: Symbols, conj: Conj) -> int:
    """The expression of the bodies of the keys that, as strings, obey a conjunction."""
    shapes = em.combiner.resolved_shapes(conj)
    return em.store.union([em.strings.body_of(shape) for shape in shapes if shape.types & STR])


def other_property(em: Symbols, shape: Shape, names: dict[str, None], allowed: int | None, depth: int) -> int | None:
    """The symbol of a key beside the named ones, with its colon and value, where many sets of patterns may match a key.
    None where few may, or where `key_classes` is to tell the keys apart. `em.never` if there are no such keys.

    The arguments are those of `key_classes`.
    """
    if not any([group.patterns for group in shape.groups]) or em.any_order or not em.combiner.defers:
        # (in any order, templates must begin with a lexeme)
        return None
    if shape.min_properties > max(1, len(set(shape.required))):
        # keys that are counted are checked
        return None
    patterns = patterns_of(em, shape, depth)
    sets = matching_sets(patterns, FEW_SETS)
    if sets is not None and sum([some.bit_count() > 1 for some in sets]) <= FEW_OVERLAPS:
        return None
    return matched_key(em, shape, _others(em, names, allowed), patterns, depth)


def key_classes(
    em: Symbols, shape: Shape, names: dict[str, None], allowed: int | None, depth: int
) -> list[tuple[int, Conj]]:
    """The keys beside the named ones, by what their values must obey.

    Args:
        em: the symbols of the grammar.
        shape: the shape.
        names: the named keys.
        allowed: the expression that the bodies of all keys must match; None: any key is allowed.
        depth: how deep the object is nested.

    Returns:
        Pairs of an expression of keys and the conjunction that their values must obey. No key matches two of the
        expressions.

    Raises:
        LimitError: the patterns overlap in too many ways.
    """
    if not any([group.patterns for group in shape.groups]):
        return _one_class(em, shape, names, allowed)
    by_conj: dict[Conj, list[int]] = {}
    keys = _others(em, names, allowed)
    for expr, matched in _split_by_patterns(em, keys, patterns_of(em, shape, depth)):
        conj: Conj = ()
        for group in shape.groups:
            conj = join(conj, group.of_other(matched))
        if conj != NEVER:
            by_conj.setdefault(conj, []).append(expr)
    return [(em.store.union(exprs), conj) for conj, exprs in by_conj.items()]


def _others(em: Symbols, names: dict[str, None], allowed: int | None) -> int:
    """The expression of the keys beside the named ones. `allowed` is as in `key_classes`."""
    if allowed is not None:
        return em.strings.keys(allowed, names)
    if not names:
        return em.strings.any_key
    return em.store.intersect([em.strings.any_key, em.store.complement(em.strings.any_of(names))])


def _one_class(em: Symbols, shape: Shape, names: dict[str, None], allowed: int | None) -> list[tuple[int, Conj]]:
    """What `key_classes` returns for a shape without patterns."""
    conj: Conj = ()
    for group in shape.groups:
        conj = join(conj, group.additional)
    if conj == NEVER:
        return []
    keys = _others(em, names, allowed)
    return [] if allowed is not None and em.store.is_nothing(keys) else [(keys, conj)]


def _split_by_patterns(em: Symbols, keys: int, patterns: list[KeyPattern]) -> list[tuple[int, list[int]]]:
    """Keys, split by every pattern into those that match it and those that do not.

    Returns:
        Pairs of an expression of keys and the patterns that these keys match.
    """
    store = em.store

    def of(some: int, seen: int) -> int:
        """The keys that match a set of patterns, and no other of the first ones."""
        matched = [one for one in patterns if some >> one.number & 1]
        # (what a pattern excludes that matches need not be said)
        others = [one for one in patterns[:seen] if not (some >> one.number & 1 or some & one.excludes)]
        return store.intersect([keys, *[one.keys for one in matched], *[store.complement(one.keys) for one in others]])

    found = [0]
    for one in patterns:
        longer = [some | 1 << one.number for some in found if not some & one.excludes]
        found += [some for some in longer if not store.is_nothing(of(some, one.number))]
        if len(found) > em.limits.alternatives // CLASS_COST:
            raise _too_many_overlaps(em)
    exprs = [(of(some, len(patterns)), [one.body for one in patterns if some >> one.number & 1]) for some in found]
    return [(expr, matched) for expr, matched in exprs if not store.is_nothing(expr)]


def _too_many_overlaps(em: Symbols) -> LimitError:
    advice = "let patterns exclude each other, by anchors such as ^, or raise it with limits=Limits(alternatives=...)"
    detail = "patternProperties overlap in too many ways"
    return LimitError("alternatives", em.limits.alternatives, detail, advice=advice)


def wanted_kinds(
    em: Symbols, classes: list[tuple[int, Conj, int]], wanted: tuple[SomeKey, ...], depth: int
) -> list[tuple[int, Body]]:
    """The properties beside the named ones that meet wants (see members.py).

    Args:
        em: the symbols of the grammar.
        classes: the keys beside the named ones: expression, conjunction of the values, symbol of the values.
        wanted: the wants.
        depth: how deep the object is nested.

    Returns:
        Pairs of a set of wants, as bits, and the body of properties that meet all of them.

    Raises:
        UnsupportedError: there are too many wants.
        KeysApart: keys and colons are one terminal, but the keys must be checked.
    """
    if len(wanted) > MAX_WANTED:
        raise UnsupportedError(
            f"more than {MAX_WANTED} keys beside the named ones are demanded: name them under properties, or demand "
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
                found.append((bits, (*key_symbols(em, expr, "key", em.builder.check("new key")), value)))
    return found
