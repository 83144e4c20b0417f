"""A batch: several texts, each under a grammar of its own, and one call that fills all masks."""

from __future__ import annotations

from typing import Any

import numpy as np

import ffgrammar as ff

SCHEMAS: list[dict[str, Any]] = [
    {"type": "boolean"},
    {"type": "integer", "minimum": 10, "maximum": 99},
    {"enum": ["red", "green", "blue"]},
]


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    matchers = [ff.compile_json_schema(schema, tok, separators=(",", ":")).matcher() for schema in SCHEMAS]
    bitmask = ff.allocate_bitmask(len(matchers), tok.vocab_size)
    random = np.random.default_rng(1)
    while not all(matcher.is_terminated() for matcher in matchers):
        ff.fill_bitmask(matchers, bitmask)  # the row of a matcher that has terminated is all zeros
        scores = random.normal(size=(len(matchers), tok.vocab_size))
        ff.apply_bitmask(scores, bitmask)
        for matcher, row in zip(matchers, scores, strict=True):
            if not matcher.is_terminated():
                assert matcher.accept_token(int(row.argmax()))
    for matcher in matchers:
        print(matcher.text_bytes.decode())


if __name__ == "__main__":
    main()
