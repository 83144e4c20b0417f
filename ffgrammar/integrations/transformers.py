"""Grammars in `model.generate` of transformers.

`GrammarLogitsProcessor` works with everything that takes logits processors. `GrammarGenerate` is a generation loop of
its own that does not ask the model for forced tokens: all of them go through it in one pass, with the token before
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ffgrammar.api.bitmask import allocate_bitmask
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError, UnsupportedError
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.batch_state import BatchState

try:
    import torch
    from transformers import LogitsProcessor
    from transformers.generation import GenerateDecoderOnlyOutput
except ImportError as error:
    raise ImportError(
        "ffgrammar.integrations.transformers needs torch and transformers: pip install 'ffgrammar[transformers]'"
    ) from error

__all__ = ["GrammarGenerate", "GrammarLogitsProcessor"]


class GrammarLogitsProcessor(LogitsProcessor):  # type: ignore[misc]
    """Lets each text of a batch have only the tokens that its grammar allows.

        model.generate(**inputs, logits_processor=[GrammarLogitsProcessor(grammar)])

    It works with greedy search, sampling and beam search, and with `drafts=True` also with assisted decoding. One
    processor is for one call of `generate`: the ids in its first call are the prompts.

    Args:
        grammars: the grammar of all texts; or a list of one for each prompt, with None for a text that is not
            constrained. A matcher at the place where a text begins may stand for its grammar.
        drafts: whether tokens may be drafted that the grammar does not allow, as assisted decoding and prompt look-up
            do. The mask before such a token makes the model refuse it.
    """

    supports_continuous_batching = False

    def __init__(
        self, grammars: Grammar | Matcher | Iterable[Grammar | Matcher | None], *, drafts: bool = False
    ) -> None:
        self._grammars = [grammars] if isinstance(grammars, (Grammar, Matcher)) else list(grammars)
        self._drafts = drafts
        self._state: BatchState | None = None
        self._start = 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores with -inf for all tokens that may not come; `scores` is left as it is.

        Raises:
            MatcherError: a token of a text is not allowed and `drafts` is not set, there are fewer ids than in the
                first call, or the rows cannot be shared out evenly among the grammars.
            LimitError: a bound of a grammar was reached.
        """
        ids = input_ids.cpu().numpy()
        if self._state is None:
            self._state = BatchState(self._grammars, scores.shape[-1], drafts=self._drafts)
            self._start = ids.shape[1]
        if ids.shape[1] < self._start:
            raise MatcherError("a GrammarLogitsProcessor is for one call of generate: make a new one for the next")
        bitmask = self._state(ids, self._start)
        scores = scores.clone()
        apply_bitmask(scores, bitmask)
        return scores


class GrammarGenerate:
    """A generation loop that does not ask the model for forced tokens.

        model.generate(**inputs, custom_generate=GrammarGenerate(grammar), max_new_tokens=200)

    It is for one prompt at a time and for models that are decoders only, with greedy search or sampling. Stopping
    criteria and logits processors work as in `generate`; logits processors do not see forced tokens.

    Forced tokens are those of `Matcher.forced_tokens`. With a matcher of canonical tokens
    (`grammar.matcher(canonical=True)`) the masks allow no other tokens in their places. So greedy search then finds the
    text that it would find token by token, except where rounding decides between two scores: a model may round
    otherwise when it reads several tokens in one pass.

    Args:
        grammar: the grammar, or a matcher at the place where the text begins; it is not moved. streamer: gets the ids
            of the prompt, and then those of the text one by one. (transformers 5.23 does not hand the streamer of
            `generate` on to a loop like this one.)
    """

    def __init__(self, grammar: Grammar | Matcher, streamer: Any = None) -> None:
        self._streamer = streamer
        self._start = grammar.matcher() if isinstance(grammar, Grammar) else grammar
        if not isinstance(self._start, Matcher):
            raise TypeError(f"grammar must be a Grammar or a Matcher, not {type(grammar).__name__}")

    def __call__(
        self,
        model: Any,
        input_ids: Any,
        logits_processor: Any,
        stopping_criteria: Any,
        generation_config: Any,
        synced_gpus: bool = False,
        streamer: Any = None,
        **model_kwargs: Any,
    ) -> Any:
        """Called by `model.generate`. Returns what `generate` returns: the ids of prompt and text, or an object with
        them.

        Raises:
            UnsupportedError: there is more than one prompt, the model is no decoder, a search with several beams or
                sequences is asked for, or the scores are.
            MatcherError: the text has met a dead end, so no token may come.
            LimitError: a bound of the grammar was reached.
        """
        _check(model, input_ids, generation_config, synced_gpus)
        if streamer is None and self._streamer is not None:
            streamer = self._streamer
            streamer.put(input_ids.cpu())
        matcher = self._start.fork()
        forward = _Forward(model, model_kwargs)
        while True:
            tokens = matcher.forced_tokens()
            if not tokens:
                scores = _masked(forward(input_ids), matcher)
                tokens = [_choose(logits_processor(input_ids, scores), generation_config.do_sample)]
            for token in tokens:
                if not matcher.accept_token(token):
                    raise MatcherError(f"a dead end: the token {token} is not allowed after {matcher.num_steps} tokens")
                new = torch.tensor([[token]], dtype=input_ids.dtype, device=input_ids.device)
                input_ids = torch.cat([input_ids, new], dim=1)
                if streamer is not None:
                    streamer.put(new[0].cpu())
                if stopping_criteria(input_ids, None).any() or matcher.is_terminated():
                    return _finished(input_ids, forward, generation_config, streamer)


def _check(model: Any, input_ids: Any, config: Any, synced_gpus: bool) -> None:
    if input_ids.shape[0] != 1 or config.num_beams > 1 or config.num_return_sequences > 1:
        raise UnsupportedError("GrammarGenerate is for one prompt, one beam and one sequence at a time")
    if model.config.is_encoder_decoder or synced_gpus:
        raise UnsupportedError("GrammarGenerate is for decoders on one machine")
    if config.return_dict_in_generate and (
        config.output_scores or config.output_logits or config.output_attentions or config.output_hidden_states
    ):
        raise UnsupportedError("GrammarGenerate gives no scores, attentions or hidden states: forced tokens have none")


class _Forward:
    """The model with its cache of keys and values.

    Args:
        model: the model.
        arguments: what `generate` has prepared for it.
    """

    def __init__(self, model: Any, arguments: dict[str, Any]) -> None:
        self._model = model
        self.cache = arguments.pop("past_key_values", None)
        self._attention = arguments.pop("attention_mask", None)
        arguments.pop("position_ids", None)
        arguments.pop("cache_position", None)
        self._arguments = arguments

    def __call__(self, input_ids: Any) -> Any:
        """The scores after the last of the ids. The model reads those ids that are not in the cache."""
        known = 0 if self.cache is None else self.cache.get_seq_length()
        if self._attention is not None:
            more = input_ids.shape[1] - self._attention.shape[1]
            ones = self._attention.new_ones((1, more))
            self._attention = torch.cat([self._attention, ones], dim=1)
        outputs = self._model(
            input_ids=input_ids[:, known:],
            attention_mask=self._attention,
            past_key_values=self.cache,
            return_dict=True,
            **{"logits_to_keep": 1, **self._arguments},
        )
        return outputs.logits[:, -1].to(copy=True, dtype=torch.float32, device=input_ids.device)


def _masked(scores: Any, matcher: Matcher) -> Any:
    bitmask = allocate_bitmask(1, scores.shape[-1])
    matcher.fill_bitmask(bitmask)
    apply_bitmask(scores, bitmask)
    return scores


def _choose(scores: Any, samples: bool) -> int:
    if samples:
        return int(torch.multinomial(torch.nn.functional.softmax(scores, dim=-1), num_samples=1))
    return int(scores.argmax())


def _finished(input_ids: Any, forward: _Forward, config: Any, streamer: Any) -> Any:
    if streamer is not None:
        streamer.end()
    if config.return_dict_in_generate:
        return GenerateDecoderOnlyOutput(sequences=input_ids, past_key_values=forward.cache)
    return input_ids
