"""Grammars in llama-cpp-python, on a real model: each text is a sentence, and drafts of forced tokens change no text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import numpy as np
import pytest

import ffgrammar as ff
from models.schemas import PROMPTS, SCHEMAS

NEW = 80


@pytest.fixture(scope="module")
def grammars(tok: ff.Tokenizer) -> list[ff.Grammar]:
    return [ff.compile_json_schema(schema, tok, separators=(", ", ": ")) for schema in SCHEMAS]


@contextmanager
def _counted(llama: Any) -> Iterator[list[int]]:
    """How many tokens each call of the model reads."""
    passes: list[int] = []
    real = llama.eval

    def counting(tokens: list[int]) -> None:
        passes.append(len(tokens))
        real(tokens)

    llama.eval = counting
    try:
        yield passes
    finally:
        del llama.eval


def _generate(llama: Any, prompt: list[int], processor: Any, drafts: bool, **options: Any) -> list[int]:
    from llama_cpp import LogitsProcessorList

    llama.draft_model = processor if drafts else None
    text: list[int] = []
    try:
        options = {"temp": 0.0, "repeat_penalty": 1.0, **options}
        for token in llama.generate(prompt, logits_processor=LogitsProcessorList([processor]), **options):
            text.append(token)
            if token == llama.token_eos() or len(text) == NEW:
                return text
    finally:
        llama.draft_model = None
    raise AssertionError("generation has ended by itself")


def _assert_valid(tok: ff.Tokenizer, schema: Any, tokens: list[int]) -> None:
    assert tokens[-1] in tok.eos_token_ids, "the text has not ended"
    jsonschema.validate(json.loads(tok.decode(tokens[:-1])), schema)


@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_drafts_of_forced_tokens_change_no_text(
    llama: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar], number: int
) -> None:
    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    prompt = tok.encode(PROMPTS[number])
    start = grammars[number].matcher(canonical=True)
    llama.reset()
    with _counted(llama) as plain_passes:
        plain = _generate(llama, prompt, LlamaGrammarProcessor(start), False)
    llama.reset()
    with _counted(llama) as passes:
        drafted = _generate(llama, prompt, LlamaGrammarProcessor(start), True)
    assert drafted == plain
    _assert_valid(tok, SCHEMAS[number], drafted)
    assert len(plain_passes) == len(plain) and len(passes) <= len(plain)


def test_drafts_that_the_model_does_not_keep(llama: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    """Without canonical masks the model may spell forced bytes in another way. What was drafted is taken back then."""
    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    for number in (0, 6, 10, 11, 15):
        prompt = tok.encode(PROMPTS[number])
        llama.reset()
        plain = _generate(llama, prompt, LlamaGrammarProcessor(grammars[number]), False)
        llama.reset()
        drafted = _generate(llama, prompt, LlamaGrammarProcessor(grammars[number]), True)
        assert drafted == plain
        _assert_valid(tok, SCHEMAS[number], drafted)


def test_sampled_texts_are_valid(llama: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    for number in (0, 5, 6, 8, 13):
        for drafts in (False, True):
            processor = LlamaGrammarProcessor(grammars[number])
            text = _generate(llama, tok.encode(PROMPTS[number]), processor, drafts, temp=0.9, top_p=0.9)
            _assert_valid(tok, SCHEMAS[number], text)


def test_the_prompt_is_read_once(llama: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    """The cache is kept between two calls, whatever was drafted."""
    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    prompt = tok.encode(PROMPTS[0])
    llama.reset()
    first = _generate(llama, prompt, LlamaGrammarProcessor(grammars[0]), True)
    with _counted(llama) as passes:
        again = _generate(llama, prompt, LlamaGrammarProcessor(grammars[0]), True)
    assert again == first and passes[0] == 1


def test_a_completion(llama: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    from llama_cpp import LogitsProcessorList

    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    processor = LlamaGrammarProcessor(grammars[6])
    llama.draft_model = processor
    try:
        found = llama.create_completion(
            PROMPTS[6], max_tokens=NEW, temperature=0.0, logits_processor=LogitsProcessorList([processor])
        )
    finally:
        llama.draft_model = None
    assert found["choices"][0]["finish_reason"] == "stop"
    jsonschema.validate(json.loads(found["choices"][0]["text"]), SCHEMAS[6])


def test_wrong_uses(llama: Any, grammars: list[ff.Grammar]) -> None:
    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    ids = np.array([1, 2, 3], np.intc)
    with pytest.raises(ff.MatcherError, match="must be one of the logits processors"):
        LlamaGrammarProcessor(grammars[0])(ids)
    processor = LlamaGrammarProcessor(grammars[0])
    processor(ids, np.zeros(49152, np.float32))
    with pytest.raises(ff.MatcherError, match="make a new one"):
        processor(ids[:2], np.zeros(49152, np.float32))
