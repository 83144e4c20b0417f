"""The strings of one key that clauses tell apart by patterns, as lexemes.

n patterns that may stand anywhere in a string make 2^n kinds of strings (value_kinds.py). So where a key comes before
all keys that its clauses are about, there is one lexeme for all of its strings. The strings with which a part of a
clause fails are a lexeme, too, which is read beside that one (ir.Template.beside), and has an event. The members are
joined (ir.Parametric), so a string with which several parts fail is several events at once.
"""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.implied import Event, Part
from ffgrammar.grammar.json_schema.emit.members import Body
from ffgrammar.grammar.json_schema.emit.scalar_texts import scalar_texts
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.constraints import Clause
from ffgrammar.grammar.json_schema.shape.types import STR
from ffgrammar.regex.expr.store import NOTHING

__all__ = ["are_told_by_lexemes", "free_names", "string_events"]

# With fewer patterns, strings have few kinds.
FEWEST_PATTERNS = 4


def are_told_by_lexemes(em: Symbols, base: Conj, parts: list[Part]) -> bool:
    """Whether parts of clauses tell the strings of a key apart by several patterns. `base` is what all values of the
    key obey."""
    if len(parts) < FEWEST_PATTERNS:
        return False
    found = 0
    for _, conj in parts:
        opposite = em.negation.conj(em.subschemas.list[conj[0]], conj)
        for one in (conj, opposite):
            shapes = em.combiner.resolved_shapes(join(base, one)) if one != NEVER else []
            if any([shape.types & STR and shape.strings is None and shape.patterns for shape in shapes]):
                found += 1
                break
    return found >= FEWEST_PATTERNS


def free_names(clauses: list[Clause], listed: list[str]) -> set[str]:
    """The keys that come before all others which their clauses are about, if the clauses are about their values."""
    places = {name: place for place, name in enumerate(listed)}
    found: dict[str, bool] = {}
    for clause in clauses:
        named = [name for name, _ in clause.values]
        is_joint = len(named) > 2 - bool(clause.present)
        for name in named:
            place = places.get(name, len(listed))
            after = [places.get(other, len(listed)) for other in named if other != name]
            last = max([places.get(other, len(listed)) for other in clause.present], default=place)
            is_free = not is_joint and last >= place and all([other > place for other in after])
            found[name] = found.get(name, True) and is_free
    return {name for name, is_free in found.items() if is_free}


def string_events(
    em: Symbols, name: str, key: Body, base: Conj, always: frozenset[Part], parts: list[Part]
) -> list[Event]:
    """The events of the strings of a key.

    Args:
        em: the emitter.
        name, key: the key, and its symbols with those of its colon.
        base: what all values of the key obey; they are strings.
        always: the parts of clauses that fail with all values.
        parts: further parts.
    """
    texts = scalar_texts(em, base, True, STR)
    if texts == NOTHING or em.store.is_nothing(texts):
        return []
    every = em.builder.separate(texts, "string")
    events = [Event(name, (*key, every), always, 0)]
    for part in parts:
        opposite = em.negation.conj(em.subschemas.list[part[1][0]], part[1])
        failing = scalar_texts(em, join(base, opposite), True, STR) if opposite != NEVER else NOTHING
        if failing != NOTHING and not em.store.is_nothing(failing):
            lexeme = em.builder.separate(failing, "string")
            events.append(Event(name, (*key, lexeme), always | {part}, 0, every >> 1))
    return events
