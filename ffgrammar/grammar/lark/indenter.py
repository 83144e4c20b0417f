"""`%indenter {...}`: which terminals stand for indentation, as in Lark's `Indenter`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.lark.source import Source
from ffgrammar.grammar.lark.texts import error_at

__all__ = ["Indenter", "read_indenter"]

COLUMNS = 80
MAX_COLUMNS = 1000


class Indenter(NamedTuple):
    """What an %indenter says.

    Attributes:
        newline, indent, dedent: names of terminals.
        end: the name of the terminal of what may stand at the end of the text in place of a newline.
        brackets: pairs of an opening and a closing bracket.
        columns: the greatest column of a block.
    """

    newline: str
    indent: str
    dedent: str
    end: str
    brackets: tuple[str, ...]
    columns: int


def read_indenter(source: Source) -> Indenter | None:
    """The %indenter of a source, or None.

    Raises:
        GrammarError: it is malformed (`line` and `column` say where).
    """
    op = source.indenter
    if op is None:
        return None

    def error(message: str) -> GrammarError:
        return error_at(source.texts, op.offset, message)

    try:
        values: dict[str, Any] = json.loads(op.argument)
    except (ValueError, RecursionError) as problem:
        raise error(f"this %indenter is not JSON: {problem}") from None
    unknown = sorted(values.keys() - set(Indenter._fields))
    if unknown:
        raise error(f"%indenter has no {unknown[0]!r}; it has {', '.join(Indenter._fields)}")
    names = [name for key in ("newline", "indent", "dedent") if isinstance(name := values.get(key), str)]
    if len(set(names)) < 3:
        raise error("%indenter needs three names of terminals: newline, indent and dedent")
    if names[0] not in source.terminals:
        raise error(f"{names[0]}, the newline of the %indenter, is not defined")
    end = values.get("end", names[0])
    if end not in source.terminals:
        raise error(f"{end}, the end of the %indenter, is not defined")
    for name in names[1:]:
        if name in source.terminals and not source.terminals[name].declared:
            raise error(f"{name} is a mark of the %indenter, and has no text of its own")
    brackets = values.get("brackets", [])
    if not isinstance(brackets, list) or not all(isinstance(pair, str) and len(set(pair)) == 2 for pair in brackets):
        raise error('the brackets of an %indenter are a list of pairs, such as ["()", "[]"]')
    columns = values.get("columns", COLUMNS)
    if type(columns) is not int or not 1 <= columns <= MAX_COLUMNS:
        raise error(f"the columns of an %indenter are a number from 1 to {MAX_COLUMNS}")
    return Indenter(names[0], names[1], names[2], end, tuple(brackets), columns)
