"""A model of llama-cpp-python: its answers with keys and values that are kept are those of a fresh context."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar.lm.adapters.llama_cpp_model import LlamaCppModel
from ffgrammar.lm.adapters.log_softmax import log_softmax

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def make(llama: Any, gguf_path: Path) -> Make:
    """Makes further contexts of the model; `llama` has loaded the libraries."""

    def made(**options: Any) -> Any:
        return type(llama)(str(gguf_path), n_ctx=256, n_threads=1, verbose=False, **options)

    return made


@pytest.fixture(scope="module")
def reference(make: Make) -> Any:
    """The answers of a context that has run nothing else. It runs token by token."""
    llama = make()

    def alone(sequence: list[int]) -> Any:
        llama.reset()
        for token in sequence:
            llama.eval([token])
        logits = np.ctypeslib.as_array(llama._ctx.get_logits_ith(-1), shape=(llama.n_vocab(),))
        return log_softmax(logits[None])[0]

    return alone


@pytest.mark.parametrize("options", [{}, {"logits_all": True}], ids=["last", "all"])
def test_random_calls(make: Make, reference: Any, options: dict[str, Any]) -> None:
    """Each call asks about all beginnings of its sequences, so the model runs token by token here, too. (If it ran
    several tokens at once, the kernels for quantised weights would round differently: by 0.8 in a log-probability.)"""
    adapter = LlamaCppModel(make(**options))
    random = Random(0)
    words = adapter.tokenizer.encode(" the cat sat on the mat")
    prompt: list[int] = []
    for _ in range(8):
        if not prompt or random.random() < 0.2:
            prompt = [random.choice(words) for _ in range(random.randint(1, 5))]
        elif random.random() < 0.5:
            prompt = prompt[: random.randint(1, len(prompt))]
        longest = [
            [*prompt, *(random.choice(words[:3]) for _ in range(random.randint(0, 3)))]
            for _ in range(random.randint(1, 3))
        ]
        sequences = [one[:size] for one in longest for size in range(1, len(one) + 1)]
        random.shuffle(sequences)
        for index, row in enumerate(adapter.log_probs(sequences)):
            assert np.abs(row - reference(sequences[index])).max() < 1e-6
        prompt = random.choice(sequences)


def test_a_prompt_runs_once(make: Make) -> None:
    llama = make()
    adapter = LlamaCppModel(llama)
    prompt = adapter.tokenizer.encode("The capital of France is the city of")
    adapter.log_probs([prompt])
    assert adapter.tokens_run == len(prompt)
    adapter.log_probs([[*prompt, 1], [*prompt, 2], [*prompt, 2, 3]])
    assert adapter.tokens_run == len(prompt) + 3
    # Other code used the model meanwhile.
    llama.reset()
    llama.eval([5, 6, 7])
    before = adapter.tokens_run
    rows = adapter.log_probs([prompt])
    assert adapter.tokens_run == before + len(prompt)
    assert adapter.tokenizer.token_bytes(int(rows[0].argmax())) == b" Paris"


def test_arguments(make: Make) -> None:
    adapter = LlamaCppModel(make(), start=[1])
    rows = adapter.log_probs([[]])
    assert rows.shape == (1, adapter.tokenizer.vocab_size)
    assert abs(np.exp(rows).sum() - 1) < 1e-9
    assert adapter.log_probs([]).shape == (0, adapter.tokenizer.vocab_size)
    with pytest.raises(ff.MatcherError, match="can read only 256"):
        adapter.log_probs([[5] * 256])
    with pytest.raises(ff.MatcherError, match="no token that begins a text"):
        LlamaCppModel(make()).log_probs([[]])
