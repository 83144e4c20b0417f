"""The report of a Lark text in which longest match loses texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.lowering import build
from ffgrammar.grammar.lark.reader import read
from ffgrammar.grammar.lark.source import place
from ffgrammar.grammar.lexing.conflicts import Conflict, conflicts
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["conflict_report"]

# The report is no part of the work that a user asked for. So it has less room.
MAX_EXPRESSIONS = 100_000
MAX_EMPTINESS_STEPS = 1_000
# How many lexemes that go on are named.
SHOWN = 3


def conflict_report(
    text: str, limits: Limits, *, start: str = "start", special_tokens: Mapping[str, int] | None = None
) -> list[tuple[str, int, int]]:
    """Where longest match loses texts of a grammar in Lark's notation that was compiled before.

    A grammar with schemas, an %indenter or %words has no report.

    Args:
        text, limits, start, special_tokens: as for `build`.

    Returns:
        Messages, each with the line and the column of its rule.
    """
    limits = replace(
        limits,
        expressions=min(limits.expressions, MAX_EXPRESSIONS),
        emptiness_steps=min(limits.emptiness_steps, MAX_EMPTINESS_STEPS),
    )
    try:
        source = read(text, limits)
        grammar = build(text, ExprStore(limits), limits, start=start, special_tokens=special_tokens)
    except LimitError:
        return []
    if grammar.groups or grammar.skips_in or grammar.words:
        return []
    found = []
    for one in conflicts(grammar):
        rule = grammar.names[one.rule]
        offset = source.rules[rule].offset if rule in source.rules else 0
        found.append((_message(one, rule), *place(text, offset)))
    return found


def _message(conflict: Conflict, rule: str) -> str:
    shown = conflict.takers[:SHOWN] + ["others"] * (len(conflict.takers) > SHOWN)
    text = "".join(one if isinstance(one, str) else one.decode("utf-8", "backslashreplace") for one in conflict.text)
    return (
        f"in {rule}, {conflict.lexeme} leaves nothing for {conflict.after}, because longest match goes on with "
        f"{' and '.join(shown)}; so the rules allow {json.dumps(text, ensure_ascii=False)}, but it is no sentence. "
        "Leave texts out of a terminal with & and ~, or compile with lexing='any'"
    )
