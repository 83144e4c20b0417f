"""A model of llama-cpp-python: its answers with keys and values that are kept are those of a fresh context."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar import lm
from ffgrammar.lm.adapters.llama_cpp_model import LlamaCppModel
from ffgrammar.lm.adapters.log_softmax import log_softmax
from models.small_gguf import write_small

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def make(llama: Any, gguf_path: Path) -> Make:
    """Makes further contexts of the model; `llama` has loaded the libraries."""

    def made(path: Path = gguf_path, **options: Any) -> Any:
        # (keys and values of 32 bits, too)
        exact = {} if path == gguf_path else {"type_k": 0, "type_v": 0}
        return type(llama)(str(path), **{"n_ctx": 256, "n_threads": 1, "verbose": False, **exact, **options})

    return made


@pytest.fixture(scope="module")
def reference(make: Make) -> Any:
    """The answers of a context that has run nothing else."""
    return answers_alone(make(), 1)


def answers_alone(llama: Any, size: int = 256) -> Callable[[list[int]], Any]:
    """A function that runs a sequence after nothing else, so many tokens at once."""

    def alone(sequence: list[int]) -> Any:
        llama.reset()
        for place in range(0, len(sequence), size):
            llama.eval(sequence[place : place + size])
        logits = np.ctypeslib.as_array(llama._ctx.get_logits_ith(-1), shape=(llama.n_vocab(),))
        return log_softmax(logits[None])[0]

    return alone


@pytest.fixture(scope="module")
def small(gguf_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two blocks. Its weights have 32 bits, so it hardly matters how many tokens run at once."""
    path = tmp_path_factory.mktemp("small") / "small.gguf"
    write_small(gguf_path, path)
    return path


@pytest.mark.parametrize("options", [{}, {"logits_all": True}], ids=["last", "all"])
def test_random_calls(make: Make, reference: Any, options: dict[str, Any]) -> None:
    """Each call asks about all beginnings of its sequences, so the model runs token by token here, too. (If it ran
    several tokens at once, the kernels for quantised weights would round differently: by 0.8 in a log-probability.)"""
    adapter = LlamaCppModel(make(**options), max_batch=1)
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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("room", [{"n_ctx": 256}, {"n_ctx": 256, "n_batch": 8}], ids=["room", "small batches"])
def test_rows_side_by_side_answer_as_alone(make: Make, small: Path, seed: int, room: dict[str, Any]) -> None:
    """Rows grow, fork, end, come back and change places, and are more than fit; another user's calls come between."""
    random = Random(seed)
    llama = make(small, **room)
    adapter = LlamaCppModel(llama, max_batch=4)
    alone = answers_alone(make(small))
    words = adapter.tokenizer.encode(" the cat sat on the mat")
    rows = [[random.choice(words) for _ in range(random.randint(1, 9))] for _ in range(3)]
    for step in range(9):
        found = adapter.log_probs(rows)
        for one, answer in zip(rows, found, strict=True):
            assert np.abs(answer - alone(one)).max() < 1e-3
        rows = [
            [*one[: len(one) - random.choice([0, 0, 0, 1, 3])], *random.choices(words, k=random.randint(1, 2))]
            for one in random.choices(rows, k=random.randint(1, 6))
        ]
        rows += [[*rows[0], words[0]], rows[0][:1]] if step % 3 == 0 else []
        random.shuffle(rows)
        if step == 4:
            llama.reset()
            llama.eval([5, 6, 7])


def test_rows_that_fill_the_context(make: Make, small: Path) -> None:
    adapter = LlamaCppModel(make(small), max_batch=4)
    alone = answers_alone(make(small))
    words = adapter.tokenizer.encode(" the cat sat on the mat")
    rows = [[words[number]] * 60 for number in range(4)]
    for _ in range(4):
        for one, answer in zip(rows, adapter.log_probs(rows), strict=True):
            assert np.abs(answer - alone(one)).max() < 1e-3
        # (at the third time these are more than 256 tokens)
        rows = [[*one, words[5], *one[:2]] for one in rows]
    # What became equal later takes its place twice, until there is no room.
    one = [words[0]] * 100
    adapter.log_probs([one[:1], [*one, words[1]], [words[2]] * 90])
    same = [[*one, words[1]], [*one, words[2]], one]
    for tokens, answer in zip(same, adapter.log_probs(same), strict=True):
        assert np.abs(answer - alone(tokens)).max() < 1e-3


def test_rows_of_a_program_run_each_token_once(make: Make, small: Path) -> None:
    def program(row: int) -> lm.Program:
        return f"The city of number {row} has " + lm.gen("x", regex="[a-z ]{30}") + "."

    adapter = LlamaCppModel(make(small, n_ctx=1024))
    states = lm.run(lm.Model.of(adapter), program, range(16), seed=1)
    tokens = {state.tokens[:size] for state in states for size in range(1, 1 + len(state.tokens))}
    assert len(states[0]["x"]) == 30
    # Some tokens run again where the end of a text may be spelled in several ways.
    assert len(tokens) - 3 * 16 <= adapter.tokens_run <= len(tokens) + 3 * 16
    one_by_one = LlamaCppModel(make(small, n_ctx=1024), max_batch=1)
    again = lm.run(lm.Model.of(one_by_one), program, range(16), seed=1)
    assert [state.text for state in again] == [state.text for state in states]
    assert one_by_one.tokens_run > 3 * adapter.tokens_run


def test_a_prompt_that_is_known_runs_again_only_if_that_pays(make: Make, small: Path) -> None:
    adapter = LlamaCppModel(make(small, n_ctx=1024))
    words = adapter.tokenizer.encode(" the cat sat on the mat")
    prompt = words * 30
    adapter.log_probs([prompt])
    known = adapter.tokens_run
    adapter.log_probs([[*prompt, word] for word in words[:3]])
    assert adapter.tokens_run == known + 3
    rows = [[*prompt, word] for word in words[:3]]
    for _ in range(30):
        rows = [[*row, words[0]] for row in rows]
        adapter.log_probs(rows)
    # The rows took turns until that cost as much as the prompt; then each step costs three tokens.
    assert adapter.tokens_run < known + 3 * len(prompt) + 3 * 32


def test_libraries_that_cannot_share(make: Make, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import llama_cpp

    monkeypatch.setattr(llama_cpp, "llama_n_ctx_seq", lambda context: 8)
    adapter = LlamaCppModel(make(small))
    alone = answers_alone(make(small))
    rows = [[5, 6], [7], [5, 8, 9]]
    for one, answer in zip(rows, adapter.log_probs(rows), strict=True):
        assert np.abs(answer - alone(one)).max() < 1e-3
    with pytest.raises(ValueError, match="max_batch"):
        LlamaCppModel(make(small), max_batch=33)


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
