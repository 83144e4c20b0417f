"""Grammars in transformers' continuous batching, with a small model: each request has the text of a run of its own."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from transformers import ContinuousBatchingConfig, GenerationConfig

import ffgrammar as ff
from ffgrammar.integrations.transformers import GrammarLogitsProcessor
from ffgrammar.integrations.transformers.continuous import ContinuousGrammarProcessor
from models.tiny import tiny_model
from oracle.lm import small_tokenizer

TOK, _ = small_tokenizer()
(END,) = TOK.eos_token_ids
SIZE = END + 2
SOURCES = [
    r"[ab]{1,9}",
    r"(abcabc|12){1,4}xyz",
    "one text and no other",
    r"\{\"a\": ([0-9]{1,3}|yes|no)\}",
    "(a|bc ){5,20}",
]
GRAMMARS = [ff.compile_regex(source, TOK) for source in SOURCES]


@pytest.fixture(scope="module")
def model() -> Any:
    return tiny_model("llama", SIZE)


@contextmanager
def manager_of(model: Any, blocks: int = 64, **options: Any) -> Iterator[Any]:
    options = {"do_sample": False, "max_new_tokens": 70, "eos_token_id": END, "pad_token_id": SIZE - 1, **options}
    config = ContinuousBatchingConfig(num_blocks=blocks, page_size=16, max_batch_tokens=32, per_request_processors=True)
    manager = model.init_continuous_batching(GenerationConfig(**options), config)
    try:
        yield manager
    finally:
        manager.stop(block=True)
        manager.destroy()


def collect(manager: Any, count: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while len(found) < count:
        result = manager.get_result(timeout=60)
        assert result is not None, "the manager has given up"
        if result.is_finished():
            found[result.request_id] = result
    return found


def prompts(count: int) -> list[list[int]]:
    choose = random.Random(count)
    return [[choose.randrange(250) for _ in range(choose.randint(1, 20))] for _ in range(count)]


def alone(model: Any, prompt: list[int], matcher: Any, **options: Any) -> list[int]:
    out = model.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones((1, len(prompt)), dtype=torch.long),
        do_sample=False,
        max_new_tokens=70,
        eos_token_id=END,
        pad_token_id=SIZE - 1,
        logits_processor=[GrammarLogitsProcessor([matcher])],
        **options,
    )
    return out[0, len(prompt) :].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("blocks", [64, 9])
def test_requests_are_those_of_single_runs(model: Any, blocks: int) -> None:
    """More requests than the batch has places for. With few blocks, requests are also taken out and put back."""
    batch = prompts(20)
    matchers = [None if number % 7 == 6 else GRAMMARS[number % 5].matcher(canonical=True) for number in range(20)]
    expected = [alone(model, prompt, matcher) for prompt, matcher in zip(batch, matchers, strict=True)]
    with manager_of(model, blocks) as manager:
        processor = ContinuousGrammarProcessor.install(manager)
        again = 0
        make = processor.prepare_tensor_args

        def prepare(requests: list[Any]) -> Any:
            nonlocal again
            again += sum(request.state._true_initial_tokens > 0 for request in requests)
            return make(requests)

        processor.prepare_tensor_args = prepare  # type: ignore[method-assign]
        manager.start()
        names = [
            manager.add_request(prompt, **({} if matcher is None else {"matcher": matcher}))
            for prompt, matcher in zip(batch, matchers, strict=True)
        ]
        found = collect(manager, 20)
    assert [found[name].generated_tokens for name in names] == expected
    assert (again > 0) == (blocks == 9)
    assert all(matcher is None or matcher.num_steps == 0 for matcher in matchers)
    gc.collect()
    assert not processor._states, "what a request had is kept after its end"


def test_sampling(model: Any) -> None:
    """Requests have temperatures of their own. Several sequences come from one request."""
    options = {"do_sample": True, "temperature": 1.2, "top_p": 0.9, "top_k": 30, "num_return_sequences": 3}
    batch = prompts(5)
    torch.manual_seed(4)
    with manager_of(model, **options) as manager:
        ContinuousGrammarProcessor.install(manager)
        manager.start()
        names = [
            manager.add_request(prompt, matcher=grammar.matcher(), temperature=2.0)
            for prompt, grammar in zip(batch, GRAMMARS, strict=True)
        ]
        found = collect(manager, 15)
    for name, result in found.items():
        matcher = GRAMMARS[names.index(name.partition("__")[0])].matcher()
        text = result.generated_tokens
        assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()


def test_processors_of_the_generation_config_come_first(model: Any) -> None:
    """Tokens that are suppressed stay so, and top-k looks at tokens that may come."""
    (prompt,) = prompts(1)
    options = {"suppress_tokens": [97], "do_sample": True, "top_k": 1}
    with manager_of(model, **options) as manager:
        ContinuousGrammarProcessor.install(manager)
        kinds = [type(one).__name__ for one in manager.logit_processor.logits_processor]
        assert kinds.index("SuppressTokensLogitsProcessor") < kinds.index("ContinuousGrammarProcessor")
        assert kinds.index("ContinuousGrammarProcessor") < kinds.index("ContinuousBatchingTopKLogitsWarper")
        manager.start()
        name = manager.add_request(prompt, matcher=GRAMMARS[0].matcher(canonical=True))
        (text,) = (result.generated_tokens for result in collect(manager, 1).values())
    assert name is not None and 97 not in text
    assert text == alone(model, prompt, GRAMMARS[0].matcher(canonical=True), suppress_tokens=[97])


def test_errors_name_the_request(model: Any) -> None:
    large = ff.Tokenizer.from_tokens([b"a"] * (SIZE + 40), eos_token_id=0)
    with manager_of(model) as manager:
        ContinuousGrammarProcessor.install(manager)
        manager.start()
        manager.add_request([1, 2], request_id="wrong", matcher="a")
        assert "expected Matcher" in collect(manager, 1)["wrong"].error
        manager.add_request([1, 2], request_id="right", matcher=GRAMMARS[0].matcher())
        assert collect(manager, 1)["right"].error is None
        manager.add_request([1, 2], request_id="large", matcher=ff.compile_regex("a+", large).matcher())
        assert "request large: vocab_size" in collect(manager, 1)["large"].error


def test_what_is_refused(model: Any) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("use_async_batching=False", {"use_async_batching": True}),
        ("use_cuda_graph=False", {"use_cuda_graph": (False, True)}),
        ("no compile configs", {"decode_compile_config": object()}),
    ]
    for message, attributes in cases:
        with manager_of(model) as manager:
            for name, value in attributes.items():
                setattr(manager.continuous_batching_config, name, value)
            with pytest.raises(ff.UnsupportedError, match=message):
                ContinuousGrammarProcessor.install(manager)
    with manager_of(model) as manager:
        manager.start()
        manager.add_request([1, 2], max_new_tokens=1)
        collect(manager, 1)
        with pytest.raises(ff.UnsupportedError, match="before the manager starts"):
            ContinuousGrammarProcessor.install(manager)


def test_the_plain_processor_is_not_for_continuous_batching() -> None:
    """It knows rows by their histories, which are not shown to processors there: transformers drops it, and says so."""
    from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessorList

    found = ContinuousBatchingLogitsProcessorList([GrammarLogitsProcessor(GRAMMARS[0])])  # type: ignore[arg-type]
    assert len(found.logits_processor) == 0
