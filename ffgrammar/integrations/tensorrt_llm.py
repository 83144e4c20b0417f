"""Grammars in TensorRT-LLM.

    llm.generate(prompt, SamplingParams(logits_processor=GrammarProcessor(grammar)))

TensorRT-LLM takes any callable with the right arguments, so nothing of it is imported here.
"""

from __future__ import annotations

from contextlib import nullcontext

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.recent import Recent
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState

try:
    import torch
except ImportError as error:
    raise ImportError(
        "ffgrammar.integrations.tensorrt_llm needs torch, which TensorRT-LLM brings: "
        "pip install 'ffgrammar[tensorrt-llm]'"
    ) from error

__all__ = ["GrammarProcessor"]

# How many requests are followed at a time. (TensorRT-LLM does not say when one ends.)
MAX_REQUESTS = 4096


class GrammarProcessor:
    """Lets the texts of requests have only the tokens that a grammar allows, also those of beams.

    Args:
        grammar: the grammar, or a matcher at the place where texts begin; it is not moved.
    """

    def __init__(self, grammar: Grammar | Matcher) -> None:
        self._grammar = grammar
        self._requests: Recent[int, tuple[BatchState, int]] = Recent(MAX_REQUESTS)

    def __call__(
        self,
        req_id: int,
        logits: torch.Tensor,
        token_ids: list[list[int]],
        stream_ptr: int | None,
        client_id: int | None,
    ) -> None:
        """Set the scores of all tokens that may not come to -inf.

        Args:
            req_id: the number of the request. Its first call shows the prompt.
            logits: the scores, [1, beams, vocabulary] or [beams, vocabulary].
            token_ids: the tokens so far of each beam, with the prompt.
            stream_ptr: the stream of the device that the scores are used on.
            client_id: is not used.

        Raises:
            MatcherError: a token of a text is not allowed.
            LimitError: a bound of the grammar was reached.
        """
        if req_id not in self._requests:
            self._requests[req_id] = (BatchState([self._grammar], logits.shape[-1]), len(token_ids[0]))
        state, start = self._requests.get(req_id)
        bitmask = state(token_ids, start)
        on_stream = nullcontext() if stream_ptr is None else torch.cuda.stream(torch.cuda.ExternalStream(stream_ptr))
        with on_stream:
            apply_bitmask(logits.view(-1, logits.shape[-1]), bitmask)
