"""Serves the playground with a model, and prints its address: `python serving.py`.

The model is a function of the last three tokens, so its answers are the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ffgrammar as ff
from ffgrammar import lm
from ffgrammar.play import Desk, serve


def main() -> None:
    """Serve until the process is ended."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")

    def log_probs(sequences: list[list[int]]) -> Any:
        rows = np.stack(
            [np.random.default_rng([1, *one[-3:]]).normal(scale=4, size=tok.vocab_size) for one in sequences]
        )
        return rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))

    serve(Desk({"cl100k_base": tok}, lm.Model.of(log_probs, tok)), lambda address: print(address, flush=True))


if __name__ == "__main__":
    main()
