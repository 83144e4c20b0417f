"""One text of the generation loop: its tokens, its matcher, and what is done to its scores."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import torch
from transformers import LogitsProcessorList
from transformers.generation.logits_process import (
    EncoderNoRepeatNGramLogitsProcessor,
    EncoderRepetitionPenaltyLogitsProcessor,
    PrefixConstrainedLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    SynthIDTextWatermarkLogitsProcessor,
    UnbatchedClassifierFreeGuidanceLogitsProcessor,
)

from ffgrammar.core.errors import MatcherError, UnsupportedError
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.transformers.order import mask_place

__all__ = ["Row", "check_processors"]

# Processors that must see every token, so they cannot do without the forced ones.
OF_EVERY_TOKEN = (SynthIDTextWatermarkLogitsProcessor, UnbatchedClassifierFreeGuidanceLogitsProcessor)
# Processors that know rows by their places in the batch.
OF_THE_BATCH = (
    EncoderNoRepeatNGramLogitsProcessor,
    EncoderRepetitionPenaltyLogitsProcessor,
    PrefixConstrainedLogitsProcessor,
)


def check_processors(processors: Iterable[Any], rows: int) -> None:
    """Raises UnsupportedError if a logits processor cannot be called with one row at a time, or not without the forced
    tokens."""
    for processor in processors:
        if isinstance(processor, OF_EVERY_TOKEN) or (rows > 1 and isinstance(processor, OF_THE_BATCH)):
            raise UnsupportedError(
                f"GrammarGenerate cannot use {type(processor).__name__}, which must see every token of a whole batch; "
                f"GrammarLogitsProcessor works with it"
            )


class Row:
    """One text.

    Args:
        number: its place in the batch.
        matcher: the matcher of its grammar, which is moved; None if it has no grammar.
        prompt: [1, columns].
        processors: the logits processors of the batch.
        stopping_criteria: called with [1, columns].
        streamer: gets each token; or None.

    Attributes:
        matcher: its matcher.
        ids: prompt and text, [1, columns].
        has_ended: whether the text is complete.
    """

    def __init__(
        self,
        number: int,
        matcher: Matcher | None,
        prompt: Any,
        processors: Iterable[Any],
        stopping_criteria: Any,
        streamer: Any,
    ) -> None:
        self.matcher = matcher
        self.ids = prompt
        self.has_ended = False
        self._number = number
        self._stopping_criteria = stopping_criteria
        self._streamer = streamer
        own = [_of_row(processor, number) for processor in processors]
        place = mask_place(own)
        self._before, self._after = LogitsProcessorList(own[:place]), LogitsProcessorList(own[place:])

    def add(self, tokens: list[int]) -> list[int]:
        """Add tokens to the text, up to its end. Returns those that were added.

        Raises:
            MatcherError: a token is not allowed.
        """
        for count, token in enumerate(tokens, 1):
            if self.matcher is not None and not self.matcher.accept_token(token):
                steps = self.matcher.num_steps
                raise MatcherError(f"row {self._number}: a dead end: the token {token} is not allowed at step {steps}")
            new = torch.tensor([[token]], dtype=self.ids.dtype, device=self.ids.device)
            self.ids = torch.cat([self.ids, new], dim=1)
            if self._streamer is not None:
                self._streamer.put(new[0].cpu())
            self.has_ended = bool(self._stopping_criteria(self.ids, None).any()) or (
                self.matcher is not None and self.matcher.is_terminated()
            )
            if self.has_ended:
                return tokens[:count]
        return tokens

    def add_forced(self) -> list[int]:
        """Add all tokens that must come next. Returns them."""
        added: list[int] = []
        while not self.has_ended and self.matcher is not None and (forced := self.matcher.forced_tokens()):
            added += self.add(forced)
        return added

    def processed(self, scores: Any, bitmask: Any) -> Any:
        """The scores after all processors, with the mask between them.

        Args:
            scores: float32 [1, vocabulary], which may be written to.
            bitmask: int32 [1, words].
        """
        scores = self._before(self.ids, scores)
        if self.matcher is not None:
            apply_bitmask(scores, bitmask)
        return self._after(self.ids, scores)


def _of_row(processor: Any, number: int) -> Any:
    """A processor of the batch, made one of a single row."""
    lengths = getattr(processor, "prompt_ignore_length", None)
    if isinstance(processor, RepetitionPenaltyLogitsProcessor) and isinstance(lengths, torch.Tensor):
        processor = copy.copy(processor)
        processor.prompt_ignore_length = lengths[number : number + 1]
    return processor
