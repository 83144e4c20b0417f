"""The backend of one engine, and the grammar of one request."""

from __future__ import annotations

import logging
from typing import Any

import torch
from vllm.v1.structured_output.backend_types import (
    StructuredOutputBackend,
    StructuredOutputGrammar,
    StructuredOutputOptions,
)

from ffgrammar.api.bitmask import allocate_bitmask
from ffgrammar.core.errors import FFGrammarError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.vllm.metrics import Metrics
from ffgrammar.integrations.vllm.naming import NAME
from ffgrammar.integrations.vllm.spelling import only_forced, spelling_along
from ffgrammar.integrations.vllm.stops import Stops, stops_of
from ffgrammar.integrations.vllm.vocabulary import requests_of, vocabulary_of

__all__ = ["FFGrammarBackend", "FFGrammarGrammar"]

logger = logging.getLogger("vllm.ffgrammar")


class FFGrammarBackend(StructuredOutputBackend):  # type: ignore[misc]
    """Compiles the grammars of one engine's requests.

    Args:
        vllm_config: vLLM's configuration. Of it count `structured_outputs_config` and the model's generation config.
        tokenizer: the tokenizer that vLLM has loaded.
        vocab_size: how many scores the model gives. It may be more than the tokenizer has tokens.

    Raises:
        TokenizerError: the bytes of the tokenizer's tokens are not known.

    Attributes:
        vocabulary: the `Tokenizer`.
        metrics: what is counted and measured.
    """

    name = NAME

    def __init__(self, vllm_config: Any, tokenizer: Any, vocab_size: int) -> None:
        super().__init__(vllm_config, tokenizer, vocab_size)
        config = vllm_config.structured_outputs_config
        self.vocabulary = vocabulary_of(tokenizer, vllm_config.model_config)
        self.metrics = Metrics()
        self._requests = requests_of(self.vocabulary, config)
        # A mask has a bit for each score, and for each token even if the model has fewer scores.
        self._width = max(vocab_size, self.vocabulary.vocab_size)

    def compile_grammar(
        self, request_type: StructuredOutputOptions, grammar_spec: str, stop_token_ids: set[int] | None = None
    ) -> FFGrammarGrammar:
        """The grammar of a request.

        Raises:
            GrammarError, UnsupportedError, LimitError: as `GrammarRequests.compile`. vLLM ends the request alone.
        """
        kind = request_type.name.lower()
        with self.metrics.compilation(kind):
            grammar = self._requests.compile(kind, grammar_spec)
            stops = stops_of(stop_token_ids, self.vocabulary, self._width)
            return FFGrammarGrammar(grammar.matcher(), stops, self.metrics)

    def allocate_token_bitmask(self, max_num_seqs: int) -> torch.Tensor:
        """Masks of all ones: int32 [rows, words]."""
        return torch.from_numpy(allocate_bitmask(max_num_seqs, self._width))

    def destroy(self) -> None:
        """Compile no more."""
        self._requests.close()


class FFGrammarGrammar(StructuredOutputGrammar):  # type: ignore[misc]
    """Where one request is in its grammar.

    If a bound of the grammar is reached in the middle of a text, the request ends with an error, and no other one.

    Attributes:
        matcher: the matcher.
        stops: what the request's own stop tokens change; None if it has none.
        drafts: what was drafted for the next step, and perhaps one token more; for each token whether it is forced.
        drafted: how many of these tokens are drafts.
    """

    def __init__(self, matcher: Matcher, stops: Stops | None, metrics: Metrics) -> None:
        self.matcher = matcher
        self.stops = stops
        self.drafts: list[tuple[int, bool]] = []
        self.drafted = 0
        self._metrics = metrics
        self._has_stopped = False
        self._error: FFGrammarError | None = None

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Go on by tokens. What comes after the end does not count.

        Returns:
            Whether all tokens were accepted. If not, those before the first refused one were.
        """
        if self._error is not None:
            return False
        if self.drafts:
            self._count(tokens)
        for token in tokens:
            if self.is_terminated():
                break
            if not self.try_token(token):
                logger.error("request %s: the grammar refuses the token %s", request_id, token)
                return False
        return True

    def _count(self, tokens: list[int]) -> None:
        """Count how many forced tokens are among those that the model has written."""
        written = 0
        for (drafted, is_forced), token in zip(self.drafts[: self.drafted], tokens, strict=False):
            if drafted != token:
                break
            written += is_forced
        if written:
            self._metrics.accepted.inc(written)
        self.drafts = []

    def try_token(self, token: int) -> bool:
        """Go on by one token, if it is allowed."""
        if self.stops is not None and token in self.stops.further and self.matcher.is_accepting():
            self._has_stopped = True
            return True
        try:
            return self.matcher.accept_token(token)
        except FFGrammarError as error:
            logger.error("the token %s: %s", token, error)
            return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """The first tokens that are accepted, one after another. Nothing moves."""
        count = 0
        for token in tokens:
            if self._error is not None or self.is_terminated() or token < 0 or not self.try_token(token):
                break
            count += 1
        self.rollback(count)
        return tokens[:count]

    def rollback(self, num_tokens: int) -> None:
        """Take back the last tokens."""
        if num_tokens > 0 and self._has_stopped:
            self._has_stopped = False
            num_tokens -= 1
        if num_tokens > 0:
            self.matcher.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Write the mask of the next token to a row."""
        try:
            self.matcher.fill_bitmask(bitmask, batch_index)
        except FFGrammarError as error:
            self.fail(error)
            bitmask[batch_index] = -1
            return
        row = bitmask[batch_index].numpy()
        if self.stops is not None:
            self.stops.change(row, self.matcher.is_accepting())
        only_forced(row, spelling_along(self.matcher, [])[0])

    def spelling(self, tokens: list[int]) -> list[int | None]:
        """Before each of some allowed tokens, and after the last, the token that is forced there, if there is one."""
        drafts = self.drafts
        if [token for token, _ in drafts[: len(tokens)]] != tokens or not drafts:
            return spelling_along(self.matcher, tokens)
        found = [token if is_forced else None for token, is_forced in drafts[: len(tokens) + 1]]
        return found if len(found) > len(tokens) else [*found, None]

    def fail(self, error: FFGrammarError) -> None:
        """Let the request end with an error at its next token."""
        logger.error("a mask cannot be computed, and its request ends: %s", error)
        self._error = error

    def is_terminated(self) -> bool:
        """Whether an end-of-text token or a stop token has come."""
        return self._has_stopped or self.matcher.is_terminated()

    def reset(self) -> None:
        """Go back to the beginning of the text."""
        self.matcher.reset()
        self._has_stopped, self._error, self.drafts = False, None, []
