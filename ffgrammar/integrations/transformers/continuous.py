"""Grammars in continuous batching, where requests come and go while others are written.

    manager = model.init_continuous_batching(generation_config)
    ContinuousGrammarProcessor.install(manager)
    manager.start()
    manager.add_request(prompt_ids, matcher=grammar.matcher())

Each request names its own matcher. Before each pass, transformers hands a processor the states of the requests that get
a token in it. From these the masks are made on the host, so the tokens of the last pass must be known by then.
"""

from __future__ import annotations

import weakref
from typing import Any, ClassVar

import torch

from ffgrammar.api.bitmask import allocate_bitmask
from ffgrammar.core.errors import MatcherError, UnsupportedError
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState
from ffgrammar.integrations.transformers.order import mask_place

try:
    from transformers import LogitsProcessorList
    from transformers.generation.continuous_batching.cb_logits_processors import (
        ContinuousBatchingLogitsProcessor,
        ContinuousBatchingLogitsProcessorList,
    )
except ImportError as error:
    raise ImportError(
        "ContinuousGrammarProcessor needs a transformers that has processors of single requests, such as 5.23"
    ) from error

__all__ = ["ContinuousGrammarProcessor"]


class ContinuousGrammarProcessor(ContinuousBatchingLogitsProcessor):  # type: ignore[misc]
    """Lets each request of continuous batching have only the tokens that its matcher allows.

    `install` makes one for a manager. A request without a matcher is not constrained. A text may be written in several
    rounds, if transformers takes its request out of the batch for a while.

    transformers ends all requests of a manager if a processor raises an error. The error names the request.

    Args:
        vocab_size: how many scores the model gives.
    """

    supported_kwargs: ClassVar[dict[str, type]] = {"matcher": Matcher}
    ignored_kwargs: ClassVar[tuple[str, ...]] = ()

    def __init__(self, vocab_size: int) -> None:
        self._vocab_size = vocab_size
        # By the identity of a request's state, which cannot be hashed. An entry goes away with its state.
        self._states: dict[int, BatchState] = {}
        self._bitmask = allocate_bitmask(0, vocab_size)

    @classmethod
    def install(cls, manager: Any) -> ContinuousGrammarProcessor:
        """Make a processor one of a manager's, before it starts. It comes after processors that change scores one by
        one, and before temperature, top-k and top-p.

        Args:
            manager: what `model.init_continuous_batching` returns.

        Raises:
            UnsupportedError: the manager has started; or it prepares a pass before the tokens of the last one are known
                (`use_async_batching`); or it records passes (`use_cuda_graph`) or compiles them, masks and all.
        """
        config = manager.continuous_batching_config
        if manager.batch_processor is not None:
            raise UnsupportedError("ContinuousGrammarProcessor must be installed before the manager starts")
        if config.use_async_batching:
            raise UnsupportedError("ContinuousGrammarProcessor needs use_async_batching=False: masks need all tokens")
        if any(config.cuda_graph_booleans) or config.varlen_compile_config or config.decode_compile_config:
            raise UnsupportedError(
                "ContinuousGrammarProcessor needs use_cuda_graph=False and no compile configs: masks come from the host"
            )
        processor = cls(manager.model.config.get_text_config().vocab_size)
        processors = list(manager.logit_processor.logits_processor)
        processors.insert(mask_place(processors), processor)
        found = ContinuousBatchingLogitsProcessorList(
            LogitsProcessorList(processors),
            drop_unsupported_processors=config.drop_unsupported_processors,
        )
        # (transformers counts only the processors that it has made itself)
        found.tensors_required = manager.logit_processor.tensors_required + 1
        manager.logit_processor = found
        return processor

    def fill_defaults(self, int32_tensor: Any) -> None:
        """Called by transformers: the values of `prepare_tensor_args` for rows without a request."""
        int32_tensor.zero_()

    def prepare_tensor_args(self, requests_with_new_token: list[Any]) -> Any:
        """Called by transformers before a pass. Makes the masks. What is returned has a zero for each request, and is
        not used.

        Raises:
            MatcherError: a token of a text is not allowed, or the model has too few tokens for a grammar.
            LimitError: a bound of a grammar was reached.
        """
        states = [request.state for request in requests_with_new_token]
        self._bitmask = allocate_bitmask(len(states), self._vocab_size)
        for row, state in enumerate(states):
            try:
                self._bitmask[row] = self._state_of(state)([state.to_generation_output().generated_tokens])[0]
            except MatcherError as error:
                raise MatcherError(f"request {state.request_id}: {error}") from error
        return torch.zeros(len(states), dtype=torch.int32)

    def _state_of(self, state: Any) -> BatchState:
        found = self._states.get(id(state))
        if found is None:
            start = state.logit_processor_kwargs.get("matcher")
            found = self._states[id(state)] = BatchState([start], self._vocab_size)
            weakref.finalize(state, self._states.pop, id(state), None)
        return found

    def __call__(self, scores: Any, tensor_arg: Any) -> Any:
        """Called by transformers in a pass: the scores, with -inf for all tokens that may not come.

        Args:
            scores: [rows, vocabulary], written in place. The first rows are those of the requests.
            tensor_arg: what `prepare_tensor_args` has returned.
        """
        apply_bitmask(scores, self._bitmask, range(len(self._bitmask)))
        return scores
