"""Grammars in `generate` of transformers, on a real model: each text is a sentence, and each way to generate agrees
with the plain one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
import torch
from transformers import StoppingCriteria
from transformers.generation.streamers import BaseStreamer

import ffgrammar as ff
from ffgrammar.integrations.transformers import GrammarGenerate, GrammarLogitsProcessor
from models.schemas import PROMPTS, SCHEMAS

NEW = 80


@pytest.fixture(scope="module")
def grammars(tok: ff.Tokenizer) -> list[ff.Grammar]:
    return [ff.compile_json_schema(schema, tok, separators=(", ", ": ")) for schema in SCHEMAS]


def _generate(model: Any, tok: ff.Tokenizer, prompts: list[str], **options: Any) -> list[list[int]]:
    """The tokens of each text, up to its first end-of-text token."""
    encoded = [tok.encode(prompt) for prompt in prompts]
    width = max(map(len, encoded))
    ids = torch.tensor([[2] * (width - len(row)) + row for row in encoded])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in encoded])
    options = {"do_sample": False, "max_new_tokens": NEW, "pad_token_id": 2, "eos_token_id": 2, **options}
    with torch.no_grad():
        out = model.generate(input_ids=ids, attention_mask=mask, **options)[:, width:].tolist()
    return [row[: row.index(2) + 1] if 2 in row else row for row in out]


def _assert_valid(tok: ff.Tokenizer, schema: Any, tokens: list[int]) -> None:
    assert tokens[-1] == 2, "the text has not ended"
    jsonschema.validate(json.loads(tok.decode(tokens[:-1])), schema)


@contextmanager
def _counted(model: Any) -> Iterator[list[int]]:
    """How many tokens each forward pass reads."""
    passes: list[int] = []
    hook = model.register_forward_pre_hook(
        lambda module, args, kwargs: passes.append(kwargs["input_ids"].shape[1]), with_kwargs=True
    )
    try:
        yield passes
    finally:
        hook.remove()


def test_a_batch_of_16_grammars_equals_single_runs(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    """The rows finish at different steps."""
    processor = GrammarLogitsProcessor(grammars)
    texts = _generate(model, tok, PROMPTS, logits_processor=[processor])
    assert len({len(text) for text in texts}) > 5
    for number, (text, schema) in enumerate(zip(texts, SCHEMAS, strict=True)):
        _assert_valid(tok, schema, text)
        # every step of the row, by a matcher of its own
        matcher = grammars[number].matcher()
        assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()


@pytest.mark.parametrize("forced", [False, True])
def test_sampled_texts_are_valid(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar], forced: bool) -> None:
    torch.manual_seed(1)
    way: dict[str, Any] = (
        {"custom_generate": GrammarGenerate(grammars)}
        if forced
        else {"logits_processor": [GrammarLogitsProcessor(grammars)]}
    )
    texts = _generate(model, tok, PROMPTS, do_sample=True, top_p=0.9, **way)
    for text, schema in zip(texts, SCHEMAS, strict=True):
        _assert_valid(tok, schema, text)


def test_four_beams_for_each_of_several_grammars(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    chosen = [0, 2, 5, 6]
    texts = _generate(
        model,
        tok,
        [PROMPTS[number] for number in chosen],
        num_beams=4,
        logits_processor=[GrammarLogitsProcessor([grammars[number] for number in chosen])],
    )
    for number, text in zip(chosen, texts, strict=True):
        _assert_valid(tok, SCHEMAS[number], text)


@pytest.mark.parametrize("drafts", ["look-up", "assistant"])
def test_drafts_change_no_text(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar], drafts: str) -> None:
    """Drafts come from the prompt, or from an assistant (here the model itself). The text is taken back to the last
    token that stays."""
    prompt = 'Example: {"name": "Ada Lovelace", "age": 36} and {"name": "Alan", "age": 41}. Another: '
    (greedy,) = _generate(model, tok, [prompt], logits_processor=[GrammarLogitsProcessor(grammars[6])])
    processor = GrammarLogitsProcessor(grammars[6], drafts=True)
    options: dict[str, Any] = {"prompt_lookup_num_tokens": 6} if drafts == "look-up" else {"assistant_model": model}
    (drafted,) = _generate(model, tok, [prompt], logits_processor=[processor], **options)
    assert drafted == greedy
    _assert_valid(tok, SCHEMAS[6], drafted)


def test_rows_without_a_grammar_are_left_alone(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    free, bound = _generate(
        model, tok, PROMPTS[:2], max_new_tokens=12, logits_processor=[GrammarLogitsProcessor([None, grammars[1]])]
    )
    plain, _ = _generate(model, tok, PROMPTS[:2], max_new_tokens=12)
    assert free == plain
    _assert_valid(tok, SCHEMAS[1], bound)


def test_a_padded_vocabulary() -> None:
    """Scores beyond the vocabulary become -inf; those of a row without a grammar stay."""
    tok = ff.Tokenizer.from_tokens([b"a", b"b", b""], eos_token_id=2)
    processor = GrammarLogitsProcessor([ff.compile_regex("a+", tok), None])
    scores = torch.zeros((2, 100), dtype=torch.bfloat16)
    got = processor(torch.zeros((2, 3), dtype=torch.long), scores)
    assert torch.isfinite(got[0]).nonzero().flatten().tolist() == [0]
    assert torch.isfinite(got[1]).all() and torch.isfinite(scores).all()


def test_a_processor_is_for_one_call(tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    processor = GrammarLogitsProcessor(grammars[0])
    scores = torch.zeros((1, tok.vocab_size))
    processor(torch.zeros((1, 5), dtype=torch.long), scores)
    with pytest.raises(ff.MatcherError, match="make a new one"):
        processor(torch.zeros((1, 4), dtype=torch.long), scores)
    with pytest.raises(ff.MatcherError, match="row 0: the grammar does not allow the token 0 at place 5"):
        processor(torch.zeros((1, 6), dtype=torch.long), scores)


# ---- forced tokens


@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_forced_tokens_change_no_text(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar], number: int) -> None:
    """Canonical masks allow no other token where one is forced, so greedy search finds the same text. The model reads
    each token once, in fewer passes."""
    start = grammars[number].matcher(canonical=True)
    with _counted(model) as plain_passes:
        (plain,) = _generate(model, tok, [PROMPTS[number]], logits_processor=[GrammarLogitsProcessor(start)])
    with _counted(model) as passes:
        (quick,) = _generate(model, tok, [PROMPTS[number]], custom_generate=GrammarGenerate(start))
    assert quick == plain
    _assert_valid(tok, SCHEMAS[number], quick)
    assert len(plain_passes) == len(plain) and len(passes) <= len(plain_passes)
    assert sum(passes) <= sum(plain_passes)


def test_forced_tokens_in_a_batch(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    """The rows have different grammars and force different numbers of tokens. A model may round otherwise for a row of
    a batch, so a text in which two scores are nearly equal may differ."""
    starts = [grammar.matcher(canonical=True) for grammar in grammars]
    with _counted(model) as plain_passes:
        plain = _generate(model, tok, PROMPTS, logits_processor=[GrammarLogitsProcessor(starts)])
    with _counted(model) as passes:
        quick = _generate(model, tok, PROMPTS, custom_generate=GrammarGenerate(starts))
    assert sum(one == other for one, other in zip(quick, plain, strict=True)) >= 15
    for text, schema in zip(quick, SCHEMAS, strict=True):
        _assert_valid(tok, schema, text)
    assert 2 * len(passes) < len(plain_passes)


class _Kept(BaseStreamer):  # type: ignore[misc]
    def __init__(self) -> None:
        self.ids: list[int] = []
        self.ended = False

    def put(self, value: Any) -> None:
        self.ids += value.flatten().tolist()

    def end(self) -> None:
        self.ended = True


class _AfterThree(StoppingCriteria):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        self.width = width

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        return torch.full((input_ids.shape[0],), input_ids.shape[1] >= self.width + 3)


def test_streamers_and_stopping_criteria(model: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    prompt = tok.encode(PROMPTS[11])
    streamer = _Kept()
    (text,) = _generate(model, tok, [PROMPTS[11]], custom_generate=GrammarGenerate(grammars[11], streamer))
    assert streamer.ids == prompt + text and streamer.ended
    cuts: list[dict[str, Any]] = [{"max_new_tokens": 3}, {"stopping_criteria": [_AfterThree(len(prompt))]}]
    for options in cuts:
        (cut,) = _generate(model, tok, [PROMPTS[11]], custom_generate=GrammarGenerate(grammars[11]), **options)
        assert cut == text[:3]
