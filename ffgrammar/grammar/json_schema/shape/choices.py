"""Alternatives of a shape that is being built. None of them has been chosen yet."""

from __future__ import annotations

from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.shape.scalars import Scalar

__all__ = ["Choice", "Condition", "EvaluationPath"]

# The path of a subschema: the chain of subschemas that leads to it; all of them apply to one value. A path is a triple:
# the number of the subschema, the path of the subschema before it in the chain, and owners. The owners are the numbers
# of the subschemas for which this one evaluates properties or items (see normalize/unevaluated.py). () is the path that
# has no subschemas.
EvaluationPath = tuple[Any, ...]


class Condition(NamedTuple):
    """What an `if` says, as conjunctions: `then` if `when` holds, and `otherwise` if it does not.

    () where a part is absent.
    """

    when: Conj
    then: Conj
    otherwise: Conj


class Choice(NamedTuple):
    """Alternatives, at least one of which must hold.

    Attributes:
        options: the alternatives.
        path: the path to the subschema whose keyword has these alternatives.
        unless: if the alternatives together are the opposite of a conjunction: that conjunction. At least one of them
            holds if and only if the conjunction does not hold.
        condition: if the alternatives say the same as an `if`: its parts.
        key: if several choices on one key were merged (see normalize/conditions.py): the key.
        values: with a key: the first alternatives are for these scalars as its value, and the next one is for any other
            value.
    """

    options: list[Conj]
    path: EvaluationPath
    unless: Conj | None = None
    condition: Condition | None = None
    key: str | None = None
    values: list[frozenset[Scalar]] | None = None
