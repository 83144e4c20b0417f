"""The strings, numbers and literals that obey a conjunction, as one expression. Lexemes that are read beside each other
(ir.Template.beside) tell what one text obeys."""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.types import BOOLS, FALSE, NULL, NUM, STR, TRUE

__all__ = ["scalar_texts"]


def scalar_texts(em: Symbols, conj: Conj, is_canonical: bool, types: int = STR | NUM | NULL | BOOLS) -> int:
    """The expression of the scalars that obey a conjunction and have some types; is_canonical: the strings are
    canonically spelled."""
    exprs: list[int] = []
    store = em.store
    for shape in em.combiner.resolved_shapes(conj) if conj != NEVER else ():
        if shape.types & types & STR:
            bodies = shape.patterns or ((em.strings.canonical_body,) if is_canonical else ())
            is_listed = shape.strings is not None
            exprs.append(
                em.strings.of(shape) if is_listed else em.strings.range(shape.min_length, shape.max_length, bodies)
            )
        if shape.types & types & NUM:
            exprs.append(em.number(shape))
        literals = ((NULL, b"null"), (TRUE, b"true"), (FALSE, b"false"))
        exprs += [store.literal(text) for kind, text in literals if shape.types & types & kind]
    return store.union(exprs)
