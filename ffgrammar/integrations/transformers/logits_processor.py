"""A logits processor: each text of a batch has only the tokens that its grammar allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from transformers import LogitsProcessor

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError, UnsupportedError
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState

__all__ = ["GrammarLogitsProcessor"]


class GrammarLogitsProcessor(LogitsProcessor):  # type: ignore[misc]
    """Lets each text of a batch have only the tokens that its grammar allows.

        model.generate(**inputs, logits_processor=[GrammarLogitsProcessor(grammar)])

    It works with greedy search, sampling and beam search, and with `drafts=True` also with prompt look-up and assisted
    decoding. An assistant drafts with the same processor, so it drafts what the grammar allows. One processor is for
    one call of `generate`: the ids in its first call are the prompts.

    Args:
        grammars: the grammar of all texts; or a list of one for each prompt, with None for a text that is not
            constrained. A matcher at the place where a text begins may stand for its grammar.
        drafts: whether tokens may be drafted that the grammar does not allow, as assisted decoding and prompt look-up
            do. The mask before such a token makes the model refuse it. Beam search with sampling does it, too, where
            fewer tokens may come than it draws; such beams drop out.
    """

    supports_continuous_batching = False

    def __init__(
        self, grammars: Grammar | Matcher | Iterable[Grammar | Matcher | None], *, drafts: bool = False
    ) -> None:
        self._grammars = [grammars] if isinstance(grammars, (Grammar, Matcher)) else list(grammars)
        self._drafts = drafts
        self._state: BatchState | None = None
        self._start = 0
        self._width = 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores with -inf for all tokens that may not come; `scores` is left as it is.

        Raises:
            MatcherError: a token of a text is not allowed and `drafts` is not set, there are fewer ids than in the
                first call, or the rows cannot be shared out evenly among the grammars.
            UnsupportedError: the scores are those of a model with another vocabulary than in the first call.
            LimitError: a bound of a grammar was reached.
        """
        ids = input_ids.cpu().numpy()
        if self._state is None:
            self._state = BatchState(self._grammars, scores.shape[-1], drafts=self._drafts)
            self._start = ids.shape[1]
            self._width = scores.shape[-1]
        if scores.shape[-1] != self._width:
            raise UnsupportedError(
                f"a GrammarLogitsProcessor is for one vocabulary, and was called with {self._width} scores and with "
                f"{scores.shape[-1]}: an assistant must have the tokenizer of the model that it drafts for"
            )
        if ids.shape[1] < self._start:
            raise MatcherError("a GrammarLogitsProcessor is for one call of generate: make a new one for the next")
        bitmask = self._state(ids, self._start)
        scores = scores.clone()
        apply_bitmask(scores, bitmask)
        return scores
