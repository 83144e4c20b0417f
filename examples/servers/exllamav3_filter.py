"""A filter of ExLlamaV3, driven as its generator drives it. Random scores stand in for a model.

With a model: Job(input_ids=ids, max_new_tokens=80, filters=[GrammarFilter(tokenizer, grammar)])
"""

from __future__ import annotations

import numpy as np

import ffgrammar as ff
from ffgrammar.integrations.exllamav3 import GrammarFilter


def main() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_json_schema({"enum": ["red", "green", "blue"]}, tok, whitespace="compact")
    constraint = GrammarFilter(None, grammar, prefix_str='"')  # the first argument is ExLlamaV3's tokenizer
    random = np.random.default_rng(1)
    tokens = []
    while True:
        scores = random.normal(size=(1, tok.vocab_size))
        ff.apply_bitmask(scores, constraint.get_next_logit_mask())
        tokens.append(int(scores.argmax()))
        if constraint.feed(tokens[-1]):
            break
    print(tok.decode(tokens[:-1]).decode())


if __name__ == "__main__":
    main()
