"""The opposite of a schema, as alternatives: a value breaks a schema if it breaks one of its keywords.

Each alternative is a schema again, made of keywords that say the opposite. The opposite of `{"type": "integer",
"maximum": 3}` has these two alternatives:

    {TYPES_LEFT: all but integers}
    {"type": "number", "exclusiveMinimum": 3}

where TYPES_LEFT is an internal keyword (see spec/internal_keywords.py). The function that negates a keyword stands
beside the one that applies it, in scalar_keywords.py, array_keywords.py, object_keywords.py, applicators.py and
internal.py; `negates` registers it here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema
from ffgrammar.grammar.json_schema.normalize.keyword_values import KeywordValues
from ffgrammar.grammar.json_schema.spec.internal_keywords import NOT
from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD, Role

__all__ = ["NEGATIONS", "Negation", "negates"]

# By keyword: the function that negates it. It is called with (negation, subschema, keyword, value) and returns a list
# of alternatives, each of which breaks the keyword. An alternative is a conjunction, or a schema, which is
# then made into a conjunction (`Subschemas.synthesized`).
NEGATIONS: dict[Any, Callable[..., list[Any]]] = {}


def negates(*words: Any) -> Callable[[Callable[..., list[Any]]], Callable[..., list[Any]]]:
    """Register a function that negates keywords."""

    def register(function: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        NEGATIONS.update(dict.fromkeys(words, function))
        return function

    return register


class Negation:
    """Opposites of the schemas of one build, each worked out once.

    Attributes:
        values: the parsed values of keywords.
        subschemas: the subschemas.
        strings: the string expressions of the build.
    """

    def __init__(self, values: KeywordValues) -> None:
        self.values = values
        self.subschemas = values.subschemas
        self.strings = values.strings
        self._options: dict[int, list[Conj]] = {}
        self._schemas: dict[Conj, dict[Any, Any]] = {}

    def schema(self, conj: Conj) -> dict[Any, Any] | bool:
        """A schema that says the opposite of a conjunction."""
        if not conj:
            return False
        if conj == NEVER:
            return True
        found = self._schemas.get(conj)
        if found is None:
            found = self._schemas[conj] = {NOT: conj}
        return found

    def conj(self, subschema: Subschema, conj: Conj) -> Conj:
        """A conjunction that says the opposite of a conjunction, at the position of a subschema."""
        opposite = self.schema(conj)
        if isinstance(opposite, bool):
            return () if opposite else NEVER
        return self.subschemas.synthesized(subschema, opposite, "not")

    def none_of(self, subschema: Subschema, options: list[Conj]) -> Conj:
        """A conjunction that says that none of the given conjunctions holds."""
        none: Conj = ()
        for conj in options:
            none = join(none, self.conj(subschema, conj))
        return none

    def options(self, conj: Conj) -> list[Conj]:
        """Alternatives: a value obeys at least one of them if and only if it does not obey the conjunction."""
        if conj == NEVER:
            return [()]
        found: list[Conj] = []
        for at in conj:
            known = self._options.get(at)
            if known is None:
                known = self._options[at] = self._opposites(at)
            found.extend(known)
        return found

    def _opposites(self, at: int) -> list[Conj]:
        subschema = self.subschemas.list[at]
        made: list[Conj] = []
        for word, value in subschema.keywords().items():
            if not subschema.dialect.knows(word) or (word in BY_WORD and BY_WORD[word].role is not Role.ASSERTION):
                continue
            negate = NEGATIONS.get(word)
            if negate is None:
                where = subschema.pointer(word) if isinstance(word, str) else subschema.pointer()
                raise UnsupportedError(f"{word} is not supported inside `not`, `oneOf` or `if`", pointer=where)
            for one in negate(self, subschema, word, value):
                made.append(one if isinstance(one, tuple) else self.subschemas.synthesized(subschema, one, str(word)))
        return made
