"""The processors of Outlines, mlx-lm and TensorRT-LLM, and the loop of onnxruntime-genai: each text is a sentence."""

from __future__ import annotations

import json
import pickle
from typing import Any

import jsonschema
import numpy as np
import pytest
import torch
from servers.folders import model_folder, onnx_folder

import ffgrammar as ff
from models.schemas import PROMPTS, SCHEMAS

NEW = 80
SOME = (0, 5, 6, 8)


@pytest.fixture(scope="module")
def grammars(tok: ff.Tokenizer) -> list[ff.Grammar]:
    return [ff.compile_json_schema(schema, tok, separators=(", ", ": ")) for schema in SCHEMAS]


def test_outlines(model: Any, hf_tokenizer: Any, grammars: list[ff.Grammar]) -> None:
    import outlines

    from ffgrammar.integrations.outlines import GrammarProcessor

    steered = outlines.from_transformers(model, hf_tokenizer)
    for number in SOME:
        generate = outlines.Generator(steered, processor=GrammarProcessor(grammars[number], "torch"))
        for _ in range(2):  # a generator is used again
            jsonschema.validate(json.loads(generate(PROMPTS[number], max_new_tokens=NEW)), SCHEMAS[number])
    both = [grammars[number] for number in SOME[:2]]
    generate = outlines.Generator(steered, processor=GrammarProcessor(both, "torch"))
    texts = generate.batch([PROMPTS[number] for number in SOME[:2]], max_new_tokens=NEW)
    for number, text in zip(SOME, texts, strict=False):
        jsonschema.validate(json.loads(text), SCHEMAS[number])


def test_the_tensor_libraries_of_outlines(tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    import mlx.core as mx

    from ffgrammar.integrations.outlines import GrammarProcessor

    ids = np.array([[1, 2, 3]])
    scores = np.random.default_rng(1).normal(size=(1, tok.vocab_size)).astype(np.float32)
    found = []
    for library, make in (("torch", torch.from_numpy), ("numpy", np.array), ("mlx", mx.array)):
        processor = GrammarProcessor(grammars[0], library)
        given = make(scores)
        found.append(np.array(processor(make(ids), given)))
        assert np.array_equal(np.array(given), scores)
    allowed = grammars[0].matcher().allowed_token_ids()
    expected = np.full_like(scores, -np.inf)
    expected[0, allowed] = scores[0, allowed]
    assert all(np.array_equal(one, expected) for one in found)


def test_mlx_lm(tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    import mlx_lm

    from ffgrammar.integrations.mlx_lm import GrammarProcessor

    model, tokenizer = mlx_lm.load(str(model_folder()))
    for number in SOME:
        processor = GrammarProcessor(grammars[number])
        text = mlx_lm.generate(model, tokenizer, PROMPTS[number], max_tokens=NEW, logits_processors=[processor])
        jsonschema.validate(json.loads(text), SCHEMAS[number])
    with pytest.raises(ff.MatcherError, match="make a new one"):
        import mlx.core as mx

        processor(mx.array([1]), mx.zeros((1, tok.vocab_size)))


def test_onnxruntime_genai(tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    """With forced tokens read together, the text is the one of a loop without them."""
    import onnxruntime_genai as og

    from ffgrammar.integrations.onnxruntime_genai import generate

    model = og.Model(str(onnx_folder()))
    for number in SOME:
        params = og.GeneratorParams(model)
        params.set_search_options(max_length=400)
        generator = og.Generator(model, params)
        prompt = tok.encode(PROMPTS[number])
        generator.append_tokens(prompt)
        tokens = list(generate(generator, grammars[number], NEW))
        assert tokens[-1] in tok.eos_token_ids
        assert generator.get_sequence(0).tolist() == prompt + tokens
        jsonschema.validate(json.loads(tok.decode(tokens[:-1])), SCHEMAS[number])


def test_tensorrt_llm(tok: ff.Tokenizer, grammars: list[ff.Grammar]) -> None:
    """TensorRT-LLM takes any callable with these arguments, and changes of the scores in place. (Written down from its
    source; the package needs a GPU.)"""
    from ffgrammar.integrations.tensorrt_llm import GrammarProcessor

    torch.manual_seed(1)
    # (it is sent to the process that runs the model)
    processor = pickle.loads(pickle.dumps(GrammarProcessor(ff.compile_regex("(ab|ba)+", tok))))
    prompt = tok.encode("x y")
    requests = {7: [list(prompt), list(prompt)], 9: [list(prompt)]}
    for step in range(40):
        for number, beams in requests.items():
            scores = torch.randn(1, len(beams), tok.vocab_size)
            processor(number, scores, beams, None, client_id=None)
            chosen = scores[0].argmax(-1).tolist()
            for beam, token in zip(beams, chosen, strict=True):
                beam.append(token)
            if len(beams) == 2 and step % 5 == 4:
                beams.reverse()  # as a beam search does
    for beams in requests.values():
        for beam in beams:
            text = tok.decode([token for token in beam[len(prompt) :] if token not in tok.eos_token_ids]).decode()
            assert set(text) <= {"a", "b"} and text
            pairs = [text[place : place + 2] for place in range(0, len(text) - 1, 2)]
            assert set(pairs) <= {"ab", "ba"}
