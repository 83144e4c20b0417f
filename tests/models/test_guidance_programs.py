"""The programs that guidance's first version was made for, written with the real model in both libraries.

Each program is one capability of `gen`, `select`, roles, healing, stops, log-probabilities, streams and the prefix
cache. What a program may write is said by Python's own regular expressions, and no text may be outside of it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ffgrammar import lm

TEMPERATURES = [0.0, 1.0]


@pytest.fixture(scope="module", params=["transformers", "llama.cpp"])
def model(request: pytest.FixtureRequest) -> lm.Model:
    if request.param == "llama.cpp":
        return lm.Model.from_llama_cpp(request.getfixturevalue("llama"))
    torch_model = request.getfixturevalue("model_of_transformers")
    return lm.Model.from_transformers(torch_model, request.getfixturevalue("hf_tokenizer"))


@pytest.fixture(scope="module")
def model_of_transformers(gguf_path: Any) -> Any:
    from models.loading import load_model

    return load_model(gguf_path)


def written(model: lm.Model, text: str, temperature: float, **values: Any) -> lm.State:
    """A template without a prompt before it."""
    return model.state(seed=7) + lm.template(text)(t=temperature, **values)


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_a_pattern_and_the_text_after_it(model: lm.Model, temperature: float) -> None:
    text = (
        "The phone number is {{gen 'number' pattern='[0-9]{3}-[0-9]{4}' temperature=t}}, "
        "call {{gen 'when' pattern='now|later' temperature=t}}."
    )
    state = written(model, text, temperature)
    found = re.fullmatch(r"The phone number is ([0-9]{3}-[0-9]{4}), call (now|later)\.", state.text)
    assert found and found.groups() == (state["number"], state["when"])


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_stops(model: lm.Model, temperature: float) -> None:
    text = (
        "A list:\n1. {{gen 'one' stop='\n' max_tokens=12 temperature=t}}\n"
        "2. {{gen 'two' stop_regex='[.,;\n]' max_tokens=12 temperature=t}}\n"
    )
    state = written(model, text, temperature)
    assert "\n" not in state["one"] and not re.search("[.,;\n]", str(state["two"]))
    assert state.text == f"A list:\n1. {state['one']}\n2. {state['two']}\n"


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_a_choice_in_which_options_begin_one_another(model: lm.Model, temperature: float) -> None:
    """The text that follows tells the options apart; and where nothing follows, the end of the text does."""
    options = ["be", "bee", "been"]
    state = written(
        model,
        "It has {{select 'a' options=options temperature=t}} here, {{select 'b' options=options}}",
        temperature,
        options=options,
    )
    assert state.text == f"It has {state['a']} here, {state['b']}"
    for name in "ab":
        assert state[name] in options
        assert np.exp(state.scores(name).log_probs).sum() == pytest.approx(1)


def test_healing(model: lm.Model) -> None:
    """A prompt that ends inside a token is written as if it did not: "http:" goes on with "//", which is one token with
    the colon."""
    state = written(model, "The link is <a href=\"http:{{gen 'link' pattern='[^\" ]{1,20}' temperature=t}}\">", 0.0)
    assert str(state["link"]).startswith("//")
    assert list(state.tokens) == model.tokenizer.encode(state.text)


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_log_probabilities(model: lm.Model, temperature: float) -> None:
    state = written(model, "2, 4, 6, {{gen 'n' pattern='[0-9]{1,2}' log_probs=true temperature=t}},", temperature)
    asked = state.log_probs("n")
    assert asked and all(-30 < value <= 0 for _, value in asked)
    assert str(state["n"]).encode() in model.tokenizer.decode([token for token, _ in asked])


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_lists(model: lm.Model, temperature: float) -> None:
    text = (
        "{{#each people}}{{this.name}} is {{this.age}} "
        "and likes {{gen 'likes' pattern=' ?[a-z]{3,8}' temperature=t}}.\n{{/each}}"
    )
    people = [{"name": "Ann", "age": 5}, {"name": "Bob", "age": 70}]
    state = written(model, text, temperature, people=people)
    assert re.fullmatch(r"Ann is 5 and likes  ?[a-z]{3,8}\.\nBob is 70 and likes  ?[a-z]{3,8}\.\n", state.text)


def test_roles_and_a_hole_without_a_bound(model: lm.Model) -> None:
    """The turn's end is the stop of a hole at the end of a turn."""
    text = """{{#system~}} You answer in one word. {{~/system}}
        {{#user~}} What is the capital of {{country}}? {{~/user}}
        {{#assistant~}} {{gen 'answer' temperature=0 max_tokens=10}} {{~/assistant}}"""
    state = model.state() + lm.template(text)(country="France")
    assert state.text.count("<|im_start|>") == state.text.count("<|im_end|>") == 3
    assert "<|im_" not in str(state["answer"])


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_a_stream_tells_what_is_written(model: lm.Model, temperature: float) -> None:
    program = "My name is " + lm.gen("name", regex="[A-Z][a-z]{2,8}", temperature=temperature) + " and"
    streamed = model.state(seed=3) + program
    told = [event.text for event in streamed.stream() if event.kind == "grew"]
    assert all(later.startswith(one) for one, later in pairwise(told))
    assert told[-1] == streamed["name"] == (model.state(seed=3) + program)["name"]


def test_the_same_prompt_again(model: lm.Model) -> None:
    """What the model keeps of earlier programs changes no text."""
    first = [written(model, "Once upon a time {{gen 'x' pattern='[a-z ,]{20}' temperature=t}}.", 1.0).text]
    assert written(model, "Something else: {{gen 'x' pattern='[a-z]{5}' temperature=t}}.", 1.0).text != first[0]
    assert [written(model, "Once upon a time {{gen 'x' pattern='[a-z ,]{20}' temperature=t}}.", 1.0).text] == first


def test_several_texts_of_one_program(model: lm.Model) -> None:
    program = "A word: " + lm.gen("word", regex="[a-z]{3,9}") + "\n"
    states = lm.run(model, lambda _: program, range(3), seed=1)
    words = [str(state["word"]) for state in states]
    assert len(set(words)) > 1 and all(re.fullmatch("[a-z]{3,9}", word) for word in words)
