# cython: language_level=3
"""The symbol of all JSON values. Most schemas allow any value somewhere, such as that of a key beside the named ones.

It is made directly, without a shape. (This takes 3% off the compilation of a schema of median size.)
"""

from __future__ import annotations

from ffgrammar.grammar.json_schema.emit.other_keys import key_symbols
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.numbers.ranges import UNBOUNDED

__all__ = ["any_value"]


def any_value(em: Symbols) -> int:
    """A new symbol that stands for every JSON value."""
    builder, store, layout = em.builder, em.store, em.layout
    value = builder.nonterminal("value")
    items = em.growing([(value,)], [(em.comma, value)], "items")
    bodies = [layout.enclosed(em.left_bracket, body, em.right_bracket) for body in ((), (items,))]
    array = em.rule(bodies, "array")
    member = (*key_symbols(em, em.strings.any_key, "key"), value)
    members = em.growing([member], [(em.comma, *member)], "members")
    bodies = [layout.enclosed(em.left_brace, body, em.right_brace) for body in ((members,), ())]
    found = em.rule(bodies, "object")
    for symbol in (
        builder.plain(em.strings.range(0, None, ()), "string"),
        builder.plain(em.multiples.numbers.range(UNBOUNDED, True, True), "number"),
        builder.plain(store.literal(b"null"), "null"),
        builder.plain(store.literals([b"true", b"false"]), "boolean"),
        array,
        found,
    ):
        builder.add(value, (symbol,))
    return value
