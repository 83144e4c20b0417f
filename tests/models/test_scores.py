"""`score` and `select` with the real model, next to sums that use the packages of the model's own makers.

The sums take the tokenizer of transformers to say what is canonical, and run the model once for each token sequence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ffgrammar import lm

Tokens = tuple[int, ...]
# The sums run the same model on other batches, in float32.
CLOSE = 1e-5


class Counting:
    """A model that counts the batches and the token sequences it is asked about."""

    def __init__(self, inner: lm.Model) -> None:
        self.inner, self.batches, self.sequences = inner, 0, 0
        self.tokenizer = inner.tokenizer

    def log_probs(self, sequences: list[list[int]]) -> Any:
        self.batches += 1
        self.sequences += len(sequences)
        return self.inner.log_probs(sequences)


class Reference:
    """Probabilities of texts, by a sum over token sequences."""

    def __init__(self, model: Any, hf_tokenizer: Any, token_bytes: list[bytes], eos: list[int]) -> None:
        self.model, self.hf_tokenizer, self.token_bytes, self.eos = model, hf_tokenizer, token_bytes, eos
        self.rows: dict[Tokens, Any] = {}

    def encode(self, text: bytes) -> Tokens:
        return tuple(self.hf_tokenizer.encode(text.decode(), add_special_tokens=False))

    def row(self, tokens: Tokens) -> Any:
        import torch

        if tokens not in self.rows:
            with torch.inference_mode():
                logits = self.model(torch.tensor([tokens])).logits[0, -1].double()
            self.rows[tokens] = torch.log_softmax(logits, 0).numpy()
        return self.rows[tokens]

    def log_prob(self, tokens: Tokens, known: int) -> float:
        """Of the tokens after the first `known` ones."""
        return sum(float(self.row(tokens[:size])[tokens[size]]) for size in range(known, len(tokens)))

    def is_canonical(self, tokens: Tokens) -> bool:
        text = b"".join(self.token_bytes[token] for token in tokens)
        try:
            return self.encode(text) == tokens
        except UnicodeDecodeError:
            return False

    def coverings(self, text: bytes) -> Iterator[Tokens]:
        """The canonical sequences whose last token has the last byte of the text."""
        longest = max(map(len, self.token_bytes))
        for cut in range(max(0, len(text) - longest), len(text)):
            rest = text[cut:]
            before = self.encode(text[:cut])
            for token, data in enumerate(self.token_bytes):
                if data.startswith(rest) and self.is_canonical((*before, token)):
                    yield (*before, token)

    def canonical(self, text: bytes, ends: bool) -> Iterator[Tokens]:
        if ends:
            yield from ((*self.encode(text), token) for token in self.eos)
        else:
            yield from self.coverings(text)

    def every(self, tokens: Tokens, rest: bytes, ends: bool) -> Iterator[Tokens]:
        """All sequences that begin with these tokens and spell the rest, canonical or not."""
        if not rest:
            yield from ((*tokens, token) for token in self.eos)
            return
        for token, data in enumerate(self.token_bytes):
            if data and rest.startswith(data) and (len(data) < len(rest) or ends):
                yield from self.every((*tokens, token), rest[len(data) :], ends)
            elif not ends and data.startswith(rest):
                yield (*tokens, token)

    def shares(self, ways: list[list[Tokens]]) -> Any:
        """The probability of each of some sets of sequences, of all of them together."""
        everything = [one for way in ways for one in way]
        known = 0
        while len({one[: known + 1] for one in everything}) == 1:
            known += 1
        sums = np.array([math.fsum(math.exp(self.log_prob(one, known)) for one in way) for way in ways])
        return sums / sums.sum()


@pytest.fixture(scope="module")
def counting(model: Any, hf_tokenizer: Any) -> Counting:
    return Counting(lm.Model.from_transformers(model, hf_tokenizer))


@pytest.fixture(scope="module")
def reference(model: Any, hf_tokenizer: Any, counting: Counting) -> Reference:
    tok = counting.tokenizer
    token_bytes = [tok.token_bytes(token) for token in range(tok.vocab_size)]
    return Reference(model, hf_tokenizer, token_bytes, list(tok.eos_token_ids))


QUESTIONS = [
    ("The capital of France is", [" Paris", " Rome", " the"]),
    # the prompt ends inside a word, after a blank, and after the end of a token that may be longer
    ("The capital of France is P", ["aris", "rague", "hiladelphia"]),
    ("In a year there are ", ["12 months", "4 weeks", "365 days"]),
    ("def add(a, b):\n    return a", [" + b", ".b", " - b"]),
    ("The colour of grass is gre", ["en", "y"]),
]


@pytest.mark.parametrize(("prompt", "options"), QUESTIONS)
@pytest.mark.parametrize("then", ["", None, " and"])
def test_score(counting: Counting, reference: Reference, prompt: str, options: list[str], then: str | None) -> None:
    model = lm.Model.of(counting)
    batches, sequences = counting.batches, counting.sequences
    found = lm.score(model, prompt, options, then=then)
    assert counting.batches == batches + 1
    assert counting.sequences == sequences + found.calls
    ways = [
        list(reference.canonical((prompt + option + (then or "")).encode(), ends=then is None)) for option in options
    ]
    assert np.abs(np.exp(found.log_probs) - reference.shares(ways)).max() < CLOSE
    # No sequence that all others begin with is asked about, and none twice.
    asked = {one[:size] for way in ways for one in way for size in range(1, len(one))}
    assert found.calls <= len(asked)


@pytest.mark.parametrize("then", ["", None])
def test_score_of_all_token_sequences(counting: Counting, reference: Reference, then: str | None) -> None:
    prompt, options = "The capital of France is", [" Paris", " Oslo"]
    found = lm.score(lm.Model.of(counting), prompt, options, then=then, canonical=False)
    start = reference.encode(prompt.encode())
    ways = [list(reference.every(start, option.encode(), then is None)) for option in options]
    assert min(map(len, ways)) > 4
    assert np.abs(np.exp(found.log_probs) - reference.shares(ways)).max() < CLOSE


@pytest.mark.parametrize(
    "following", [".", " is", "\n"], ids=["a full stop", "a word of which the first character counts", "a line's end"]
)
def test_select(counting: Counting, reference: Reference, following: str) -> None:
    prompt, options = "The capital of France is P", ["aris", "rague", "ari"]
    state = lm.Model.of(counting).state(prompt, seed=1) + lm.select("city", options) + following
    assert state["city"] in options
    ways = [list(reference.coverings((prompt + option + following[0]).encode())) for option in options]
    assert np.abs(np.exp(state.scores("city").log_probs) - reference.shares(ways)).max() < CLOSE


def test_what_is_drawn_has_these_probabilities(counting: Counting) -> None:
    """The drawn options of many seeds have the frequencies that the scores tell."""
    options = [" a", " the", " one"]
    model = lm.Model.of(counting)
    drawn = [(model.state("Paris is", seed=seed) + lm.select("x", options) + " ")["x"] for seed in range(400)]
    scores = lm.score(model, "Paris is", options, then=" ")
    expected = np.exp(scores.log_probs) * len(drawn)
    assert expected.min() > 5
    squares = sum((drawn.count(option) - one) ** 2 / one for option, one in zip(options, expected, strict=True))
    # With two degrees of freedom a larger sum has a chance of 1 in 1,000; the seeds are fixed.
    assert squares < 13.8
