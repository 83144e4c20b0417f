"""Going on with a text that ends inside a word, and so perhaps inside a token.

Of the token sequences whose bytes begin with the prefix, one is drawn with the probability that the model gives it. The
model of this example likes short tokens.
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

import ffgrammar as ff

PREFIX = "I bought some apple"


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    sizes = np.array([len(tok.token_bytes(token)) or 100 for token in range(tok.vocab_size)])
    row = -1.0 * sizes - np.logaddexp.reduce(-1.0 * sizes)

    def model(sequences: list[tuple[int, ...]]) -> NDArray[np.float64]:
        """Log probabilities of the next token: a row for each sequence."""
        return np.tile(row, (len(sequences), 1))

    prefix = ff.CharacterPrefix(tok, PREFIX)
    found = prefix.distribution(model)
    for context in found.contexts:
        share = float(np.exp(context.log_probabilities).sum())
        print(f"{tok.decode(context.kept)!r} and one of {len(context.candidates)} tokens: {share:.1%}")
    tokens = found.sample(random.Random(3))
    for token in tokens:
        assert prefix.accept_token(token)
    assert prefix.is_covered
    print(tok.dbg_tokens(tokens))
    assert tok.decode(tokens).startswith(PREFIX.encode())


if __name__ == "__main__":
    main()
