"""The expressions that nearly every schema needs. They are made once in a process, in a store that is then copied: the
store of each grammar begins as such a copy."""

from __future__ import annotations

from functools import cache

from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.numbers.ranges import UNBOUNDED
from ffgrammar.grammar.json_schema.strings.strings import Strings
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["expressions"]

# The number of expressions in a new store.
EMPTY_STORE = len(ExprStore())


@cache
def _common() -> tuple[ExprStore, Strings, Multiples]:
    """A store with the common expressions, and its string and number expressions.

    Callers may read and copy this store, but must not change it.

    (Two threads may each make a store. One of the two stores is kept.)
    """
    store = ExprStore()
    strings = Strings(store)
    multiples = Multiples(store)
    strings.range(0, None, ())
    for fractions in (True, False):
        multiples.numbers.range(UNBOUNDED, True, fractions)
    for mark in (b"{", b"}", b"[", b"]", b",", b":", b"null"):
        store.literal(mark)
    store.literals([b"true", b"false"])
    store.repeat(store.byte_set(b" \t\r\n"), 1, None)
    return store, strings, multiples


def expressions(store: ExprStore) -> tuple[Strings, Multiples]:
    """The string and number expressions of a store. An empty store is first filled with the common expressions."""
    if len(store) > EMPTY_STORE:
        return Strings(store), Multiples(store)
    common, strings, multiples = _common()
    store.start_from(common)
    return strings.rebound(store), multiples.rebound(store)
