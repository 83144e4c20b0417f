# cython: language_level=3
"""The keywords that put schemas together: references, allOf, anyOf, oneOf, not, if, what depends on a property, and
what is unevaluated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.json_schema.documents.subschemas import Subschema, Subschemas
from ffgrammar.grammar.json_schema.documents.text import check_names, kind_of
from ffgrammar.grammar.json_schema.normalize.shape import Conj, Group, Shape, join
from ffgrammar.grammar.json_schema.normalize.unevaluated import (
    EVALUATING,
    SOME_LEFT,
    Mark,
    PendingUnevaluated,
    mark,
    sets_of,
)

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.normalize.negate import Negation

__all__ = ["Applicators", "Choice", "EvaluationPath", "names_of"]

# The places that contain the one being read, from itself up: (place number, those above it, the owners that what is
# read there evaluates for, see unevaluated.py); () at the top.
EvaluationPath = tuple[Any, ...]


class Choice(NamedTuple):
    """Alternatives, at least one of which must hold, and the way to where they stand.

    Where they are the opposite of something, `unless` says of what: it holds if none of them does.
    """

    options: list[Conj]
    way: EvaluationPath
    unless: Conj | None = None


def names_of(value: Any, subschema: Subschema, *words: str) -> list[str]:
    """A list of property names."""
    if not isinstance(value, list) or not all([isinstance(name, str) for name in value]):
        raise GrammarError(f"{words[0]} is an array of property names", pointer=subschema.pointer(*words))
    return value


class Applicators:
    """The part of the reader that reads these keywords.

    Attributes:
        subschemas: the subschemas.
        negate: their opposites.
        exactly_one: makes a choice of the branches of a oneOf, which takes reading other schemas: combine.py sets it.
    """

    subschemas: Subschemas
    negate: Negation
    exactly_one: Callable[[Subschema, list[Conj]], list[Conj]]

    def ref(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> Conj:
        """`$ref`, `$dynamicRef`, `$recursiveRef`"""
        return self.subschemas.follow(subschema, value, word)

    def all_of(self, shape: Shape, subschema: Subschema, word: str, value: Any, *_: Any) -> list[int]:
        """`allOf`"""
        return [at for conj in self.list_of(subschema, word, value) for at in conj]

    def any_of(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`anyOf`"""
        options = self.list_of(subschema, word, value)
        if way[2]:
            options = self.sets_that_hold(subschema, word, options, way[2])
        choices.append(Choice(options, way))

    def sets_that_hold(
        self, subschema: Subschema, word: str, options: list[Conj], owners: tuple[int, ...]
    ) -> list[Conj]:
        """The branches of an anyOf whose annotations count, as sets of them."""
        subschemas = self.subschemas
        annotated = [
            any([not EVALUATING.isdisjoint(subschemas.list[at].schema) for at in conj if at]) for conj in options
        ]
        opposite = None
        if any([SOME_LEFT in subschemas.list[owner].schema for owner in owners]):
            opposite = partial(self.negate.conj, subschema)
        return sets_of(options, annotated, opposite, subschemas.limits.alternatives, subschema.pointer(word))

    def one_of(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`oneOf`"""
        choices.append(Choice(self.exactly_one(subschema, self.list_of(subschema, word, value)), way))

    def list_of(self, subschema: Subschema, word: str, value: Any) -> list[Conj]:
        """The schemas of a list."""
        if not isinstance(value, list) or not value:
            raise GrammarError(f"{word} is an array of at least one schema", pointer=subschema.pointer(word))
        child = self.subschemas.child
        return [child(subschema, one, word, str(index)) for index, one in enumerate(value)]

    def negation(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`not`; what holds inside is no annotation"""
        conj = self.subschemas.child(subschema, value, word)
        choices.append(Choice(self.negate.options(conj), (*way[:2], ()), conj))

    def condition(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`if`, `then` and `else`"""
        when, then, otherwise = self.condition_of(subschema)
        if then or otherwise or way[2]:
            choices.append(Choice([join(when, then), join(self.negate.conj(subschema, when), otherwise)], way))

    def condition_of(self, subschema: Subschema) -> tuple[Conj, Conj, Conj]:
        """The three parts of a condition."""
        schema, child = subschema.schema, self.subschemas.child
        return (
            child(subschema, schema["if"], "if"),
            child(subschema, schema.get("then", True), "then"),
            child(subschema, schema.get("else", True), "else"),
        )

    def dependencies(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`dependentRequired`, `dependentSchemas`, and `dependencies`, which is both"""
        synthesized = self.subschemas.synthesized
        for name, needed, then in self.dependencies_of(subschema, word, value):
            if needed or then:
                without = synthesized(subschema, {"properties": {name: False}}, word, name)
                there = synthesized(subschema, {"type": "object", "required": [name, *needed]}, word, name)
                choices.append(Choice([without, join(there, then)], way))

    def dependencies_of(self, subschema: Subschema, word: str, value: Any) -> list[tuple[str, list[str], Conj]]:
        """Each property, the names that it asks for, and the schema that it asks for."""
        if not isinstance(value, dict):
            raise GrammarError(f"{word} is an object, not {kind_of(value)}", pointer=subschema.pointer(word))
        check_names(value, subschema, word)
        found: list[tuple[str, list[str], Conj]] = []
        for name, needed in value.items():
            if word == "dependentRequired" or (word == "dependencies" and isinstance(needed, list)):
                found.append((name, names_of(needed, subschema, word, name), ()))
            else:
                found.append((name, [], self.subschemas.child(subschema, needed, word, name)))
        return found

    def unevaluated(
        self, shape: Shape, subschema: Subschema, word: str, value: Any, choices: list[Choice], way: EvaluationPath
    ) -> None:
        """`unevaluatedProperties`, `unevaluatedItems`"""
        of_properties = word == "unevaluatedProperties"
        conj = self.subschemas.child(subschema, value, word)
        at, above, owners = way
        if conj:
            shape.left = (*shape.left, PendingUnevaluated(at, of_properties, conj, False, subschema))
        # for all others that it stands under, nothing is left over
        about = Group({}, (), ()) if of_properties else None
        mark(shape, (at, above, owners[:-1]), lambda owner: Mark(owner, about, everything=True))
