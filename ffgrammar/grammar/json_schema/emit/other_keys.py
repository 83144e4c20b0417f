# cython: language_level=3
"""The keys of an object beside the named ones, and the symbols that are written for any key."""

from __future__ import annotations

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.layout import KeysApart
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.constraints import SomeKey
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import STR

__all__ = ["key_classes", "key_filter", "key_symbols", "named_key", "wanted_kinds"]

# Each class of keys that `patternProperties` tell apart costs as much as this many alternatives.
CLASS_COST = 200
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
    """The expression of the keys that, as strings, obey a conjunction."""
    strings = em.strings
    options = [strings.of(shape) for shape in em.combiner.resolved_shapes(conj) if shape.types & STR]
    return em.store.intersect([strings.any_key, em.store.union(options)])


def key_classes(em: Symbols, shape: Shape, names: dict[str, None], allowed: int | None) -> list[tuple[int, Conj]]:
    """The keys beside the named ones, by what their values must obey.

    Args:
        em: the symbols of the grammar.
        shape: the shape.
        names: the named keys.
        allowed: the expression that all keys must match; None: any key is allowed.

    Returns:
        Pairs of an expression of keys and the conjunction that their values must obey. No key matches two of the
        expressions.

    Raises:
        LimitError: the patterns overlap in too many ways.
    """
    store, strings = em.store, em.strings
    parts = [strings.any_key] if allowed is None else [allowed]
    patterns = dict.fromkeys([body for group in shape.groups for body, _ in group.patterns])
    if not patterns:
        return _one_class(em, shape, names, parts)
    if names:
        parts.append(store.complement(strings.any_of(names)))
    by_conj: dict[Conj, list[int]] = {}
    for keys, matched in _split_by_patterns(em, store.intersect(parts), patterns):
        conj: Conj = ()
        for group in shape.groups:
            conj = join(conj, group.of_other(matched))
        if conj != NEVER:
            by_conj.setdefault(conj, []).append(keys)
    return [(store.union(keys), conj) for conj, keys in by_conj.items()]


def _one_class(em: Symbols, shape: Shape, names: dict[str, None], parts: list[int]) -> list[tuple[int, Conj]]:
    """What `key_classes` returns for a shape without patterns; `parts` are expressions that all keys must match."""
    conj: Conj = ()
    for group in shape.groups:
        conj = join(conj, group.additional)
    if conj == NEVER:
        return []
    if names:
        parts.append(em.store.complement(em.strings.any_of(names)))
    keys = em.store.intersect(parts)
    is_filtered = parts[0] != em.strings.any_key
    return [] if is_filtered and em.store.is_nothing(keys) else [(keys, conj)]


def _split_by_patterns(em: Symbols, keys: int, patterns: dict[int, None]) -> list[tuple[int, tuple[int, ...]]]:
    """Keys, split by every pattern into those that match it and those that do not.

    Returns:
        Pairs of an expression of keys and the patterns that these keys match.
    """
    store = em.store
    classes: list[tuple[int, tuple[int, ...]]] = [(keys, ())]
    for body in patterns:
        matching = em.strings.quoted(body)
        split = []
        for some, matched in classes:
            for part, now in ((matching, (*matched, body)), (store.complement(matching), matched)):
                both = store.intersect([some, part])
                if not store.is_nothing(both):
                    split.append((both, now))
        classes = split
        if len(classes) > em.limits.alternatives // CLASS_COST:
            raise LimitError("alternatives", em.limits.alternatives, "patternProperties overlap in too many ways")
    return classes


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
