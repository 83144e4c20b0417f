"""Where a schema that no value obeys goes wrong: the deepest part that each value must have and that has no values.

It is looked for when a schema is refused, never before. Of an object the required properties are followed, of an array
the first items and those of `contains`. Where a value may have several types, or there are several alternatives, the
place is the value itself.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join_all
from ffgrammar.grammar.json_schema.documents.scopes import NameNeeded
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.arrays import array_symbol
from ffgrammar.grammar.json_schema.emit.emitter import Emitter
from ffgrammar.grammar.json_schema.emit.layout import KeysApart
from ffgrammar.grammar.json_schema.emit.symbols import ClausesRefused
from ffgrammar.grammar.json_schema.normalize.parts import item_conj, prefix_length, property_conj
from ffgrammar.grammar.json_schema.shape.types import ARR, OBJ

__all__ = ["find_emptiness"]

# The parts of an `allOf` are compared if there are at most this many.
MAX_PARTS = 40
# The search for them ends after this much work of the store (see core/pulse.pxd): it is done only for a message.
MOST_WORK = 30_000_000
# The message names at most this many parts that contradict each other.
MAX_NAMED = 4
# Properties and items are examined down to this many levels below them.
LEVELS = 2
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
            place = subschemas[conj[0]].pointer()
            return _contradiction(emitter.subschemas, conj) or (place, _contradicting_parts(emitter, conj))
        inner, what = found
        if inner == NEVER:
            return subschemas[conj[0]].pointer(), f": {what} is required, but no value is allowed there"
        conj = inner
    return subschemas[conj[0]].pointer(), f": {what} is required and needs another such value, without end"


def _contradiction(subschemas: Subschemas, conj: Conj) -> tuple[str, str] | None:
    """The pointer of a subschema that a value must obey and whose keywords contradict each other, and what is wrong
    there, as the end of a message; None if that is not plain to see. References and `allOf` are followed."""
    waiting = [at for at in conj if at != NEVER[0]]
    for at in waiting:
        subschema = subschemas.list[at]
        keywords = subschema.keywords()
        what = _contradicting(keywords) or _contradicting_contains(subschema)
        if what:
            return subschema.pointer(), what
        for word, value in keywords.items():
            applied: list[Conj] = []
            if word in ("$ref", "$dynamicRef"):
                applied = [subschemas.follow(subschema, value, word)]
            elif word == "allOf":
                applied = [subschemas.child(subschema, one, (word, str(index))) for index, one in enumerate(value)]
            for index, one in enumerate(applied):
                if one == NEVER:
                    place = (word, str(index)) if word == "allOf" else (word,)
                    return subschema.pointer(*place), ": no value is allowed there"
                waiting.extend([inner for inner in one if inner not in waiting])
    return None


def _contradicting(keywords: dict[Any, Any]) -> str:
    """What is wrong with some keywords, as the end of a message; "" if that is not plain to see."""
    if keywords.get("enum") == []:
        return ": `enum` lists no value"
    for types, low, high in _BOUNDS:
        if keywords.get("type") in types and low in keywords and high in keywords and keywords[low] > keywords[high]:
            return f": `{low}` is greater than `{high}`"
    return ""


def _contradicting_contains(subschema: Subschema) -> str:
    """The same of an array's `contains` and the bounds beside it."""
    keywords = subschema.keywords()
    has = subschema.dialect.has
    if keywords.get("type") != "array" or "contains" not in keywords or not has("contains"):
        return ""
    written = "minContains" in keywords and has("minContains")
    least = keywords["minContains"] if written else 1
    for high in ("maxContains", "maxItems"):
        if high in keywords and has(high) and least > keywords[high]:
            if written:
                return f": `minContains` is greater than `{high}`"
            return f": `contains` needs an item, but `{high}` is 0"
    return ""


def _contradicting_parts(emitter: Emitter, conj: Conj) -> str:
    """Which parts of `allOf` contradict each other, as the end of a message: those of which each is needed for the
    contradiction. "" if that is not plain to see."""
    subschemas = emitter.subschemas
    if len(conj) > 1 or conj == NEVER:
        return ""
    subschema = subschemas.list[conj[0]]
    keywords = subschema.keywords()
    parts = keywords.get("allOf", ())
    if not 2 <= len(parts) <= MAX_PARTS:
        return ""
    others = {word: value for word, value in keywords.items() if word != "allOf"}
    kept = [subschemas.child(subschema, part, ("allOf", str(index))) for index, part in enumerate(parts)]
    places = dict(zip(kept, [subschema.pointer("allOf", str(index)) for index in range(len(parts))], strict=True))
    rest = subschemas.synthesized(subschema, others)
    left = emitter.store.allow_work(MOST_WORK)
    try:
        if not _is_empty(emitter, join_all([rest, *kept])):
            return ""
        for part in places:
            fewer = [one for one in kept if one != part]
            if _is_empty(emitter, join_all([rest, *fewer])):
                kept = fewer
    # (fewer parts may be such that the schema would have to be read again)
    except (LimitError, UnsupportedError, ClausesRefused, KeysApart, NameNeeded):
        return ""
    finally:
        emitter.store.allow_work(left)
    if len(kept) < 2:
        return ""
    named = [places[part] for part in kept[:MAX_NAMED]]
    more = f" and {len(kept) - MAX_NAMED} more" if len(kept) > MAX_NAMED else ""
    return f": {', '.join(named)}{more} contradict each other"


def _is_empty(emitter: Emitter, conj: Conj) -> bool:
    """Whether surely no value obeys a conjunction, as far as is cheap to see, or as the symbols of arrays with
    `contains` show."""
    if conj == NEVER or emitter.combiner.impossible(conj, LEVELS):
        return True
    for shape in emitter.combiner.resolved_shapes(conj):
        if shape.types != ARR or not shape.contained or array_symbol(ArrayStyle(emitter), shape, 1) is not None:
            return False
    return True


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
