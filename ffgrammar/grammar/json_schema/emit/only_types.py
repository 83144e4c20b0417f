"""Conjunctions that are restricted to some types."""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.spec.internal_keywords import TYPES_LEFT

__all__ = ["only_types"]


def only_types(em: Symbols, subschema: Subschema, word: str, conj: Conj, types: int) -> Conj:
    """A conjunction restricted to some types.

    Equal arguments give the same conjunction, so emitting a recursive schema comes to an end.

    Args:
        em: the symbols of the grammar.
        subschema, word: the subschema and its keyword that ask for the restriction, for messages.
        conj: the conjunction.
        types: the types, as bits.
    """
    key = ("only", word, types)
    if key not in em.shared:
        (em.shared[key],) = em.subschemas.synthesized(subschema, {TYPES_LEFT: types}, word)
    return join(conj, (em.shared[key],))
