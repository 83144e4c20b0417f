"""A request is refused before it reaches the engine: with an error of the client, and with the reason."""

from __future__ import annotations

from typing import Any

from vllm.exceptions import VLLMValidationError
from vllm.v1.structured_output.request import get_structured_output_key

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.integrations.requests import GrammarRequests
from ffgrammar.integrations.vllm.naming import NAME
from ffgrammar.integrations.vllm.vocabulary import requests_of, vocabulary_of

__all__ = ["validate_request"]

# What a request may say beside its grammar, and what to do instead, since no backend of vLLM does it.
_NOT_FOR_REQUESTS = {
    "disable_any_whitespace": "set it in the server's structured_outputs_config",
    "disable_additional_properties": "write additionalProperties: false into the schema",
    "whitespace_pattern": "ask for a grammar, or set disable_any_whitespace in the server's structured_outputs_config",
}


def validate_request(params: Any, model_config: Any, config: Any, tokenizer: Any) -> None:
    """Check a request, and note that this backend serves it.

    Args:
        params: the `structured_outputs` of the request's sampling parameters.
        model_config: vLLM's configuration of the model.
        config: vLLM's configuration of structured outputs.
        tokenizer: the model's tokenizer, or None.

    Raises:
        VLLMValidationError: the request is malformed, cannot be enforced exactly, or costs too much; or the model or
            its tokenizer cannot be constrained.
    """
    if model_config.is_diffusion:
        raise VLLMValidationError("Diffusion models do not write from left to right: no grammar can lead them")
    if tokenizer is None:
        raise VLLMValidationError("Structured outputs need a tokenizer: do not set skip_tokenizer_init")
    if params._backend not in (None, NAME):
        raise VLLMValidationError(f"The server's backend is {NAME}: a request cannot choose {params._backend!r}")
    if params.json_object is False:
        raise VLLMValidationError("json_object must be true if it is there")
    for name, advice in _NOT_FOR_REQUESTS.items():
        if getattr(params, name, None):
            raise VLLMValidationError(f"{name} of a single request is not enforced: {advice}")
    params.__post_init__()
    try:
        kind, spec = get_structured_output_key(params)
        _requests(tokenizer, model_config, config).compile(kind.name.lower(), spec)
    except (FFGrammarError, TypeError, ValueError) as error:
        raise VLLMValidationError(f"The grammar of the request cannot be used: {error}") from error
    except RecursionError as error:
        raise VLLMValidationError("The request is nested too deeply") from error
    params._backend, params._backend_was_auto = NAME, config.backend == "auto"


def _requests(tokenizer: Any, model_config: Any, config: Any) -> GrammarRequests:
    """What compiles the requests of this process. It is kept with the tokenizer."""
    found = getattr(tokenizer, "_ffgrammar_requests", None)
    if found is None:
        found = requests_of(vocabulary_of(tokenizer, model_config), config)
        tokenizer._ffgrammar_requests = found
    return found
