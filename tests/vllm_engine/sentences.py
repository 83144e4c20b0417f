"""A parser of reasoning for a model that has no marks for it: reasoning is the first sentence of an answer.

It is there only if the prompt has the word "Reason".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from vllm.reasoning import ReasoningParser, ReasoningParserManager

__all__ = ["SentenceParser"]


@ReasoningParserManager.register_module("sentence")
class SentenceParser(ReasoningParser):  # type: ignore[misc]
    def __init__(self, tokenizer: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(tokenizer, *arguments, **options)
        self.end = tokenizer.encode(".")[0]
        self.begin = tokenizer.encode("Reason")[0]

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Whether a prompt, or a prompt with an answer, is past the reasoning."""
        ids = list(input_ids)
        return self.begin not in ids or self.end in ids[ids.index(self.begin) :]

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        return self.end in list(delta_ids)

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        return input_ids[input_ids.index(self.end) + 1 :]

    def extract_reasoning(self, *arguments: Any) -> Any:
        raise NotImplementedError

    def extract_reasoning_streaming(self, *arguments: Any) -> Any:
        raise NotImplementedError
