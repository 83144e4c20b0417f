"""Arrays with many `contains`: a parametric nonterminal remembers which of them an item has obeyed.

Its parameter (see ir.Template) has a bit for each `contains`. The automaton of contains.py has a state for each set of
them, and from each state an edge for each set of those that the next item may obey. For twelve `contains` these are
half a million. Here there is one template for each *kind* of items: those that obey certain ones of the schemas, and
no other.
"""

from __future__ import annotations

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.contains import STEP_COST
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.constraints import Contained
from ffgrammar.grammar.json_schema.shape.shape import Shape

__all__ = ["array_that_meets", "may_be_remembered"]

# With more kinds of items for each `contains`, a mask takes too much work.
MAX_KINDS = 8


def may_be_remembered(em: Symbols, shape: Shape, items: list[Conj], most: int | None) -> bool:
    """Whether `array_that_meets` could write an array for which the automaton has too many edges: all items obey the
    same, and only one item must obey each `contains`."""
    return (
        len(items) == 1
        and most is None
        and shape.min_items <= 1
        and shape.unique is None
        and all([(one.start, one.least, one.most) == (0, 1, None) for one in shape.contained])
        and STEP_COST * 3 ** len(shape.contained) > em.limits.rules
    )


def array_that_meets(style: ArrayStyle, shape: Shape, depth: int, items: Conj) -> int | None:
    """The symbol of the arrays of a shape for which `may_be_remembered` holds; `em.never` if there are none. None if
    there are too many kinds of items.

    Args:
        style: how the array is written.
        shape: the shape.
        depth: how deep the array is nested.
        items: what each item must obey.
    """
    em, wanted, layout = style.em, shape.contained, style.layout
    # (the opposites of schemas may not be supported, or be too many alternatives; then the automaton is too large)
    try:
        told_apart = _kinds(em, wanted, items)
    except UnsupportedError:
        return None
    except LimitError as error:
        if error.limit != "alternatives":
            raise
        return None
    if told_apart is None:
        return None
    kinds = [(symbol, bits) for conj, bits in told_apart if (symbol := style.item(conj, depth)) != em.never]
    needed = (1 << len(wanted)) - 1
    found = 0
    for _, bits in kinds:
        found |= bits
    if found != needed:
        return em.never
    array = em.builder.parametric(len(wanted), "array")
    more = em.builder.parametric(len(wanted), "items")
    # (the symbols of brackets and commas, because a template with `again` must contain a terminal)
    for symbol, before in ((array, (style.opening, *layout.line_break)), (more, layout.comma_symbols(None))):
        for item, bits in kinds:
            em.builder.add_template(symbol, [*before, item], more, sets=bits)
    em.builder.add_template(more, [*layout.last_break, style.closing], need=needed)
    return array


def _kinds(em: Symbols, wanted: tuple[Contained, ...], items: Conj) -> list[tuple[Conj, int]] | None:
    """The kinds of items: what each obeys, and the `contains` that it meets, as bits. None if there are too many."""
    kinds: list[tuple[Conj, int]] = [(items, 0)]
    for bit, one in enumerate(wanted):
        opposite = em.negation.conj(one.subschema, one.conj)
        kinds = [
            kind
            for conj, bits in kinds
            for kind in ((join(conj, one.conj), bits | 1 << bit), (join(conj, opposite), bits))
            if not em.combiner.impossible(kind[0], 1)
        ]
        if len(kinds) > MAX_KINDS * len(wanted):
            return None
    return kinds
