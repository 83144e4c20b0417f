"""Reasoning before the answer: SGLang's own wrapper, around ffgrammar's grammars."""

from __future__ import annotations

from typing import Any

import torch
from sglang.srt.constrained.base_grammar_backend import GrammarRow
from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend, ReasonerGrammarObject

from ffgrammar.core.recent import Recent
from ffgrammar.integrations.sglang.backend import MAX_RECENT
from ffgrammar.integrations.sglang.grammar import Masks, SGLangGrammar

__all__ = ["ReasoningBackend", "ReasoningGrammar"]


class ReasoningGrammar(ReasonerGrammarObject):  # type: ignore[misc]
    """SGLang's object, which fills the rows of answers on several threads."""

    @staticmethod
    def fill_vocab_mask_batched(entries: list[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """Write several rows: those of answers together, those of reasoning one by one."""
        answers = []
        for entry in entries:
            grammar = entry.grammar
            if isinstance(grammar, ReasoningGrammar) and grammar.is_plain_answer():
                answers.append(GrammarRow(entry.row, grammar.grammar))
            else:
                grammar.fill_vocab_mask(vocab_mask, entry.row)
        SGLangGrammar.fill_vocab_mask_batched(answers, vocab_mask)

    reset_vocab_mask = staticmethod(Masks.reset_vocab_mask)

    def is_plain_answer(self) -> bool:
        """Whether the mask is that of the grammar inside."""
        return self.grammar is not None and self._is_generation() and not self.reasoning_in_grammar

    def copy(self) -> ReasoningGrammar:
        """The same place, for another request."""
        made: ReasoningGrammar = super().copy()
        made.__class__ = ReasoningGrammar
        return made


class ReasoningBackend(ReasonerGrammarBackend):  # type: ignore[misc]
    """SGLang's wrapper of a backend, with objects of its own and a cache that is bounded."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.cache: Recent[Any, Any] = Recent(MAX_RECENT)

    def _make_grammar_object(self, grammar: Any, reasoning: bool) -> ReasoningGrammar:
        made: ReasoningGrammar = super()._make_grammar_object(grammar, reasoning)
        made.__class__ = ReasoningGrammar
        return made
