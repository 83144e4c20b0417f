"""`uniqueItems`: arrays whose items all differ; and its opposite, arrays with two equal items.

If the items can have only a few values, the grammar itself tells them apart: a parametric nonterminal keeps the set of
values that were written. All other items are compared while they are written. The commas and the closing bracket of
their array are lexemes with a check. So an item that equals an earlier one cannot end, and its text has to go on until
it differs.

This works only if the item's text can go on. A string without a bound can always get longer, but one with a `maxLength`
cannot. Where an item may reach a point after which nothing can follow, there is a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from ffgrammar.grammar.ir import ANY_COUNT
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.arrays import array_symbol
from ffgrammar.grammar.json_schema.emit.only_types import only_types
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.normalize.parts import item_conj, prefix_length
from ffgrammar.grammar.json_schema.numbers.divisors import has_divisors
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, FALSE, FRAC, INT, NULL, NUM, OBJ, STR, TRUE
from ffgrammar.regex.expr.store import ANY_BYTES

__all__ = ["compared_array_symbol"]

# The grammar itself tells up to this many values apart.
MAX_VALUES = 256
# The items of an array with unique items may be such arrays themselves. Whether these can always have another item is
# examined down to this many levels.
LEVELS = 3

_LITERALS = {NULL: b"null", TRUE: b"true", FALSE: b"false"}


def compared_array_symbol(em: Symbols, shape: Shape, depth: int) -> int | None:
    """The symbol of the arrays of a shape whose items must all differ, or of which two items must be equal; None when
    there are none."""
    uncompared = shape.copy()
    uncompared.unique = uncompared.repeated = None
    conjs, most = _items(em, shape, depth)
    uncompared.max_items = most
    if shape.unique is None:
        assert shape.repeated is not None
        if most is not None:
            message = "two items must be equal, but the last item may differ from all others: then nothing can follow"
            em.warnings.once(shape.repeated, "uniqueItems", f"uniqueItems: {message}")
        return array_symbol(_CheckedStyle(em, shape.repeated, "repeated", ()), uncompared, depth)
    if most is not None and most <= 1:
        return array_symbol(ArrayStyle(em), uncompared, depth)
    if len(conjs) == 1 and not shape.contained:
        values, left = _split(em, conjs[0])
        if not left:
            most = len(values) if most is None else min(most, len(values))
            if most < shape.min_items:
                return None
        if values and len(values) <= MAX_VALUES:
            return _mixed(em, shape, values, left, conjs[0], most, depth)
    free = [conj for conj in conjs if _never_runs_out(em, conj, depth + 1)]
    if len(free) < len(conjs) or shape.contained:
        _warn_of_dead_ends(em, shape)
    return array_symbol(_CheckedStyle(em, shape.unique, "unique", free), uncompared, depth)


def _items(em: Symbols, shape: Shape, depth: int) -> tuple[list[Conj], int | None]:
    """What the items must obey, one by one, and how many items there may be at most (None: no bound).

    The last conjunction is for all further items, too.
    """
    length = prefix_length(shape)
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


def _warn_of_dead_ends(em: Symbols, shape: Shape) -> None:
    assert shape.unique is not None
    message = "an item may begin like another one and be unable to differ from it, and then nothing can follow"
    em.warnings.once(shape.unique, "uniqueItems", f"uniqueItems: {message}")


class _CheckedStyle(ArrayStyle):
    """Arrays with a check. The closing bracket, and a line break before it, are allowed only if the check holds.

    If the check is "unique", commas are allowed only if it holds, too.

    Args:
        em: the symbols of the grammar.
        subschema: the subschema with `uniqueItems`.
        kind: the kind of the check, "unique" or "repeated".
        free: the conjunctions of items whose text can always go on until it differs from all earlier items.
    """

    def __init__(self, em: Symbols, subschema: Subschema, kind: str, free: Sequence[Conj]) -> None:
        super().__init__(em)
        self._subschema = subschema
        self._free = free
        terminal, literal = em.builder.terminal, em.store.literal
        check = em.builder.check(kind)
        self.opening = terminal(literal(b"["), opens=True)
        self.closing = terminal(literal(b"]"), check=check)
        self._comma_check = check if kind == "unique" else None
        if self._comma_check is not None:
            self.comma = em.layout.comma(check)
        self.layout = em.layout.checked(check)

    def comma_symbols(self) -> tuple[int, ...]:
        return self.layout.comma_symbols(self._comma_check)

    def item(self, conj: Conj, depth: int) -> int:
        """The symbol of the items that obey a conjunction.

        If the items are free, this leaves out the spellings of zero that stay zero whatever follows: such a zero could
        never be made to differ from an earlier zero.
        """
        resolved_shapes = self.em.combiner.resolved_shapes
        if conj in self._free and any([_has_dead_zeros(shape) for shape in resolved_shapes(conj)]):
            return _number_symbol(self.em, self._subschema, conj, depth + 1)
        return super().item(conj, depth)


def _never_runs_out(em: Symbols, conj: Conj, depth: int, levels: int = LEVELS) -> bool:
    """Whether the text of an item that equals an earlier one can always go on until the item differs.

    The integer 0 cannot go on, but this is no dead end: in a grammar with checks, a lexeme ends as soon as it cannot go
    on, so a second 0 is refused at once. `_number_symbol` leaves out the other spellings of zero that cannot differ.
    """
    shapes = em.combiner.resolved_shapes(conj)
    fractions = any([shape.types & FRAC for shape in shapes])
    return all(
        [
            not shape.types & (NULL | TRUE | FALSE)
            and _strings_go_on(shape)
            and _numbers_go_on(em, shape, fractions)
            and _arrays_go_on(em, shape, depth, levels)
            and _objects_go_on(shape)
            for shape in shapes
        ]
    )


def _strings_go_on(shape: Shape) -> bool:
    free = shape.strings is None and shape.max_length is None and not shape.patterns
    return free or not shape.types & STR


def _numbers_go_on(em: Symbols, shape: Shape, fractions: bool) -> bool:
    if not shape.types & NUM:
        return True
    if shape.numbers is not None or shape.high is not None or not shape.types & INT:
        return False
    if shape.divisors or shape.not_divisors or not (fractions or em.combiner.plain_integers):
        return False
    return shape.low is None or shape.low == 0 or (shape.low > 0 and not fractions)


def _has_dead_zeros(shape: Shape) -> bool:
    """Whether some spellings begin so that the number is zero, whatever follows: with 0e, for example."""
    return bool(shape.types & FRAC or (shape.types & INT and shape.low == 0))


def _arrays_go_on(em: Symbols, shape: Shape, depth: int, levels: int) -> bool:
    """Whether an array can always have another item."""
    if not shape.types & ARR:
        return True
    if shape.max_items is not None or shape.contained or shape.repeated is not None:
        return False
    first = prefix_length(shape)
    rest = item_conj(shape, first)
    if shape.unique is None:
        return not rest or (rest != NEVER and em.symbol(rest, depth + 1) != em.never)
    if first or not levels:
        return False
    _, left = _split(em, rest)
    return bool(left) and _never_runs_out(
        em, only_types(em, shape.unique, "uniqueItems", rest, left), depth + 1, levels - 1
    )


def _objects_go_on(shape: Shape) -> bool:
    """Whether an object can always have another key."""
    if not shape.types & OBJ:
        return True
    if shape.max_properties is not None or shape.key_names or shape.some_keys or shape.clauses:
        return False
    return not any([group.additional or group.patterns for group in shape.groups])


def _number_symbol(em: Symbols, subschema: Subschema, conj: Conj, depth: int) -> int:
    """The symbol of free items (see `_CheckedStyle`), without numbers that are zero whatever follows.

    The numbers that are left out begin with 0e, 0.0e and the like; or with a minus, if no number below zero is allowed.
    """
    s = em.store
    numbers = em.multiples.numbers
    zeros = s.union([numbers.zero, s.concat([numbers.zero, numbers.point, numbers.zeros])])
    zero = s.concat([s.repeat(numbers.minus, 0, 1), zeros, numbers.exponent])
    negative = s.concat([numbers.minus, ANY_BYTES])
    left = 0
    symbols = []
    for shape in em.combiner.resolved_shapes(conj):
        left |= shape.types & ~NUM
        if shape.types & NUM:
            expr = em.multiples.of(shape, em.combiner.plain_integers)
            dead = zero if shape.low is None else s.union([zero, negative])
            symbols.append(em.builder.terminal(s.intersect([expr, s.complement(dead)]), "number"))
    if left:
        symbols.append(em.symbol(only_types(em, subschema, "uniqueItems", conj, left), depth))
    return em.builder.choice(symbols, "item")


def _split(em: Symbols, conj: Conj) -> tuple[dict[object, int], int]:
    """The values of those types that have only a few values, with the terminal of each value; and the other types, as
    bits."""
    shapes = em.combiner.resolved_shapes(conj)
    found: dict[object, list[int]] = {}
    left = 0
    for group in (NULL, TRUE, FALSE, STR, NUM, ARR, OBJ):
        listed = [_listed(em, shape, group) for shape in shapes if shape.types & group]
        for values in listed:
            if None in listed:
                left |= group
            elif values is not None:
                for value, expr in values.items():
                    found.setdefault((group, value), []).append(expr)
    return {value: em.builder.terminal(em.store.union(exprs), "value") for value, exprs in found.items()}, left


def _listed(em: Symbols, shape: Shape, group: int) -> dict[object, int] | None:
    """The values of a shape that have one of the types in `group`, with the expression of each; None if they cannot be
    listed."""
    if group in _LITERALS:
        return {None: em.store.literal(_LITERALS[group])}
    if group == STR and shape.strings is not None:
        return {text: em.strings.any_of([text]) for text in shape.strings}
    if group == NUM:
        numbers = shape.numbers if shape.numbers is not None else _integers(shape)
        if numbers is not None:
            plain = em.combiner.plain_integers and not shape.types & FRAC
            return {value: em.multiples.numbers.values([value], plain) for value in numbers}
    return None


def _integers(shape: Shape) -> list[Decimal] | None:
    """The integers that a shape allows; None if there may be too many to list, or numbers that are not integers."""
    low, high = shape.low, shape.high
    if shape.types & FRAC or low is None or high is None or high - low > MAX_VALUES:
        return None
    first = int(low.to_integral_value(ROUND_CEILING))
    last = int(high.to_integral_value(ROUND_FLOOR))
    values = [Decimal(value) for value in range(first + (shape.low_open and first == low), last + 1)]
    if shape.high_open and values and values[-1] == high:
        values.pop()
    return [value for value in values if has_divisors(shape, value)]


def _mixed(
    em: Symbols, shape: Shape, values: dict[object, int], left: int, conj: Conj, most: int | None, depth: int
) -> int:
    """The symbol of arrays in which each of a few values occurs at most once, and all other items differ.

    Args:
        em: the symbols of the grammar.
        shape: the shape of the arrays.
        values: the values, with their terminals.
        left: the types of the other items; 0: there are no other items.
        conj: what the items obey.
        most: how many items there may be; None: no bound.
        depth: how deep the array is nested.
    """
    others = em.never
    style = ArrayStyle(em)
    if left:
        assert shape.unique is not None
        rest = only_types(em, shape.unique, "uniqueItems", conj, left)
        is_free = _never_runs_out(em, rest, depth + 1)
        if not is_free:
            _warn_of_dead_ends(em, shape)
        style = _CheckedStyle(em, shape.unique, "unique", [rest] if is_free else ())
        others = style.item(rest, depth)
    key = ("distinct", *values.values(), others, shape.min_items, most)
    array = em.shared.get(key)
    if array is None:
        add = em.builder.add_template
        array = em.shared[key] = em.builder.parametric(len(values), "array")
        more = em.builder.parametric(len(values), "items")
        counts = ((0, None if most is None else most - 1), ANY_COUNT)
        if shape.min_items == 0:
            add(array, [style.opening, style.closing])
        line = style.layout.line_break
        # the symbols of the comma, not a nonterminal for them: a template with `again` must contain a terminal
        comma = style.layout.comma_symbols(em.builder.check("unique") if left else None)
        add(more, [*style.layout.last_break, style.closing], counts=((shape.min_items, None), ANY_COUNT))
        for symbol, before in ((array, (style.opening, *line)), (more, comma)):
            for bit, value in enumerate(values.values()):
                add(symbol, [*before, value], more, bit=bit, counts=counts, add=(1, 0))
            if left:
                add(symbol, [*before, others], more, counts=counts, add=(1, 0))
    return array
