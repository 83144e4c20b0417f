"""Which of four ways writes an array with `contains`.

- Few `contains`: a small automaton, written as productions (contains.py).
- Many without upper bounds: a joined nonterminal remembers which of them have been met (many_contains.py).
- Many with upper bounds, of which no item obeys two: items of each kind are counted (contains_kinds.py).
- Many with upper bounds, of which a scalar may obey several: what was counted guards the next item
  (contains_guarded.py). Where this is not possible, kinds of items are counted again, if they are few.

Where none of the last three can write the array, the automaton does, or ends in a LimitError.
"""

from __future__ import annotations

from math import prod

from ffgrammar.grammar.ir import MAX_COUNT
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.emit import contains_guarded, contains_kinds, many_contains
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.contains import containing
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["containing_array"]

# With fewer choices of what the next item obeys, in all states together, the automaton is small.
FEWEST_CHOICES = 1000


def containing_array(style: ArrayStyle, shape: Shape, depth: int, items: list[Conj], most: int | None) -> int | None:
    """The symbol of the arrays of a shape with `contains`; None if no array obeys it.

    Args:
        style: how the array is written.
        shape: the shape.
        depth: how deep the array is nested.
        items: what the item at each index must obey; the last conjunction is for all further items, too.
        most: how many items there may be; None: no bound.

    Raises:
        LimitError: there are too many states or productions.
    """
    if most is not None and most >= MAX_COUNT:
        # (no text is that long)
        most = None
    array: int | None = None
    if many_contains.may_be_remembered(shape, items, most):
        array = many_contains.array_that_contains(style, shape, depth, items)
    elif _choices(shape, most) >= FEWEST_CHOICES and len(items) == 1:
        array = contains_kinds.array_by_kinds(style, shape, depth, items[0], most, is_apart=True)
        if array is None:
            array = contains_guarded.array_with_guards(style, shape, depth, items[0], most)
        if array is None:
            array = contains_kinds.array_by_kinds(style, shape, depth, items[0], most, is_apart=False)
    if array is not None:
        return None if array == style.em.never else array
    lists = containing(style, shape, depth, items, most)
    return style.em.rule([style.enclosed(body) for body in lists], "array") if lists else None


def _choices(shape: Shape, most: int | None) -> int:
    """How many choices the automaton has at most."""
    counts = [one.least if one.most is None else one.most for one in shape.contained]
    return prod([2 * (1 + count) for count in counts]) * max(shape.min_items, 1 if most is None else most)
