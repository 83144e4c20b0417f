"""Where a schema that no value obeys goes wrong: the deepest part that each value must have and that has no values.

It is looked for when a schema is refused, never before. Of an object the required properties are followed, of an array
the first items and those of `contains`. Where a value may have several types, or there are several alternatives, the
place is the value itself.
"""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.emit.emitter import Emitter
from ffgrammar.grammar.json_schema.normalize.parts import item_conj, prefix_length, property_conj
from ffgrammar.grammar.json_schema.shape.types import ARR, OBJ

__all__ = ["find_emptiness"]

# Of values of one type: a lower and an upper bound.
_BOUNDS = [
    (("integer", "number"), "minimum", "maximum"),
    (("string",), "minLength", "maxLength"),
    (("array",), "minItems", "maxItems"),
    (("object",), "minProperties", "maxProperties"),
]


def find_emptiness(emitter: Emitter, start: Conj, productive: bytearray) -> tuple[str, str]:
    """The JSON pointer of the place, and what is wrong there, as the end of a message.

    Args:
        emitter: with all symbols made.
        start: the whole schema.
        productive: which nonterminals derive a text.
    """
    subschemas = emitter.subschemas.list
    seen: list[Conj] = []
    conj, what = start, ""
    while conj not in seen:
        seen.append(conj)
        found = _empty_part(emitter, conj, productive)
        if found is None:
            return subschemas[conj[0]].pointer(), _contradiction(subschemas[conj[0]]) if conj != NEVER else ""
        inner, what = found
        if inner == NEVER:
            return subschemas[conj[0]].pointer(), f": {what} is required, but no value is allowed there"
        conj = inner
    return subschemas[conj[0]].pointer(), f": {what} is required and needs another such value, without end"


def _contradiction(subschema: Subschema) -> str:
    """What is wrong with the keywords of a subschema, as the end of a message; "" if that is not plain to see."""
    keywords = subschema.keywords()
    if keywords.get("enum") == []:
        return ": `enum` lists no value"
    for types, low, high in _BOUNDS:
        if keywords.get("type") in types and low in keywords and high in keywords and keywords[low] > keywords[high]:
            return f": `{low}` is greater than `{high}`"
    return ""


def _empty_part(emitter: Emitter, conj: Conj, productive: bytearray) -> tuple[Conj, str] | None:
    """The conjunction of a part that each value must have and that has no values, and what to call the part; None if
    there is no such part."""
    shapes = emitter.combiner.resolved_shapes(conj) if conj != NEVER else []
    if len(shapes) != 1:
        return None
    shape = shapes[0]
    parts = []
    if shape.types == OBJ:
        parts = [(property_conj(shape, name, emitter.strings), f"the property {name!r}") for name in shape.required]
    elif shape.types == ARR:
        # (an item after those of `prefixItems` is like the first of them)
        most = prefix_length(shape) + 1
        parts = [(item_conj(shape, index), f"the item {index}") for index in range(min(shape.min_items, most))]
        parts += [(one.conj, "an item as in `contains`") for one in shape.contained if one.least]
    return next((part for part in parts if part[0] == NEVER or emitter.derives_nothing(part[0], productive)), None)
