"""Grammars in SGLang: `--grammar-backend ffgrammar`.

SGLang calls `register` in each of its processes, because the package names it as a plugin. In reading order:

    grammar    the grammar of one request
    backend    compiles requests
    reasoning  reasoning before the answer
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

try:
    from sglang.srt.arg_groups.choices import GRAMMAR_BACKEND_CHOICES, add_grammar_backend_choices
    from sglang.srt.constrained.base_grammar_backend import BaseGrammarBackend, register_grammar_backend
    from sglang.srt.parser.reasoning_parser import ReasoningParser
    from sglang.srt.runtime_context import get_serving
except ImportError as error:
    raise ImportError(
        f"ffgrammar.integrations.sglang needs SGLang: pip install 'ffgrammar[sglang]' ({error})"
    ) from error

from ffgrammar.integrations.sglang.backend import SGLangBackend
from ffgrammar.integrations.sglang.reasoning import ReasoningBackend
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["NAME", "create", "register"]

NAME = "ffgrammar"

logger = logging.getLogger("sglang.ffgrammar")


def register() -> None:
    """Make the backend known to SGLang by its name."""
    register_grammar_backend(NAME, create)
    if NAME not in GRAMMAR_BACKEND_CHOICES:
        add_grammar_backend_choices([NAME])


def create(
    server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Iterable[int] | None
) -> BaseGrammarBackend:
    """The backend of a server.

    Args:
        server_args: SGLang's arguments, which are read from its context instead.
        tokenizer: the tokenizer, from transformers.
        vocab_size: how many scores the model gives.
        eos_token_ids: the tokens that end a text; None: those that the tokenizer knows.

    Raises:
        TokenizerError: the tokenizer cannot be read.
        ValueError: an argument of the server has no meaning here, or the reasoning parser has no token that ends
            reasoning.
    """
    known = Tokenizer.from_huggingface(tokenizer, list(eos_token_ids) if eos_token_ids else None, vocab_size)
    logger.info("ffgrammar compiles the grammars of requests, for %s tokens", f"{vocab_size:,}")
    serving = get_serving()
    backend = SGLangBackend(known, layout=_layout(serving))
    if not serving.reasoning_parser:
        return backend
    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasoningBackend(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)


def _layout(serving: Any) -> dict[str, Any]:
    """Where JSON has white space, as the arguments of the server say."""
    if serving.constrained_json_whitespace_pattern is not None:
        raise ValueError(
            "--constrained-json-whitespace-pattern is not read by ffgrammar: white space is at most one blank at a "
            "place; --constrained-json-max-whitespace-cnt sets another bound"
        )
    if serving.constrained_json_disable_any_whitespace:
        return {"whitespace": "compact"}
    if serving.constrained_json_max_whitespace_cnt is not None:
        return {"whitespace": serving.constrained_json_max_whitespace_cnt}
    return {}
