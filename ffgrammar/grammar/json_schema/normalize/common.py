# cython: language_level=3
"""What nearly every schema needs, made once in a process: each grammar's store starts as a copy of it."""

from __future__ import annotations

from functools import cache

from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.numbers.numbers import Bounds
from ffgrammar.grammar.json_schema.strings.strings import Strings
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["expressions"]

# a new store has as many expressions
EMPTY_STORE = len(ExprStore())


@cache
def _common() -> tuple[ExprStore, Strings, Multiples]:
    """A store that is only read from then on. (Two threads may make one each; one of them is kept.)"""
    store = ExprStore()
    strings = Strings(store)
    multiples = Multiples(store)
    strings.range(0, None, ())
    for fractions in (True, False):
        multiples.numbers.range(Bounds(None, False, None, False), True, fractions)
    for mark in (b"{", b"}", b"[", b"]", b",", b":", b"null"):
        store.literal(mark)
    store.literals([b"true", b"false"])
    store.repeat(store.byte_set(b" \t\r\n"), 1, None)
    return store, strings, multiples


def expressions(store: ExprStore) -> tuple[Strings, Multiples]:
    """The makers of expressions in a store; in one that is empty, with what is common made already."""
    if len(store) > EMPTY_STORE:
        return Strings(store), Multiples(store)
    common, strings, multiples = _common()
    store.start_from(common)
    return strings.rebound(store), multiples.rebound(store)
