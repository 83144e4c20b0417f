"""The keywords that put schemas together: references, allOf, anyOf, oneOf, not, if, what depends on a property, and
what is unevaluated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.json_schema.places import Place, Places
from ffgrammar.grammar.json_schema.shape import Conj, Group, Shape, join
from ffgrammar.grammar.json_schema.text import check_names, kind_of
from ffgrammar.grammar.json_schema.unevaluated import EVALUATING, SOME_LEFT, Left, Mark, mark, sets_of

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.negate import Negation

__all__ = ["Applicators", "Choice", "Way", "names_of"]

# The places that contain the one being read, from itself up: (place number, those above it, the owners that what is
# read there evaluates for, see unevaluated.py); () at the top.
Way = tuple[Any, ...]


class Choice(NamedTuple):
    """Alternatives, at least one of which must hold, and the way to where they stand.

    Where they are the opposite of something, `unless` says of what: it holds if none of them does.
    """

    options: list[Conj]
    way: Way
    unless: Conj | None = None


def names_of(value: Any, place: Place, *words: str) -> list[str]:
    """A list of property names."""
    if not isinstance(value, list) or not all([isinstance(name, str) for name in value]):
        raise GrammarError(f"{words[0]} is an array of property names", pointer=place.pointer(*words))
    return value


class Applicators:
    """The part of the reader that reads these keywords.

    Attributes:
        places: the subschemas.
        negate: their opposites.
        exactly_one: makes a choice of the branches of a oneOf, which takes reading other schemas: combine.py sets it.
    """

    places: Places
    negate: Negation
    exactly_one: Callable[[Place, list[Conj]], list[Conj]]

    def ref(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> Conj:
        """`$ref`, `$dynamicRef`, `$recursiveRef`"""
        return self.places.follow(place, value, word)

    def all_of(self, shape: Shape, place: Place, word: str, value: Any, *_: Any) -> list[int]:
        """`allOf`"""
        return [at for conj in self.list_of(place, word, value) for at in conj]

    def any_of(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`anyOf`"""
        options = self.list_of(place, word, value)
        if way[2]:
            options = self.sets_that_hold(place, word, options, way[2])
        choices.append(Choice(options, way))

    def sets_that_hold(self, place: Place, word: str, options: list[Conj], owners: tuple[int, ...]) -> list[Conj]:
        """The branches of an anyOf whose annotations count, as sets of them."""
        places = self.places
        annotated = [any([not EVALUATING.isdisjoint(places.list[at].schema) for at in conj if at]) for conj in options]
        opposite = None
        if any([SOME_LEFT in places.list[owner].schema for owner in owners]):
            opposite = partial(self.negate.conj, place)
        return sets_of(options, annotated, opposite, places.limits.alternatives, place.pointer(word))

    def one_of(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`oneOf`"""
        choices.append(Choice(self.exactly_one(place, self.list_of(place, word, value)), way))

    def list_of(self, place: Place, word: str, value: Any) -> list[Conj]:
        """The schemas of a list."""
        if not isinstance(value, list) or not value:
            raise GrammarError(f"{word} is an array of at least one schema", pointer=place.pointer(word))
        child = self.places.child
        return [child(place, one, word, str(index)) for index, one in enumerate(value)]

    def negation(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`not`; what holds inside is no annotation"""
        conj = self.places.child(place, value, word)
        choices.append(Choice(self.negate.options(conj), (*way[:2], ()), conj))

    def condition(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`if`, `then` and `else`"""
        when, then, otherwise = self.condition_of(place)
        if then or otherwise or way[2]:
            choices.append(Choice([join(when, then), join(self.negate.conj(place, when), otherwise)], way))

    def condition_of(self, place: Place) -> tuple[Conj, Conj, Conj]:
        """The three parts of a condition."""
        schema, child = place.schema, self.places.child
        return (
            child(place, schema["if"], "if"),
            child(place, schema.get("then", True), "then"),
            child(place, schema.get("else", True), "else"),
        )

    def dependencies(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`dependentRequired`, `dependentSchemas`, and `dependencies`, which is both"""
        made = self.places.made
        for name, needed, then in self.dependencies_of(place, word, value):
            if needed or then:
                without = made(place, {"properties": {name: False}}, word, name)
                there = made(place, {"type": "object", "required": [name, *needed]}, word, name)
                choices.append(Choice([without, join(there, then)], way))

    def dependencies_of(self, place: Place, word: str, value: Any) -> list[tuple[str, list[str], Conj]]:
        """Each property, the names that it asks for, and the schema that it asks for."""
        if not isinstance(value, dict):
            raise GrammarError(f"{word} is an object, not {kind_of(value)}", pointer=place.pointer(word))
        check_names(value, place, word)
        found: list[tuple[str, list[str], Conj]] = []
        for name, needed in value.items():
            if word == "dependentRequired" or (word == "dependencies" and isinstance(needed, list)):
                found.append((name, names_of(needed, place, word, name), ()))
            else:
                found.append((name, [], self.places.child(place, needed, word, name)))
        return found

    def unevaluated(self, shape: Shape, place: Place, word: str, value: Any, choices: list[Choice], way: Way) -> None:
        """`unevaluatedProperties`, `unevaluatedItems`"""
        of_properties = word == "unevaluatedProperties"
        conj = self.places.child(place, value, word)
        at, above, owners = way
        if conj:
            shape.left = (*shape.left, Left(at, of_properties, conj, False, place))
        # for all others that it stands under, nothing is left over
        about = Group({}, (), ()) if of_properties else None
        mark(shape, (at, above, owners[:-1]), lambda owner: Mark(owner, about, everything=True))
