"""The strings of a Lark text, for warnings about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark.files import Files
from ffgrammar.grammar.lark.reader import read

__all__ = ["strings_of"]


def strings_of(
    text: str, limits: Limits, files: Files, grammars: Mapping[str, Any] | None
) -> Iterator[tuple[str, str]]:
    """The strings of a grammar that was compiled before, each with its place in words before it.

    Args:
        text, limits, files, grammars: as for `build`.
    """
    try:
        source = read(text, limits, files, grammars)
    except (LimitError, GrammarError):
        return  # (a file that was imported may be gone)
    for definition in (*source.rules.values(), *source.terminals.values()):
        for op in definition.body:
            if op.code == "text":
                yield source.texts.told(op.offset), op.argument[0]
