"""The strings of a text, for warnings about them."""

from __future__ import annotations

from collections.abc import Iterator

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.gbnf.dialects import DIALECTS
from ffgrammar.grammar.gbnf.reader import read
from ffgrammar.grammar.gbnf.source import place

__all__ = ["strings_of"]


def strings_of(text: str, dialect: str, limits: Limits) -> Iterator[tuple[str, str]]:
    """The strings of a grammar that was compiled before, each with its place in words before it."""
    for rule in read(text, DIALECTS[dialect], limits).rules.values():
        for op in rule.body:
            if op.code == "text":
                line, column = place(text, op.offset)
                yield f"line {line}, column {column}", op.argument
