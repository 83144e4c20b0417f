"""From a tokenizer of vLLM to one of ffgrammar, and to what compiles requests for it."""

from __future__ import annotations

import os
from typing import Any

from vllm.utils.mistral import is_mistral_tokenizer

from ffgrammar.core.errors import TokenizerError
from ffgrammar.integrations.requests import GrammarRequests
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["requests_of", "vocabulary_of"]

_KEPT = "_ffgrammar_vocabulary"


def vocabulary_of(tokenizer: Any, model_config: Any) -> Tokenizer:
    """The vocabulary of a tokenizer. It is kept with the tokenizer.

    The tokens that end a text are those of the tokenizer and of the model's generation config.

    Args:
        tokenizer: a tokenizer of transformers or of mistral-common, as vLLM loads it.
        model_config: vLLM's configuration of the model.

    Raises:
        TokenizerError: the bytes of its tokens are not known.
    """
    found = getattr(tokenizer, _KEPT, None)
    if found is None:
        found = _read(tokenizer, _end_tokens(tokenizer, model_config))
        setattr(tokenizer, _KEPT, found)
    return found


def requests_of(vocabulary: Tokenizer, config: Any) -> GrammarRequests:
    """What compiles requests for a vocabulary, under a configuration of vLLM's structured outputs."""
    return GrammarRequests(vocabulary, whitespace="compact" if config.disable_any_whitespace else 1)


def _end_tokens(tokenizer: Any, model_config: Any) -> list[int]:
    config = model_config.try_get_generation_config() if model_config is not None else {}
    found = config.get("eos_token_id")
    ids = found if isinstance(found, list) else [found]
    return sorted({one for one in [tokenizer.eos_token_id, *ids] if one is not None and one < len(tokenizer)})


def _read(tokenizer: Any, eos: list[int]) -> Tokenizer:
    if is_mistral_tokenizer(tokenizer):
        return Tokenizer.from_file(tokenizer.tokenizer.file_path, eos)
    try:
        return Tokenizer.from_huggingface(tokenizer, eos)
    except TokenizerError:
        # A tokenizer that is written in Python has the file of its vocabulary, or a folder with one.
        for place in (getattr(tokenizer, "vocab_file", None), getattr(tokenizer, "name_or_path", None)):
            if place and os.path.exists(place):
                return Tokenizer.from_file(place, eos)
        raise
