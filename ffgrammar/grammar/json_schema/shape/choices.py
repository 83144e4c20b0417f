"""Alternatives that are still to be chosen while a shape is built."""

from __future__ import annotations

from typing import Any, NamedTuple

from ffgrammar.grammar.json_schema.documents.conjunctions import Conj

__all__ = ["Choice", "EvaluationPath"]

# The subschemas that apply to one value, from the innermost up, as a linked list: (number, the path above, owners). The
# owners are the numbers of the `unevaluated` keywords' subschemas for which the innermost evaluates (see
# normalize/unevaluated.py). () is the empty path.
EvaluationPath = tuple[Any, ...]


class Choice(NamedTuple):
    """Alternatives, at least one of which must hold.

    Attributes:
        options: the alternatives.
        path: the path to the keyword that they belong to.
        unless: where the alternatives say the opposite of a conjunction: that conjunction. One of them holds exactly
            where it does not.
    """

    options: list[Conj]
    path: EvaluationPath
    unless: Conj | None = None
