"""Models of transformers: their answers with keys and values that are kept are those without."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import ffgrammar as ff
from ffgrammar.lm.adapters.log_softmax import log_softmax
from ffgrammar.lm.adapters.transformers_model import TransformersModel
from models.tiny import tiny_model

SIZE = 11
TOKENIZER = ff.Tokenizer.from_tokens([bytes([97 + token]) for token in range(SIZE - 1)], SIZE - 1, vocab_size=SIZE)


def make(kind: str) -> Any:
    return tiny_model(kind, SIZE, positions=64)


def alone(model: Any, sequence: list[int]) -> Any:
    with torch.no_grad():
        return log_softmax(model(input_ids=torch.tensor([sequence]), use_cache=False).logits[:, -1].numpy())[0]


def nodes(sequences: list[list[int]]) -> set[tuple[int, ...]]:
    return {tuple(one[:size]) for one in sequences for size in range(1, len(one) + 1)}


@pytest.mark.parametrize("kind", ["llama", "gpt2", "mistral"])
@pytest.mark.parametrize("max_batch", [1, 3, 16])
def test_random_calls(kind: str, max_batch: int) -> None:
    model = make(kind)
    adapter = TransformersModel(model, TOKENIZER, max_batch=max_batch)
    random = Random(max_batch)
    prompt: list[int] = []
    for _ in range(60):
        if not prompt or random.random() < 0.2:
            prompt = [random.randrange(SIZE) for _ in range(random.randint(1, 12))]
        elif random.random() < 0.3:
            prompt = prompt[: random.randint(1, len(prompt))]
        sequences = [
            [*prompt, *(random.randrange(3) for _ in range(random.randint(0, 4)))] for _ in range(random.randint(1, 7))
        ]
        found = adapter.log_probs(sequences)
        assert found.shape == (len(sequences), SIZE)
        for sequence, row in zip(sequences, found, strict=True):
            assert np.abs(row - alone(model, sequence)).max() < 1e-9
        prompt = random.choice(sequences)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_rows_that_grow_run_each_token_once(kind: str) -> None:
    model = make(kind)
    for seed in range(8):
        random = Random(seed)
        adapter = TransformersModel(model, TOKENIZER, max_batch=6)
        shared = [random.randrange(SIZE) for _ in range(random.randint(0, 6))]
        # (no row begins another one)
        rows = [[*shared, first, *(random.randrange(SIZE) for _ in range(random.randint(0, 5)))] for first in range(6)]
        ran = 0
        for _ in range(10):
            found = adapter.log_probs(rows)
            for row, answer in zip(rows, found, strict=True):
                assert np.abs(answer - alone(model, row)).max() < 1e-9
            if len(rows) > 1:
                assert ran < adapter.tokens_run <= ran + sum(map(len, rows))
            ran = adapter.tokens_run
            if len(rows) > 2 and random.random() < 0.3:
                del rows[random.randrange(len(rows))]
            random.shuffle(rows)
            before = sum(map(len, rows))
            for row in rows:
                row += [random.randrange(SIZE) for _ in range(random.randint(1, 3))]
            adapter.log_probs(rows)
            assert adapter.tokens_run == ran + sum(map(len, rows)) - before
            ran = adapter.tokens_run
            # a call of another kind keeps what the rows have
            if random.random() < 0.3:
                adapter.log_probs([[1, 2], [1, 2, 3], [1, 4]])
                ran = adapter.tokens_run
            for row in rows:
                row.append(random.randrange(SIZE))
            if max(map(len, rows)) > 50:
                break


def test_a_prompt_runs_once() -> None:
    adapter = TransformersModel(make("llama"), TOKENIZER)
    prompt = [token % SIZE for token in range(50)]
    adapter.log_probs([prompt])
    assert (adapter.tokens_run, adapter.forward_passes) == (50, 1)
    # A generation runs each token once.
    for count in range(1, 5):
        adapter.log_probs([[*prompt, *[7] * count]])
        assert (adapter.tokens_run, adapter.forward_passes) == (50 + count, 1 + count)
    # So does a batch of tokens that were forced: the last one alone is asked about.
    adapter.log_probs([[*prompt, 7, 7, 7, 7, 1, 2, 3]])
    assert (adapter.tokens_run, adapter.forward_passes) == (57, 6)
    # Options after the prompt run side by side, and the prompt not at all.
    adapter.log_probs([[*prompt, one, *rest] for one in (1, 2, 3) for rest in ([], [4])])
    assert (adapter.tokens_run, adapter.forward_passes) == (63, 7)
    # A question about the prompt alone runs its last token again.
    adapter.log_probs([prompt])
    assert (adapter.tokens_run, adapter.forward_passes) == (64, 8)


def test_a_run_that_fails_leaves_no_wrong_cache() -> None:
    model = make("llama")
    adapter = TransformersModel(model, TOKENIZER)
    adapter.log_probs([[1, 2, 3]])
    with pytest.raises(IndexError):
        adapter.log_probs([[1, 2, 3, SIZE]])
    assert np.abs(adapter.log_probs([[1, 2, 3, 4]])[0] - alone(model, [1, 2, 3, 4])).max() < 1e-9


def test_a_failure_after_the_first_layer() -> None:
    model = make("llama")
    adapter = TransformersModel(model, TOKENIZER)
    adapter.log_probs([[1, 2, 3]])

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    hook = model.model.layers[1].register_forward_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        adapter.log_probs([[1, 2, 3, 5]])
    hook.remove()
    assert np.abs(adapter.log_probs([[1, 2, 3, 4]])[0] - alone(model, [1, 2, 3, 4])).max() < 1e-9


def test_what_begins_every_text() -> None:
    model = make("llama")
    adapter = TransformersModel(model, TOKENIZER, start=[10])
    found = adapter.log_probs([[], [3]])
    assert np.abs(found[0] - alone(model, [10])).max() < 1e-9
    assert np.abs(found[1] - alone(model, [10, 3])).max() < 1e-9
    assert adapter.log_probs([]).shape == (0, SIZE)
    with pytest.raises(ff.MatcherError, match="no token that begins a text"):
        TransformersModel(model, TOKENIZER).log_probs([[]])
    with pytest.raises(ff.MatcherError, match="can read only 64"):
        adapter.log_probs([[1] * 64])


def test_what_is_refused() -> None:
    config = transformers.T5Config(vocab_size=SIZE, d_model=8, d_ff=8, num_layers=1, num_heads=1, d_kv=8)
    with pytest.raises(TypeError, match="T5ForConditionalGeneration has an encoder"):
        TransformersModel(transformers.T5ForConditionalGeneration(config), TOKENIZER)
    mamba = transformers.MambaConfig(vocab_size=SIZE, hidden_size=8, num_hidden_layers=1, state_size=4)
    with pytest.raises(TypeError, match="MambaForCausalLM keeps no keys and values"):
        TransformersModel(transformers.MambaForCausalLM(mamba), TOKENIZER)
    with pytest.raises(ValueError, match="max_batch must be positive, not 0"):
        TransformersModel(make("llama"), TOKENIZER, max_batch=0)
