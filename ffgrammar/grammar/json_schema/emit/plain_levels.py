"""Objects with one named property, in any order of properties, as levels of a chain (see chains.py).

In any order, a parametric nonterminal keeps the set of the properties that were written. Its templates do not say what
stands before and behind one property. Where this is the only named one, it is easy to say.
"""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.emit.nesting import Around
from ffgrammar.grammar.json_schema.emit.other_keys import key_classes, key_symbols, named_key
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.normalize.parts import property_conj
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import OBJ

__all__ = ["plain_level"]


def plain_level(em: Symbols, conj: Conj, holes: Conj, hole: int) -> Around | None:
    """What is around the hole in the values of a conjunction, in any order; None if the conjunction is not plain."""
    objects = [shape for shape in em.combiner.resolved_shapes(conj) if shape.types & OBJ]
    if len(objects) != 1:
        return None
    shape = objects[0]
    names = dict.fromkeys([name for group in shape.groups for name in group.named])
    if len(names) != 1 or not _is_plain(shape):
        return None
    (name,) = names
    if property_conj(shape, name, em.strings) != holes:
        return None
    absent = em.subschemas.synthesized(em.subschemas.list[conj[0]], {"properties": {name: False}})
    free = em.with_hole(join(conj, absent), holes, hole)
    bodies = []
    for keys, inner in key_classes(em, shape, names, None, 0):
        if not set(inner).isdisjoint(holes):
            return None
        value = em.symbol(inner, 1)
        if value != em.never:
            bodies.append((*key_symbols(em, keys, "key"), value))
    before = [em.growing([()], [(*body, em.comma) for body in bodies])] if bodies else []
    behind = [em.growing([()], [(em.comma, *body) for body in bodies])] if bodies else []
    opening = (em.left_brace, *em.layout.line_break, *before, *named_key(em, name))
    return Around(opening, (*behind, *em.layout.last_break, em.right_brace), None if free == em.never else free)


def _is_plain(shape: Shape) -> bool:
    """Whether nothing is asked of the objects but their property, and of other keys all the same."""
    if shape.key_names or shape.some_keys or shape.clauses:
        return False
    if shape.min_properties > 1 or shape.max_properties is not None:
        return False
    return len(set(shape.required)) <= 1 and not any([group.patterns for group in shape.groups])
