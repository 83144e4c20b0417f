"""JSON Schemas inside rules: `%json {...}`.

The lexemes of JSON values are in a group of their own. So they compete for the longest text among themselves, and the
terminals of the Lark text do so among themselves. What %ignore skips may stand before and after a value. Inside it, the
whitespace of JSON may stand.
"""

from __future__ import annotations

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.ir import GrammarBuilder
from ffgrammar.grammar.lark.source import Op, error_at, place

__all__ = ["inline_json"]

# The group of the lexemes of JSON values. The terminals of the Lark text are in group 0.
GROUP = 1


def inline_json(text: str, op: Op, builder: GrammarBuilder) -> int:
    """The symbol of the JSON texts whose value is valid under a schema; their productions are added.

    Args:
        text: the Lark text.
        op: the step with the schema as it is written.
        builder: where the productions are added.

    Raises:
        GrammarError: the schema is malformed, or nothing satisfies it (`line` and `column` say where, and `pointer`
            where in the schema).
        UnsupportedError: a keyword cannot be enforced exactly here.
        LimitError: a bound was reached.
    """
    # (most Lark texts have no schema, and the front-end for schemas takes time to import)
    from ffgrammar.grammar import json_schema

    try:
        grammar = json_schema.build(op.argument, builder.store, builder.limits)
    except GrammarError as error:
        raise _placed(text, op, error) from error
    except LimitError as error:
        line, column = place(text, op.offset)
        detail = f"line {line}, column {column}: {error.detail or 'this schema'}"
        raise LimitError(error.limit, error.value, detail) from error
    if grammar.checks:
        message = "a schema with uniqueItems, or with keys that must not come twice, cannot stand in a Lark text"
        raise error_at(text, op.offset, message, UnsupportedError)
    symbols = [
        builder.terminal(lexeme.expr, lexeme.name, lazy=lexeme.lazy, opens=lexeme.opens, group=GROUP)
        for lexeme in grammar.lexemes
    ]
    after = builder.skips_of(grammar, symbols)
    start = builder.embed(grammar, symbols, after)
    return start if after is None else builder.seq([after, start])


def _placed(text: str, op: Op, error: GrammarError) -> GrammarError:
    """An error of a schema as an error of the Lark text."""
    line, column = place(text, op.offset)
    if error.line is not None:
        column = (column if error.line == 1 else 1) + (error.column or 1) - 1
        line += error.line - 1
    return type(error)(error.message, line=line, column=column, pointer=error.pointer)
