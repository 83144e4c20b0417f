"""Expressions that are packed in one store and made again in another match the same texts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema.emit.common_expressions import expressions
from ffgrammar.grammar.json_schema.numbers.ranges import Bounds
from ffgrammar.grammar.json_schema.strings import strings
from ffgrammar.grammar.json_schema.strings.formats import FORMATS
from ffgrammar.regex.expr.cache import ExprCache
from ffgrammar.regex.expr.packed import pack, unpack
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, NOTHING, ExprStore
from ffgrammar.regex.lower.lowering import JSON_CANONICAL, compile_regex


def _random(store: ExprStore, rng: random.Random, depth: int) -> int:
    kind = rng.randrange(10) if depth else rng.randrange(4)
    if kind < 2:
        return store.literal(bytes(rng.choices(b"abc", k=rng.randrange(5))))
    if kind == 2:
        return store.byte_set(bytes(rng.choices(b"abc", k=rng.randrange(4))))
    if kind == 3:
        return rng.choice([EMPTY, ANY_BYTES, store.multiples(3, 0, 1, None, None), store.multiples_part(7, 2, 3)])
    parts = [_random(store, rng, depth - 1) for _ in range(rng.randrange(1, 4))]
    if kind < 6:
        return store.concat(parts)
    if kind == 6:
        return store.union(parts)
    if kind == 7:
        return store.intersect(parts)
    if kind == 8:
        return store.complement(parts[0])
    least = rng.randrange(3)
    return store.repeat(parts[0], least, rng.choice([None, least + rng.randrange(3)]))


# numbers of expressions that do not depend on the ids of a store
_NUMBERS: dict[Any, int] = {}


def _number(store: ExprStore, root: int) -> int:
    """A number that equal expressions of all stores have."""
    known: dict[int, int] = {}
    todo = [root]
    while todo:
        expr = todo[-1]
        kind, *parts = store.node(expr)
        inner = parts if kind in ("union", "intersect", "concat", "complement") else parts[: kind == "repeat"]
        missing = [part for part in inner if part not in known]
        if missing:
            todo += missing
            continue
        numbers: Any = [known[part] for part in inner]
        numbers = frozenset(numbers) if kind in ("union", "intersect") else tuple(numbers)
        known[expr] = _NUMBERS.setdefault((kind, numbers, *parts[len(inner) :]), len(_NUMBERS))
        todo.pop()
    return known[root]


def test_random_expressions() -> None:
    rng = random.Random(1)
    theirs = ExprStore()
    ours = ExprStore()
    for _ in range(300):
        expr = _random(theirs, rng, 3)
        if rng.random() < 0.3:
            # what is known about emptiness goes with it
            theirs.is_nothing(expr)
        made = unpack(ours, pack(theirs, expr))
        for _ in range(20):
            text = bytes(rng.choices(b"abc0369", k=rng.randrange(7)))
            assert ours.matches(made, text) == theirs.matches(expr, text)
        assert ours.is_nothing(made) == theirs.is_nothing(expr)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_formats_are_equal_in_every_store(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strings, "_KEPT", ExprCache(1 << 20))
    theirs, ours = ExprStore(), ExprStore()
    first = expressions(theirs)[0].format(name, 2020)
    ours.literal(b"another")
    again = expressions(ours)[0].format(name, 2020)
    assert _number(theirs, first) == _number(ours, again)


def test_a_store_that_starts_from_another_is_independent() -> None:
    base, ours = ExprStore(), ExprStore()
    word = base.literal(b"word")
    count = len(base)
    ours.start_from(base)
    assert ours.literal(b"word") == word
    ours.derivative(ours.concat([word, ours.literal(b"more")]), ord("w"))
    assert ours.matches(ours.literal(b"more"), b"more")
    assert len(base) == count and base.matches(word, b"word")


def test_common_numbers_are_those_of_a_new_store() -> None:
    fresh, plain = ExprStore(), ExprStore()
    plain.literal(b"not new")
    some, others = expressions(fresh)[1].numbers, expressions(plain)[1].numbers
    for fractions in (True, False):
        bounds = Bounds(None, False, None, False)
        numbers = [made.range(bounds, True, fractions) for made in (some, others)]
        assert _number(fresh, numbers[0]) == _number(plain, numbers[1])


def test_what_is_kept_is_bounded_and_obeys_the_limits_of_its_store() -> None:
    kept = ExprCache(20_000)
    pattern = "(?:[a-z]{3}-){2}[0-9]+"
    made = []

    def make(store: ExprStore, text: str) -> int:
        def of() -> int:
            made.append(text)
            return compile_regex(store, text, "ecma", encode=JSON_CANONICAL, search=True)

        return kept.get(store, text, of)

    first = ExprStore()
    number = _number(first, make(first, pattern))
    again = ExprStore()
    assert _number(again, make(again, pattern)) == number and made == [pattern]
    for count in range(50):
        make(ExprStore(), f"^{count}[a-z]x{{2,{count + 2}}}")
        assert kept._bytes <= 20_000
    make(ExprStore(), pattern)
    assert made.count(pattern) == 2
    with pytest.raises(LimitError):
        make(ExprStore(Limits(expressions=8)), pattern)
    assert make(ExprStore(), "[^\\s\\S]") == NOTHING
    assert make(ExprStore(), "[^\\s\\S]") == NOTHING
