"""Grammars in `model.generate` of transformers.

`GrammarLogitsProcessor` works with everything that takes logits processors. `GrammarGenerate` is a generation loop of
its own that does not ask the model for forced tokens: all of them go through it in one pass, with the token before
them. For transformers' continuous batching there is `continuous`, which is imported by its own name, because not all
versions of transformers have what it needs.

In reading order:

    logits_processor  `GrammarLogitsProcessor`
    reader            a model that reads the new tokens of all rows of a batch in one pass
    order             where the mask comes among logits processors
    row               one text of the generation loop
    generate          `GrammarGenerate`
    continuous        `ContinuousGrammarProcessor`
"""

from __future__ import annotations

try:
    import torch  # noqa: F401
    import transformers  # noqa: F401
except ImportError as error:
    raise ImportError(
        "ffgrammar.integrations.transformers needs torch and transformers: pip install 'ffgrammar[transformers]'"
    ) from error

from ffgrammar.integrations.transformers.generate import GrammarGenerate
from ffgrammar.integrations.transformers.logits_processor import GrammarLogitsProcessor

__all__ = ["GrammarGenerate", "GrammarLogitsProcessor"]
