"""Grammars in Outlines.

model = outlines.from_transformers(hf_model, hf_tokenizer)
generate = outlines.Generator(model, processor=GrammarProcessor(grammar, "torch"))
generate(prompt, max_new_tokens=80)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ffgrammar.api.grammar import Grammar
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState

try:
    from outlines.processors.base_logits_processor import OutlinesLogitsProcessor
except ImportError as error:
    raise ImportError("ffgrammar.integrations.outlines needs Outlines: pip install 'ffgrammar[outlines]'") from error

__all__ = ["GrammarProcessor"]


class GrammarProcessor(OutlinesLogitsProcessor):  # type: ignore[misc]
    """Lets each text have only the tokens that its grammar allows, in any model of Outlines that can be steered.

    One object serves any number of calls of a generator, one after another. The rows of a batch are shared out evenly
    among the grammars.

    Args:
        grammars: the grammar of all texts; or a list of one for each prompt, with None for a text that is not
            constrained. A matcher at the place where a text begins may stand for its grammar.
        tensor_library_name: the library of the model's scores: "torch", "numpy" or "mlx".
    """

    def __init__(
        self, grammars: Grammar | Matcher | Iterable[Grammar | Matcher | None], tensor_library_name: str
    ) -> None:
        super().__init__(tensor_library_name)
        self._library = tensor_library_name
        self._grammars = [grammars] if isinstance(grammars, (Grammar, Matcher)) else list(grammars)
        self.reset()

    def reset(self) -> None:
        """Begin new texts."""
        self._state: BatchState | None = None
        self._start = 0

    def process_logits(self, input_ids: Any, logits: Any) -> Any:
        """The scores, with -inf for all tokens that may not come.

        Raises:
            MatcherError: a token of a text is not allowed, or the rows cannot be shared out evenly.
            LimitError: a bound of a grammar was reached.
        """
        ids = input_ids.cpu().numpy() if self._library == "torch" else np.array(input_ids)
        if self._state is None:
            # (the first call shows the prompts, or nothing)
            self._state = BatchState(self._grammars, int(self.tensor_adapter.shape(logits)[-1]))
            self._start = ids.shape[-1]
        bitmask = self._state(ids, self._start)
        if self._library == "mlx":
            from ffgrammar.integrations.mlx_lm import masked

            return masked(logits, bitmask)
        logits = logits.clone() if self._library == "torch" else np.array(logits)
        apply_bitmask(logits, bitmask)
        return logits
