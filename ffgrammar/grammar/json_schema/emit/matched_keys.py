"""Keys that many sets of patterns may match: a nonterminal remembers which of the patterns a key matches.

    {"patternProperties": {"cat": {"minimum": 1}, "dog": {"minimum": 2}, …}}

A key of its own for each of 2^n sets of patterns would be 2^n expressions, each as large as all patterns together. So
there is one lexeme for all keys. Each pattern has a lexeme, too, which is read beside that one (ir.Template.beside) and
sets a bit. The nonterminal is joined (ir.Parametric). So after a key there are the bits of all patterns that it
matches, and these choose the value. A key whose value nothing obeys is left out of the keys.
"""

from __future__ import annotations

from ffgrammar.grammar.builder import settled_distance
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.key_patterns import KeyPattern, matching_sets
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["matched_key"]

# With more sets of patterns, keys are split by the patterns instead (other_keys.py), which may end in a LimitError.
MAX_SETS = 1024
# At most this many kinds of keys are left out because nothing obeys their values.
MAX_LEFT_OUT = 16


def matched_key(em: Symbols, shape: Shape, keys: int, patterns: list[KeyPattern], depth: int) -> int | None:
    """The symbol of a key beside the named ones, with its colon and value. `em.never` if there are none; None if they
    cannot be written so.

    Args:
        em: the symbols of the grammar.
        shape: the shape of the object.
        keys: the expression of all keys beside the named ones.
        patterns: what tells them apart.
        depth: how deep the object is nested.
    """
    sets = matching_sets(patterns, MAX_SETS)
    if sets is None:
        return None
    values = {some: _value(em, _demanded(shape, patterns, some), depth) for some in sets}
    without = [some for some in sets if values[some] == em.never]
    if len(without) == len(sets):
        return em.never
    left_out = _left_out(em, patterns, sets, without)
    if left_out is None:
        return None
    keys = em.store.intersect([keys, *[em.store.complement(expr) for expr in left_out]])
    values = {some: value for some, value in values.items() if value != em.never}
    shared = ("matched keys", keys, *[one.keys for one in patterns], *values.items())
    found = em.shared.get(shared)
    if found is None:
        found = em.shared[shared] = em.never if em.store.is_nothing(keys) else _written(em, keys, patterns, values)
        em.promised.update(values.values())
    return found


def _demanded(shape: Shape, patterns: list[KeyPattern], some: int) -> Conj:
    """What the value of a key obeys that matches a set of patterns."""
    bodies = [one.body for one in patterns if some >> one.number & 1]
    conj: Conj = ()
    for group in shape.groups:
        conj = join(conj, group.of_other(bodies))
    return conj


def _value(em: Symbols, conj: Conj, depth: int) -> int:
    return em.never if conj == NEVER else em.symbol(conj, depth + 1)


def _left_out(em: Symbols, patterns: list[KeyPattern], sets: list[int], without: list[int]) -> list[int] | None:
    """The expressions of the keys whose value nothing obeys; None if there are too many.

    Args:
        em: the symbols of the grammar.
        patterns: the patterns.
        sets: the sets of patterns that a key may match.
        without: those of them for which there is no value.
    """
    store = em.store
    hopeless = set(without)
    found: list[int] = []
    covered: list[int] = []
    for some in sorted(without, key=int.bit_count):
        if any([some & one == one for one in covered]):
            continue
        matched = [one.keys for one in patterns if some >> one.number & 1]
        if some and all([other in hopeless for other in sets if other & some == some]):
            covered.append(some)
            found.append(store.intersect(matched))
        else:
            others = [store.complement(one.keys) for one in patterns if not some >> one.number & 1]
            found.append(store.intersect([*matched, *others]))
        if len(found) > MAX_LEFT_OUT:
            return None
    return found


def _written(em: Symbols, keys: int, patterns: list[KeyPattern], values: dict[int, int]) -> int:
    """The symbol of a key with its colon and value. `values` has the symbol of the value for each set of patterns."""
    add, fuses = em.builder.add_template, em.layout.fuses_keys
    ending = [em.store.literal(b":")] if fuses else []
    # (nothing sets bits from the distance on, so `settled` has the bits that must not be set at all)
    distance = settled_distance(len(patterns))
    key = em.builder.parametric(2 * distance, "key that patterns match", joined=True)
    value = em.builder.parametric(2 * distance, "value of a key", joined=True)
    every = em.builder.separate(em.store.concat([keys, *ending]), "key")
    add(key, [every], value)
    for one in patterns:
        matching = em.builder.separate(em.store.concat([one.keys, *ending]), "key")
        add(key, [matching], value, bit=one.number, beside=every >> 1)
    everything = (1 << len(patterns)) - 1
    for some, symbol in values.items():
        body = [symbol] if fuses else [em.colon, symbol]
        add(value, body, need=some, settled=(everything & ~some, distance))
    return key
