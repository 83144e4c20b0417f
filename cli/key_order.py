"""Whether a text is rejected only because its keys stand in another order than the schema's.

The schema is compiled a second time, with keys in any order, once a text is rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .sources import FOR_JSON, BadGrammar, Source, compile_source

if TYPE_CHECKING:
    from ffgrammar import Grammar, Matcher, Tokenizer

__all__ = ["KeyOrder"]


class KeyOrder:
    """Asks of rejected texts whether they would be accepted with keys in any order.

    Args:
        source, tokenizer: what was compiled.
        compiling: with which options.
    """

    def __init__(self, source: Source, tokenizer: Tokenizer, compiling: dict[str, Any]) -> None:
        has_order = source.kind in FOR_JSON[0] and compiling.get("property_order") != "any"
        self._source = source if has_order else None
        self._tokenizer = tokenizer
        self._compiling = {**compiling, "property_order": "any"}
        self._any_order: Grammar | None = None

    def is_only_fault(self, accepts: Callable[[Matcher], bool]) -> bool:
        """Whether a text that is rejected is accepted by a matcher of the grammar in which keys have any order."""
        from ffgrammar import FFGrammarError

        source, self._source = self._source, None
        try:
            if source is not None:
                self._any_order = compile_source(source, self._tokenizer, **self._compiling)
            return self._any_order is not None and accepts(self._any_order.matcher())
        except (BadGrammar, FFGrammarError):
            # (for example, only this grammar reaches a limit: then nothing is said)
            return False
