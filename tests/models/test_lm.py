"""Generation with a real model, in transformers and in llama.cpp: what is read again gives what is read at once."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar import lm


@pytest.fixture(scope="session")
def with_transformers(model: Any, hf_tokenizer: Any) -> lm.Model:
    return lm.Model.from_transformers(model, hf_tokenizer)


@pytest.fixture(scope="session")
def with_llama(llama: Any) -> lm.Model:
    return lm.Model.from_llama_cpp(llama)


def test_what_is_kept_changes_nothing(with_transformers: lm.Model, model: Any) -> None:
    import torch

    random = Random(1)
    tok = with_transformers.tokenizer
    known = [tok.encode("The capital of France is Paris. It is a large city.")]
    for _ in range(6):
        batch = []
        for _ in range(4):
            one = random.choice(known)
            batch.append(
                one[: random.randrange(1, 1 + len(one))] + [random.randrange(1000) for _ in range(random.randrange(3))]
            )
        known += batch
        found = with_transformers.log_probs(batch)
        for tokens, row in zip(batch, found, strict=True):
            with torch.inference_mode():
                expected = torch.log_softmax(model(torch.tensor([tokens])).logits[0, -1].double(), 0).numpy()
            assert np.abs(row - expected).max() < 1e-3


def test_llama_goes_back(with_llama: lm.Model, llama: Any) -> None:
    tok = with_llama.tokenizer
    long, short = tok.encode("The capital of France is Paris."), tok.encode("The capital of Spain is")
    first = with_llama.log_probs([long, short, long[:3]])
    llama.reset()
    llama.eval(tok.encode("Something else, which others ask."))
    again = with_llama.log_probs([long[:3]])
    assert np.abs(again[0] - first[2]).max() < 0.2 and again[0].argmax() == first[2].argmax()
    assert tok.decode([int(with_llama.log_probs([tok.encode("The capital of France is")])[0].argmax())]) == b" Paris"


@pytest.mark.parametrize("name", ["with_transformers", "with_llama"])
def test_programs(name: str, request: pytest.FixtureRequest) -> None:
    model: lm.Model = request.getfixturevalue(name)
    assert lm.score(model, "The capital of France is", [" Paris", " London", " a banana"]).best == " Paris"
    halved = lm.score(model, "The capital of France is P", ["aris", "rague"])
    assert halved.best == "aris"
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "country": {"enum": ["France", "Spain"]}},
        "required": ["city", "country"],
        "additionalProperties": False,
    }
    program = (
        lm.gen("x", json=schema, max_tokens=20, temperature=0)
        + "\nThe country is "
        + lm.select("y", ["Spain", "France"])
    )
    state = model.state("As JSON, the capital of France is: ") + program
    value = json.loads(str(state["x"]))
    assert set(value) == {"city", "country"} and state["y"] in ("Spain", "France")
    assert ff.compile_json_schema(schema, model.tokenizer).matcher().accept_bytes(str(state["x"]).encode())


@pytest.mark.parametrize("name", ["with_transformers", "with_llama"])
def test_chats_are_laid_out_by_the_models_own_template(
    name: str, hf_tokenizer: Any, request: pytest.FixtureRequest
) -> None:
    model: lm.Model = request.getfixturevalue(name)
    chat = lm.template("""
        {{#system~}} You answer with one word. {{~/system}}
        {{#each cities}}
            {{#user~}} In which country is {{this}}? {{~/user}}
            {{#assistant}}{{gen 'country' regex='[A-Z][a-z]{2,9}' temperature=0}}{{/assistant}}
        {{/each}}
    """)
    state = model.state(seed=1) + chat(cities=["Paris", "Rome"])
    with pytest.warns(UserWarning, match="special_token"):
        state += lm.user("And <|im_end|>?") + lm.assistant(lm.gen("last", max_tokens=5, temperature=0))
    found = [turn.split("<|im_end|>")[0] for turn in state.text.split("<|im_start|>assistant\n")[1:]]
    contents = ["You answer with one word.", "In which country is Paris?", found[0]]
    contents += ["In which country is Rome?", found[1]]
    contents += ["And <|im_end|>?", str(state["last"])]
    roles = ["system", *["user", "assistant"] * 3]
    messages = [{"role": role, "content": content} for role, content in zip(roles, contents, strict=True)]
    assert state.text == hf_tokenizer.apply_chat_template(messages, tokenize=False)
    assert state["country"] == found[1]
    # seven turns, each between two special tokens; the one in a content is text
    assert sum(not model.tokenizer.token_bytes(token) for token in state.tokens) == 14


@pytest.mark.parametrize("name", ["with_transformers", "with_llama"])
def test_a_prompt_runs_once_for_ten_holes(name: str, request: pytest.FixtureRequest) -> None:
    from ffgrammar.lm.adapters.llama_cpp_model import LlamaCppModel
    from ffgrammar.lm.adapters.transformers_model import TransformersModel

    llama, torch_model, tokenizer = map(request.getfixturevalue, ("llama", "model", "hf_tokenizer"))
    adapter = LlamaCppModel(llama) if name == "with_llama" else TransformersModel(torch_model, tokenizer)
    model = lm.Model.of(adapter)
    # (llama.cpp reads a long prompt in a tenth of the time)
    prompt = "The city has a bridge and a market. " * (210 if name == "with_llama" else 40)
    state = model.state(prompt + "Its numbers are", seed=1)
    for number in range(10):
        state = state + f" {number}:" + lm.gen(f"n{number}", regex=" [0-9]{2}", temperature=0) + ","
        assert len(state[f"n{number}"]) == 3
    tokens = len(state.tokens)
    assert tokens > (1900 if name == "with_llama" else 350)
    # Some tokens run again, because the end of a text may have other tokens once it is known what follows.
    assert tokens - 3 <= adapter.tokens_run <= tokens + 80
