"""Generation under a schema: take what is forced, mask the scores of the model, choose.

There is no model here: random scores stand in for it. The text is valid JSON all the same.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

import ffgrammar as ff

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "role": {"enum": ["reader", "writer", "owner"]},
        "tags": {"type": "array", "items": {"enum": ["new", "old", "kept"]}, "maxItems": 3},
    },
    "required": ["name", "role", "tags"],
    "additionalProperties": False,
}


def allowed(bitmask: NDArray[np.int32], vocab_size: int) -> NDArray[np.bool_]:
    """A row of a bitmask as booleans, one a token."""
    return np.unpackbits(bitmask.view(np.uint8), bitorder="little")[:vocab_size].astype(bool)


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_json_schema(SCHEMA, tok, separators=(",", ":"))
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    random = np.random.default_rng(7)
    tokens: list[int] = []
    asked = 0
    while not matcher.is_terminated():
        new = matcher.forced_tokens()  # these need no call of the model
        if not new:
            asked += 1
            scores = random.normal(size=tok.vocab_size)  # here a model would be asked about `tokens`
            matcher.fill_bitmask(bitmask)
            new = [int(np.where(allowed(bitmask[0], tok.vocab_size), scores, -np.inf).argmax())]
        assert matcher.accept_tokens(new) == len(new)
        tokens += new
    text = matcher.text_bytes.decode()
    print(text)
    print(f"{len(tokens)} tokens, {asked} calls of the model")
    assert json.loads(text).keys() == {"name", "role", "tags"}


if __name__ == "__main__":
    main()
