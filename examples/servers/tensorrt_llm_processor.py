"""A logits processor of TensorRT-LLM, called as its executor calls it. Random scores stand in for a model.

With a model: llm.generate(prompt, SamplingParams(logits_processor=GrammarProcessor(grammar)))
"""

from __future__ import annotations

import torch

import ffgrammar as ff
from ffgrammar.integrations.tensorrt_llm import GrammarProcessor


def main() -> None:
    torch.manual_seed(1)
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    processor = GrammarProcessor(ff.compile_json_schema({"enum": ["red", "green", "blue"]}, tok, whitespace="compact"))
    prompt = tok.encode("A colour: ")
    beams = [list(prompt), list(prompt)]
    while not all(beam[-1] in tok.eos_token_ids for beam in beams):
        scores = torch.randn(1, len(beams), tok.vocab_size)
        processor(1, scores, beams, None, None)
        for beam, token in zip(beams, scores[0].argmax(-1).tolist(), strict=True):
            beam.append(token)
    for beam in beams:
        text = [token for token in beam[len(prompt) :] if token not in tok.eos_token_ids]
        print(tok.decode(text).decode())


if __name__ == "__main__":
    main()
