"""A program of text and holes, written with a model that gives random log-probabilities.

A real model takes the place of `log_probs`: `lm.Model.from_transformers(model, tokenizer)` makes it, for example.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import ffgrammar as ff
from ffgrammar import lm

tok = ff.Tokenizer.from_tiktoken("cl100k_base")


def log_probs(sequences: list[list[int]]) -> NDArray[np.float64]:
    """The log-probabilities of the next token after each sequence."""
    rows = np.array([np.random.default_rng(sequence).normal(size=tok.vocab_size) for sequence in sequences])
    return rows - np.logaddexp.reduce(rows, axis=1, keepdims=True)


model = lm.Model.of(log_probs, tok)
address = {
    "type": "object",
    "properties": {"city": {"enum": ["Oslo", "Rome"]}, "number": {"type": "integer", "minimum": 1, "maximum": 99}},
    "required": ["city", "number"],
    "additionalProperties": False,
}
program = (
    "She lives at "
    + lm.gen("address", json=address, max_tokens=20)
    + " with a "
    + lm.select("pet", ["cat", "dog", "caterpillar"])
    + " and reads "
    + lm.many("books", lm.gen(regex="[A-Z][a-z]{2,5}"), ", ", 1, 3)
    + "."
)
state = model.state("Ada is a painter. ", seed=1) + program
for event in state.stream():
    if event.kind == "closed":
        print(f"{event.name}: {event.text}")
print(state.text)
print(f"{len(state.tokens)} tokens, {state.calls} calls of the model")
