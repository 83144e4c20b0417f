"""A generation loop in which the model reads forced tokens without being asked for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from transformers.generation import GenerateDecoderOnlyOutput, GenerationMode

from ffgrammar.api.bitmask import allocate_bitmask
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError, UnsupportedError
from ffgrammar.engine.matcher.batch import fill_bitmask
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.transformers.reader import Reader
from ffgrammar.integrations.transformers.row import Row, check_processors

__all__ = ["GrammarGenerate"]


class GrammarGenerate:
    """A generation loop that does not ask the model for forced tokens.

        model.generate(**inputs, custom_generate=GrammarGenerate(grammar), max_new_tokens=200)

    It is for models that are decoders only, with greedy search or sampling, and with several sequences for a prompt.
    In each pass the model reads what is new in every row: the token that was chosen for it, and those that follow
    from it. Rows of a batch may have different grammars, lengths and ends.

    Stopping criteria and logits processors work as in `generate`, with one difference: they are called with one row at
    a time, [1, columns]. Logits processors are not called for forced tokens.

    Forced tokens are those of `Matcher.forced_tokens`. With a matcher of canonical tokens
    (`grammar.matcher(canonical=True)`) the masks allow no other tokens in their places. So greedy search then finds the
    text that it would find token by token, except where rounding decides between two scores: a model may round
    otherwise when it reads several tokens or several rows in one pass.

    Args:
        grammars: the grammar of all texts; or a list of one for each prompt, with None for a text that is not
            constrained. A matcher at the place where a text begins may stand for its grammar; it is not moved.
        streamer: gets the ids of the prompt, and then those of the text one by one; for one prompt alone. (transformers
            5.23 does not hand the streamer of `generate` on to a loop like this one.)
    """

    def __init__(self, grammars: Grammar | Matcher | Iterable[Grammar | Matcher | None], streamer: Any = None) -> None:
        self._streamer = streamer
        if isinstance(grammars, (Grammar, Matcher)):
            grammars = [grammars]
        self._starts = [grammar.matcher() if isinstance(grammar, Grammar) else grammar for grammar in grammars]
        for number, start in enumerate(self._starts):
            if start is not None and not isinstance(start, Matcher):
                raise TypeError(f"grammar {number} must be a Grammar, a Matcher or None, not {type(start).__name__}")

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
        """Called by `model.generate`. Returns what `generate` returns: the ids of prompts and texts, or an object with
        them.

        Raises:
            UnsupportedError: the model, the way to search, an input or a logits processor is none that this loop can
                work with, or scores are asked for. The message says which.
            MatcherError: a text has met a dead end, so no token may come; or the rows cannot be shared out evenly among
                the grammars.
            LimitError: a bound of a grammar was reached.
        """
        streamer = self._streamer if streamer is None else streamer
        _check_model(model, model_kwargs, synced_gpus)
        _check_config(generation_config, input_ids.shape[0], streamer)
        _check_inputs(input_ids, generation_config, model_kwargs)
        check_processors(logits_processor, input_ids.shape[0])
        if streamer is not None and streamer is self._streamer:
            streamer.put(input_ids.cpu())
        rows = [
            Row(number, matcher, input_ids[number : number + 1], logits_processor, stopping_criteria, streamer)
            for number, matcher in enumerate(self._matchers(input_ids.shape[0]))
        ]
        reader = Reader(model, input_ids, model_kwargs)
        _generate(rows, reader, generation_config.do_sample)
        if streamer is not None:
            streamer.end()
        return _finished(rows, reader, generation_config)

    def _matchers(self, rows: int) -> list[Matcher | None]:
        """A matcher for each row."""
        each, left = divmod(rows, len(self._starts) or 1)
        if left or not self._starts:
            raise MatcherError(f"{rows} rows cannot be shared out evenly among {len(self._starts)} grammars")
        return [None if start is None else start.fork() for start in self._starts for _ in range(each)]


def _generate(rows: list[Row], reader: Reader, samples: bool) -> None:
    """Write all texts."""
    # The rows that go on, and of these the rows in which the model has read everything.
    active = ready = list(range(len(rows)))
    while True:
        for number in ready:
            reader.unread[number] += rows[number].add_forced()
        for number in active:
            if rows[number].has_ended:
                reader.unread[number].clear()
        active = [number for number in active if not rows[number].has_ended]
        if not active:
            return
        scores = reader(active).float()
        ready = [number for number in active if not reader.unread[number]]
        if ready:
            processed = _processed([rows[number] for number in ready], scores[ready])
            for number, token in zip(ready, _choose(processed, samples), strict=True):
                reader.unread[number] += rows[number].add([token])


def _processed(rows: list[Row], scores: Any) -> Any:
    """The scores of some rows, [rows, vocabulary], after masks and processors."""
    bitmask = allocate_bitmask(len(rows), scores.shape[-1])
    bound = [number for number, row in enumerate(rows) if row.matcher is not None]
    fill_bitmask([row.matcher for row in rows if row.matcher is not None], bitmask, bound)
    return torch.cat([row.processed(scores[i : i + 1], bitmask[i : i + 1]) for i, row in enumerate(rows)])


def _choose(scores: Any, samples: bool) -> list[int]:
    if samples:
        chosen = torch.multinomial(torch.nn.functional.softmax(scores, dim=-1), num_samples=1)[:, 0]
    else:
        chosen = scores.argmax(dim=-1)
    return chosen.tolist()  # type: ignore[no-any-return]


def _check_model(model: Any, arguments: dict[str, Any], synced_gpus: bool) -> None:
    if model.config.is_encoder_decoder or synced_gpus:
        raise UnsupportedError("GrammarGenerate is for decoders on one machine")
    if getattr(model, "_is_stateful", False):
        raise UnsupportedError(
            f"GrammarGenerate cannot use {type(model).__name__}: its state is more than keys and values"
        )
    usual = {"past_key_values", "attention_mask", "position_ids"}
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor) and name not in usual:
            raise UnsupportedError(f"GrammarGenerate shows the model nothing but tokens, so it cannot use {name}")


def _check_config(config: Any, rows: int, streamer: Any) -> None:
    mode = config.get_generation_mode()
    if mode not in (GenerationMode.GREEDY_SEARCH, GenerationMode.SAMPLE):
        raise UnsupportedError(
            f"GrammarGenerate is for greedy search and sampling, not for {mode.value}: use GrammarLogitsProcessor"
        )
    if config.return_dict_in_generate and (
        config.output_scores or config.output_logits or config.output_attentions or config.output_hidden_states
    ):
        raise UnsupportedError("GrammarGenerate gives no scores, attentions or hidden states: forced tokens have none")
    if rows > 1 and streamer is not None:
        raise UnsupportedError(f"a streamer of GrammarGenerate is for one row, and the batch has {rows}")
    if rows > 1 and config._pad_token_tensor is None:
        raise UnsupportedError("GrammarGenerate needs a pad_token_id for a batch, whose texts may have different ends")


def _check_inputs(input_ids: Any, config: Any, arguments: dict[str, Any]) -> None:
    cache, mask = arguments.get("past_key_values"), arguments.get("attention_mask")
    known = 0 if cache is None else cache.get_seq_length()
    width = input_ids.shape[1]
    columns = getattr(config, "_mask_length", width) if mask is None else mask.shape[1]
    if known >= width or (known and columns != width):
        raise UnsupportedError(
            f"GrammarGenerate needs the ids of all tokens in the cache, and of one more: got {width} ids for {known}"
        )
    positions = arguments.get("position_ids")
    if positions is not None:
        marks = torch.ones_like(input_ids) if mask is None else mask
        counted = marks.long().cumsum(dim=1) - 1
        if positions.shape[-1] != width or not (positions * marks == counted * marks).all():
            raise UnsupportedError("GrammarGenerate cannot use position_ids other than those of the attention_mask")


def _finished(rows: list[Row], reader: Reader, config: Any) -> Any:
    width = max(row.ids.shape[1] for row in rows)
    texts = []
    for row in rows:
        missing = width - row.ids.shape[1]
        texts.append(
            torch.nn.functional.pad(row.ids, (0, missing), value=int(config._pad_token_tensor)) if missing else row.ids
        )
    ids = torch.cat(texts)
    if config.return_dict_in_generate:
        # (the cache of a batch has padding between tokens, so nobody else could use it)
        cache = reader.cache if len(rows) == 1 else None
        return GenerateDecoderOnlyOutput(sequences=ids, past_key_values=cache)
    return ids
