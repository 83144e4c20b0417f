"""`uniqueItems`: arrays whose items all differ, and its opposite.

Items of which there are a few are told apart by the grammar: a parametric nonterminal keeps the set of those that were
written. All other items are compared as they are written: the array's brackets and commas are checked lexemes, so an
item that repeats another cannot end there; the text goes on where it can still be made to differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any, cast

from ffgrammar.grammar.ir import ANY_COUNT
from ffgrammar.grammar.json_schema.arrays import array_symbol, item_conj
from ffgrammar.grammar.json_schema.numbers import is_multiple
from ffgrammar.grammar.json_schema.shape import FALSE, FRAC, INT, NEVER, NULL, NUM, STR, TRUE, Conj, Shape

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.emit import Emitter

__all__ = ["compared_array_symbol"]

# So many values are told apart by the grammar.
MOST_VALUES = 256


def compared_array_symbol(em: Emitter, shape: Shape, depth: int) -> int | None:
    """The symbol of the arrays of a shape, which asks whether items are equal; None when there are none."""
    there = shape.copy()
    there.unique = there.repeated = None
    conjs, there.max_items = _items(em, shape, depth)
    most = there.max_items
    if shape.unique is None:
        assert shape.repeated is not None
        if most is not None:
            message = "the last item that fits may be unable to repeat another, and then nothing can follow"
            em.combiner.reader.warn_once(shape.repeated, f"uniqueItems: {message}")
        return array_symbol(_checked(em, "repeated", ()), there, depth)
    if most is not None and most <= 1:
        return array_symbol(em, there, depth)
    if len(conjs) == 1 and not shape.contained:
        values = _values(em, conjs[0])
        if values is not None:
            most = len(values) if most is None else min(most, len(values))
            if most < shape.min_items:
                return None
            if len(values) <= MOST_VALUES:
                return _distinct(em, list(values.values()), shape.min_items, most)
    free = [conj for conj in conjs if _never_runs_out(em, conj)]
    if len(free) < len(conjs) or shape.contained:
        message = "an item may begin like another and be unable to differ from it, and then nothing can follow"
        em.combiner.reader.warn_once(shape.unique, f"uniqueItems: {message}")
    return array_symbol(_checked(em, "unique", free), there, depth)


def _items(em: Emitter, shape: Shape, depth: int) -> tuple[list[Conj], int | None]:
    """What the items obey, the last of these standing for all that follow where there is room for them; and how many
    items there may be at most."""
    length = max([len(one.prefix) for one in shape.items], default=0)
    most = shape.max_items
    conjs: list[Conj] = []
    while most is None or len(conjs) < min(most, length + 1):
        conj = item_conj(shape, len(conjs))
        if conj == NEVER or em.symbol(conj, depth + 1) == em.never:
            most = len(conjs)
            break
        conjs.append(conj)
        if len(conjs) > length:
            break
    return conjs, most


class _Checked:
    """An emitter for one array: its brackets and comma are checked, what is inside of it is the emitter's own."""

    def __init__(self, em: Emitter, kind: str, free: Sequence[Conj]) -> None:
        self._em = em
        self._free = free
        terminal, literal = em.builder.terminal, em.store.literal
        check = em.builder.check(kind)
        self.left_bracket = terminal(literal(b"["), opens=True)
        self.right_bracket = terminal(literal(b"]"), check=check)
        self.comma = em.layout.comma(check) if kind == "unique" else em.comma

    def __getattr__(self, name: str) -> Any:
        return getattr(self._em, name)

    def symbol(self, conj: Conj, depth: int) -> int:
        """The symbol of an item."""
        if conj not in self._free or not any([shape.types & FRAC for shape in self._em.combiner.settled(conj)]):
            return self._em.symbol(conj, depth)
        return _number_symbol(self._em, conj)


def _checked(em: Emitter, kind: str, free: Sequence[Conj]) -> Emitter:
    return cast("Emitter", _Checked(em, kind, free))


def _never_runs_out(em: Emitter, conj: Conj) -> bool:
    """Whether an item that equals another can always be made longer, so that it does not. (Zero cannot; but the lexer
    knows where an integer ends, and _number_symbol knows of the others.)"""
    shapes = em.combiner.settled(conj)
    fractions = any([shape.types & FRAC for shape in shapes])
    return all(
        [
            not shape.types & ~(STR | NUM) and _strings_go_on(shape) and _numbers_go_on(em, shape, fractions)
            for shape in shapes
        ]
    )


def _strings_go_on(shape: Shape) -> bool:
    free = shape.strings is None and shape.max_length is None and not shape.patterns
    return free or not shape.types & STR


def _numbers_go_on(em: Emitter, shape: Shape, fractions: bool) -> bool:
    if not shape.types & NUM:
        return True
    if shape.numbers is not None or shape.high is not None or not shape.types & INT:
        return False
    if shape.divisors or shape.not_divisors:
        return False
    if fractions:
        return shape.low is None or shape.low == 0
    return em.combiner.plain_integers and (shape.low is None or shape.low >= 0)


def _number_symbol(em: Emitter, conj: Conj) -> int:
    """The symbol of items that never run out, some of them fractions: without those that begin with 0e, or 0.0e, for
    they are zero, whatever follows."""
    s = em.store
    more = s.union([s.literal(b""), s.concat([em.multiples.numbers.point, em.multiples.numbers.zeros])])
    zeros = s.concat([s.literals([b"0", b"-0"]), more])
    zero = s.concat([zeros, em.multiples.numbers.exponent])
    symbols = []
    for shape in em.combiner.settled(conj):
        if shape.types & STR:
            symbols.append(em.builder.terminal(em.strings.range(shape.min_length, None, ()), "string"))
        if shape.types & NUM:
            expr = em.multiples.of(shape, em.combiner.plain_integers)
            symbols.append(em.builder.terminal(s.intersect([expr, s.complement(zero)]), "number"))
    return em.builder.choice(symbols, "item")


def _values(em: Emitter, conj: Conj) -> dict[object, int] | None:
    """The values that obey a conjunction, each with its terminal; None when they are not just some scalars."""
    found: dict[object, list[int]] = {}
    for shape in em.combiner.settled(conj):
        exprs = _scalars(em, shape)
        if exprs is None:
            return None
        for value, expr in exprs.items():
            found.setdefault(value, []).append(expr)
    return {value: em.builder.terminal(em.store.union(exprs), "value") for value, exprs in found.items()}


def _scalars(em: Emitter, shape: Shape) -> dict[object, int] | None:
    """The values of one shape, each with its expression."""
    types = shape.types
    if types & ~(STR | NUM | NULL | TRUE | FALSE):
        return None
    found: dict[object, int] = {}
    for bit, text in ((NULL, b"null"), (TRUE, b"true"), (FALSE, b"false")):
        if types & bit:
            found["literal", bit] = em.store.literal(text)
    if types & STR:
        if shape.strings is None:
            return None
        found.update({text: em.strings.any_of([text]) for text in shape.strings})
    if types & NUM:
        numbers = shape.numbers if shape.numbers is not None else _integers(shape)
        if numbers is None:
            return None
        plain = em.combiner.plain_integers and not types & FRAC
        found.update({value: em.multiples.numbers.values([value], plain) for value in numbers})
    return found


def _integers(shape: Shape) -> list[Decimal] | None:
    """The integers between two bounds, if they are few."""
    low, high = shape.low, shape.high
    if shape.types & FRAC or low is None or high is None or high - low > MOST_VALUES:
        return None
    first = int(low.to_integral_value(ROUND_CEILING))
    last = int(high.to_integral_value(ROUND_FLOOR))
    values = [Decimal(value) for value in range(first + (shape.low_open and first == low), last + 1)]
    if shape.high_open and values and values[-1] == high:
        values.pop()
    return [
        value
        for value in values
        if all([is_multiple(value, divisor) for divisor, _ in shape.divisors])
        and not any([is_multiple(value, divisor) for divisor, _ in shape.not_divisors])
    ]


def _distinct(em: Emitter, values: Sequence[int], least: int, most: int | None) -> int:
    """The arrays of least to most (None: no bound) of these values, each at most once."""
    key = ("distinct", *values, least, most)
    first = em.shared.get(key)
    if first is None:
        first = em.shared[key] = em.builder.parametric(len(values), "items")
        more = em.builder.parametric(len(values), "items")
        room = (0, None if most is None else most - 1)
        for symbol, comma in ((first, ()), (more, (em.comma,))):
            if symbol != first:
                em.builder.add_template(symbol, [], counts=((least, None), ANY_COUNT))
            for bit, value in enumerate(values):
                em.builder.add_template(
                    symbol, [*comma, value], more, bit=bit, counts=(room, ANY_COUNT), add=(1, 0)
                )
    lists: list[tuple[int, ...]] = [(first,)] if least else [(first,), ()]
    return em.rule([em.layout.enclosed(em.left_bracket, body, em.right_bracket) for body in lists], "array")
