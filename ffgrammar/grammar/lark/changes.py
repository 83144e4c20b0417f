"""`%override` and `%extend`: definitions that take the place of others, or add alternatives to them."""

from __future__ import annotations

from typing import NamedTuple

from ffgrammar.grammar.lark.source import Definition, Source
from ffgrammar.grammar.lark.texts import error_at
from ffgrammar.grammar.names import did_you_mean

__all__ = ["Change", "change"]


class Change(NamedTuple):
    """A change of a definition.

    Attributes:
        keyword: "%override" or "%extend".
        offset: where it stands.
        definition: what takes the place of the other one, or is added to it.
    """

    keyword: str
    offset: int
    definition: Definition


def change(source: Source, one: Change) -> None:
    """Change a definition of a text, whose imports are settled.

    Raises:
        GrammarError: there is no definition to change, or the two do not fit.
    """
    made = one.definition
    table = source.table(made.name)
    earlier = table.get(made.name)
    if earlier is None:
        hint = did_you_mean(made.name, table) or "; define it, or import it"
        raise error_at(source.texts, made.offset, f"{one.keyword}: {made.name} is not defined{hint}")
    if one.keyword == "%override":
        table[made.name] = made
        return
    problem = ""
    if earlier.declared:
        problem = "it has no body, because of %declare; write %override"
    elif (earlier.params, earlier.parametric) != (made.params, made.parametric):
        problem = f"its parameters are those of {source.texts.told(earlier.offset)}: write the same ones"
    elif made.attributes is not None or made.lazy:
        problem = "attributes stand where it is defined first"
    if problem:
        raise error_at(source.texts, made.offset, f"{made.name} cannot be extended: {problem}")
    table[made.name] = earlier._replace(
        body=earlier.body + made.body, alternatives=earlier.alternatives + made.alternatives
    )
