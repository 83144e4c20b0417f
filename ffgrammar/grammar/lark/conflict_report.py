"""The report of a Lark text in which longest match loses texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.files import Files
from ffgrammar.grammar.lark.lowering import build
from ffgrammar.grammar.lark.reader import read
from ffgrammar.grammar.lark.texts import error_at
from ffgrammar.grammar.lexing.conflicts import Conflict, conflicts
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["conflict_report"]

# The report is no part of the work that a user asked for. So it has less room.
MAX_EXPRESSIONS = 100_000
MAX_EMPTINESS_STEPS = 1_000
# How many lexemes that go on are named.
SHOWN = 3
_NO_FILES = Files()


def conflict_report(
    text: str,
    limits: Limits,
    *,
    start: str = "start",
    special_tokens: Mapping[str, int] | None = None,
    files: Files = _NO_FILES,
    grammars: Mapping[str, Any] | None = None,
) -> list[GrammarError]:
    """Where longest match loses texts of a grammar in Lark's notation that was compiled before.

    A grammar with schemas, an %indenter or %words, or with parameters that the engine expands, has no report.

    Args:
        text, limits, start, special_tokens, files, grammars: as for `build`.

    Returns:
        Messages with their places, as errors that are not raised.
    """
    limits = replace(
        limits,
        expressions=min(limits.expressions, MAX_EXPRESSIONS),
        emptiness_steps=min(limits.emptiness_steps, MAX_EMPTINESS_STEPS),
    )
    try:
        source = read(text, limits, files, grammars)
        grammar = build(
            text,
            ExprStore(limits),
            limits,
            start=start,
            special_tokens=special_tokens,
            files=files,
            grammars=grammars,
        )
    except (LimitError, GrammarError):
        return []  # (a file that was imported may be gone)
    if grammar.groups or grammar.templates or grammar.skips_in or grammar.words:
        return []
    rules = [rule for rule in source.rules.values() if rule.is_plain]
    found = []
    for one in conflicts(grammar):
        offset = rules[one.rule].offset if one.rule < len(rules) else 0
        found.append(error_at(source.texts, offset, _message(one, grammar.names[one.rule])))
    return found


def _message(conflict: Conflict, rule: str) -> str:
    shown = conflict.takers[:SHOWN] + ["others"] * (len(conflict.takers) > SHOWN)
    text = "".join(one if isinstance(one, str) else one.decode("utf-8", "backslashreplace") for one in conflict.text)
    return (
        f"in {rule}, {conflict.lexeme} leaves nothing for {conflict.after}, because longest match goes on with "
        f"{' and '.join(shown)}; so the rules allow {json.dumps(text, ensure_ascii=False)}, but it is no sentence. "
        "Leave texts out of a terminal with & and ~, end it with [lazy] or suffix=, or compile with lexing='any'"
    )
