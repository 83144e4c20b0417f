"""What SGLang's scheduler knows a text's grammar by."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from sglang.srt.constrained.base_grammar_backend import BaseGrammarObject, GrammarRow, GrammarStats
from sglang.srt.constrained.torch_ops.token_filter_torch_ops import set_token_filter_torch
from sglang.srt.utils.common import is_pin_memory_available

from ffgrammar.core.errors import FFGrammarError, LimitError
from ffgrammar.core.prefixes import common_size
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.batch import fill_bitmask
from ffgrammar.engine.matcher.matcher import Matcher

__all__ = ["Masks", "SGLangGrammar"]


class Masks:
    """What is done with masks: the methods that SGLang looks for in grammars and in backends."""

    @staticmethod
    def allocate_vocab_mask(vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Masks of all tokens. They lie in pinned memory where there is any, so that they are copied meanwhile."""
        shape = (batch_size, (vocab_size + 31) // 32)
        return torch.full(shape, -1, dtype=torch.int32, pin_memory=is_pin_memory_available())

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        """Allow all tokens. Raises TypeError: these are no packed masks."""
        if vocab_mask.dtype != torch.int32:
            raise TypeError(f"ffgrammar's masks are int32, not {vocab_mask.dtype}")
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """The masks on the device of the scores."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Set the scores of all tokens that may not come to -inf, by SGLang's own kernels on other devices."""
        kind = logits.device.type
        if kind == "cpu":
            apply_bitmask(logits, vocab_mask)
        elif kind == "npu":
            import sgl_kernel_npu  # noqa: F401

            torch.ops.npu.apply_token_bitmask(logits, vocab_mask)
        elif torch.version.hip is not None:
            from sgl_kernel import apply_token_bitmask_inplace_cuda

            apply_token_bitmask_inplace_cuda(logits, vocab_mask)
        else:
            from sglang.kernels.ops.grammar.bitmask_ops import apply_token_bitmask_inplace_triton

            apply_token_bitmask_inplace_triton(logits, vocab_mask)

    set_token_filter = staticmethod(set_token_filter_torch)


class SGLangGrammar(Masks, BaseGrammarObject):  # type: ignore[misc]
    """The grammar of one request, and the place in its text.

    A request whose grammar meets a bound is aborted at its next token, with the message of the error. The other
    requests of the batch go on.

    Args:
        matcher: the place. It belongs to the object.
        key: the kind of the request and its text, for messages and for what is compiled around it.
        stats: what SGLang counts.
    """

    def __init__(self, matcher: Matcher, key: tuple[str, str], stats: GrammarStats | None = None) -> None:
        super().__init__()
        self.matcher = matcher
        self.key = key
        self.grammar_stats = stats
        self._failed: LimitError | None = None

    def accept_token(self, token: int) -> None:
        """Go on by a token. After the end of the text, nothing happens.

        Raises:
            ValueError: the grammar refuses the token, or has met a bound.
        """
        if self.matcher.is_terminated():
            return
        self.current_token = token
        if self._failed is not None:
            raise ValueError(str(self._failed)) from self._failed
        try:
            accepted = self.matcher.accept_token(token)
        except FFGrammarError as error:
            raise ValueError(str(error)) from error
        if not accepted:
            raise ValueError(
                f"the grammar does not allow the token {token} after {self.matcher.num_steps} tokens; the request is "
                f"{self.key[0]}: {self.key[1][:200]}"
            )

    def rollback(self, k: int) -> None:
        """Take the last tokens back, also the one that ended the text."""
        if k > 0:
            self.matcher.rollback(k)
            self._finished = False

    def is_terminated(self) -> bool:
        """Whether the text has ended."""
        return self.matcher.is_terminated()

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        """Write the tokens that may come next into a row."""
        try:
            self.matcher.fill_bitmask(vocab_mask, idx)
        except LimitError as error:
            # An error here would end the scheduler. So the text may only end, and the next token is refused.
            self._failed = error
            set_token_filter_torch(vocab_mask, list(self.matcher.engine.tokenizer.eos_token_ids), idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: list[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """Write several rows, on several threads."""
        if not all(isinstance(entry.grammar, SGLangGrammar) for entry in entries):
            BaseGrammarObject.fill_vocab_mask_batched(entries, vocab_mask)
            return
        try:
            fill_bitmask([entry.grammar.matcher for entry in entries], vocab_mask, [entry.row for entry in entries])
        except LimitError:
            BaseGrammarObject.fill_vocab_mask_batched(entries, vocab_mask)

    def copy(self) -> SGLangGrammar:
        """The same place of the same grammar, for another request."""
        stats = self.grammar_stats
        if stats is not None:
            stats = replace(stats, is_cache_hit=True, tree_traversal_time=[])
        return SGLangGrammar(self.matcher.fork(), self.key, stats)

    def try_jump_forward(self, tokenizer: Any) -> tuple[list[int], str] | None:
        """The tokens that are forced; None if there are none."""
        tokens = [] if self.matcher.is_terminated() else self.matcher.forced_tokens()
        return (tokens, "") if tokens else None

    def jump_forward_str_state(self, helper: tuple[list[int], str]) -> tuple[str, int]:
        """The text to add beside the tokens of `try_jump_forward`: none."""
        return helper[1], -1

    def jump_and_retokenize(self, old_output_ids: list[int], new_output_ids: list[int], next_state: int) -> None:
        """Go from a text that was accepted to another one: what differs is taken back.

        Raises:
            ValueError: the grammar refuses a token.
        """
        same = common_size(old_output_ids, new_output_ids)
        self.rollback(len(old_output_ids) - same)
        for token in new_output_ids[same:]:
            self.accept_token(token)

    def __repr__(self) -> str:
        return f"SGLangGrammar({self.key[0]}, {self.key[1][:80]!r}, {self.matcher.num_steps} tokens)"
