"""SGLang's grammar backend, used as its scheduler uses it. Random scores stand in for a model.

With a model: sglang serve --model-path MODEL --grammar-backend ffgrammar
"""

from __future__ import annotations

import json

import torch
from sglang.srt.constrained.base_grammar_backend import GrammarRow

import ffgrammar as ff
from ffgrammar.integrations.sglang.backend import SGLangBackend


def main() -> None:
    torch.manual_seed(1)
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    backend = SGLangBackend(tok)
    colour = json.dumps({"enum": ["red", "green", "blue"]})
    grammars = [backend.dispatch_json(colour), backend.dispatch_regex("[a-z]{3,5}!")]
    texts: list[list[int]] = [[], []]
    while not all(grammar.is_terminated() for grammar in grammars):
        rows = [GrammarRow(row, one) for row, one in enumerate(grammars) if not one.is_terminated()]
        mask = grammars[0].allocate_vocab_mask(tok.vocab_size, len(grammars), "cpu")
        grammars[0].fill_vocab_mask_batched(rows, mask)
        scores = torch.randn(len(grammars), tok.vocab_size)
        grammars[0].apply_vocab_mask(scores, mask)
        for row, grammar in rows:
            texts[row].append(int(scores[row].argmax()))
            grammar.accept_token(texts[row][-1])
    for text in texts:
        print(tok.decode(text[:-1]).decode())


if __name__ == "__main__":
    main()
