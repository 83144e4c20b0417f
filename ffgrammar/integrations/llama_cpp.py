"""Grammars in llama-cpp-python.

    llm = Llama(path, logits_all=True)
    with_grammar = LlamaGrammarProcessor(grammar)
    llm.draft_model = with_grammar
    llm.create_completion(prompt, logits_processor=LogitsProcessorList([with_grammar]))

As a logits processor, a `LlamaGrammarProcessor` lets only those tokens come that the grammar allows. As a draft model
it drafts the tokens that the grammar forces, so the model reads all of them in one pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState

try:
    from llama_cpp.llama_speculative import LlamaDraftModel
except ImportError as error:
    raise ImportError(
        "ffgrammar.integrations.llama_cpp needs llama-cpp-python: pip install 'ffgrammar[llama-cpp]'"
    ) from error

__all__ = ["LlamaGrammarProcessor"]


class LlamaGrammarProcessor(LlamaDraftModel):  # type: ignore[misc]
    """Lets a text have only the tokens that its grammar allows, and drafts those that the grammar forces.

    One object is for one text. If it is the draft model of a `Llama`, it must be in the list of logits processors, too,
    and the `Llama` must have been made with `logits_all=True`.

    Args:
        grammar: the grammar, or a matcher at the place where the text begins; it is not moved. With a matcher of
            canonical tokens (`grammar.matcher(canonical=True)`), all that is drafted is kept.
        max_draft: how many tokens are drafted at once, at most.
    """

    def __init__(self, grammar: Grammar | Matcher, max_draft: int = 64) -> None:
        self._state = BatchState([grammar])
        self._max_draft = max_draft
        self._start: int | None = None
        # How many of the ids are known to be the text at the next sampled token; None if there are no drafts. (From the
        # first of these tokens on, llama-cpp-python shows all that were drafted.)
        self._known: int | None = None

    def __call__(self, input_ids: NDArray[Any], scores: NDArray[np.float32] | None = None, /, **_: Any) -> NDArray[Any]:
        """As a logits processor: the scores, with -inf for all tokens that may not come. As a draft model, without
        `scores`: the tokens that are forced.

        Raises:
            MatcherError: a token of the text is not allowed.
            LimitError: a bound of the grammar was reached.
        """
        if scores is None:
            return self._draft(input_ids)
        if self._start is None:
            self._start = len(input_ids)
        if self._known is not None:
            input_ids = input_ids[: self._known]
            self._known += 1
        # (llama-cpp-python's scores lie apart in memory; it copies what is returned back)
        scores = np.array(scores, np.float32)
        apply_bitmask(scores, self._masks(input_ids))
        return scores

    def _masks(self, input_ids: NDArray[Any]) -> NDArray[np.int32]:
        if self._start is None:
            raise MatcherError("a LlamaGrammarProcessor that drafts must be one of the logits processors, too")
        if len(input_ids) < self._start:
            raise MatcherError("a LlamaGrammarProcessor is for one text: make a new one for the next")
        return self._state(np.asarray(input_ids)[None], self._start)

    def _draft(self, input_ids: NDArray[Any]) -> NDArray[np.intc]:
        self._masks(input_ids)
        (matcher,) = self._state.matchers
        assert matcher is not None
        self._known = len(input_ids)
        return np.array(matcher.forced_tokens()[: self._max_draft], np.intc)
