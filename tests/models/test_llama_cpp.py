"""Grammars in llama-cpp-python, on a real model: each text is a sentence, with and without drafts of forced tokens.

llama.cpp rounds otherwise when it reads several tokens in one pass, so two runs may differ where two scores are nearly
equal. What is compared exactly is each token with the scores that the model gave in that run."""

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


def _assert_greedy(llama: Any, start: ff.Matcher, prompt: list[int], text: list[int]) -> None:
    """Each token is the one with the highest score in the last run that a matcher of its own allows."""
    matcher = start.fork()
    for place, token in enumerate(text):
        scores = np.array(llama.scores[len(prompt) + place - 1])
        allowed = matcher.allowed_token_ids()
        assert token == allowed[scores[allowed].argmax()]
        assert matcher.accept_token(token)


def _rounding(llama: Any, ids: list[int]) -> float:
    """How much the scores of one pass along some tokens differ from those of one pass for each token."""
    llama.reset()
    llama.eval(ids)
    together = np.array(llama.scores[: len(ids)])
    llama.reset()
    for token in ids:
        llama.eval([token])
    return float(np.abs(together - llama.scores[: len(ids)]).max())


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_drafts_of_forced_tokens(
    llama: Any, tok: ff.Tokenizer, grammars: list[ff.Grammar], number: int, canonical: bool
) -> None:
    """Without canonical masks the model may spell forced bytes in another way. What was drafted is taken back then."""
    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    prompt = tok.encode(PROMPTS[number])
    start = grammars[number].matcher(canonical=canonical)
    texts = []
    for drafts in (False, True):
        llama.reset()
        with _counted(llama) as passes:
            text = _generate(llama, prompt, LlamaGrammarProcessor(start), drafts)
        _assert_valid(tok, SCHEMAS[number], text)
        _assert_greedy(llama, start, prompt, text)
        assert len(passes) <= len(text) if drafts else len(passes) == len(text)
        texts.append(text)
        if drafts and text != texts[0]:
            place = next(place for place, pair in enumerate(zip(*texts, strict=False)) if pair[0] != pair[1])
            here = llama.scores[len(prompt) + place - 1]
            gap = abs(float(here[texts[0][place]] - here[text[place]]))
            assert gap < 2 * _rounding(llama, prompt + text[:place])


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
