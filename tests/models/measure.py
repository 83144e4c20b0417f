"""Forward passes and times of greedy search, with and without forced tokens: python -m models.measure, in tests/.

Each text is generated once before the time is taken: one by one, and in transformers also all in one batch. The
matchers are of canonical tokens."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import ffgrammar as ff
from models.loading import gguf_file, load_llama, load_model
from models.schemas import PROMPTS, SCHEMAS

NEW = 80
# Each writes a text for each prompt, and tells how many tokens they have.
Ways = dict[str, Callable[[list[ff.Matcher], list[str]], int]]


def with_transformers(model: Any, tok: ff.Tokenizer) -> Ways:
    """The two ways to generate."""
    from ffgrammar.integrations.transformers import GrammarGenerate, GrammarLogitsProcessor

    def run(prompts: list[str], **options: Any) -> int:
        rows = [tok.encode(prompt) for prompt in prompts]
        width = max(map(len, rows))
        ids = torch.tensor([[2] * (width - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        options |= {"do_sample": False, "max_new_tokens": NEW, "pad_token_id": 2, "eos_token_id": 2}
        texts = model.generate(input_ids=ids, attention_mask=mask, **options)[:, width:].tolist()
        return sum(text.index(2) + 1 for text in texts)

    return {
        "masks": lambda starts, prompts: run(prompts, logits_processor=[GrammarLogitsProcessor(starts)]),
        "masks and forced tokens": lambda starts, prompts: run(prompts, custom_generate=GrammarGenerate(starts)),
    }


def with_llama(llama: Any, tok: ff.Tokenizer) -> Ways:
    """The two ways to generate."""
    from llama_cpp import LogitsProcessorList

    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    def run(starts: list[ff.Matcher], prompts: list[str], drafts: bool) -> int:
        (start,), (prompt,) = starts, prompts
        processor = LlamaGrammarProcessor(start)
        llama.reset()
        llama.draft_model = processor if drafts else None
        text: list[int] = []
        options = {"temp": 0.0, "repeat_penalty": 1.0, "logits_processor": LogitsProcessorList([processor])}
        for token in llama.generate(tok.encode(prompt), **options):
            text.append(token)
            if token in tok.eos_token_ids or len(text) == NEW:
                break
        return len(text)

    return {
        "masks": lambda starts, prompts: run(starts, prompts, False),
        "masks and forced tokens": lambda starts, prompts: run(starts, prompts, True),
    }


def report(name: str, tok: ff.Tokenizer, ways: Ways, passes: list[int], rows: int = 1) -> None:
    """Print a line for each way. Batches have `rows` rows."""
    starts = [
        ff.compile_json_schema(schema, tok, separators=(", ", ": ")).matcher(canonical=True) for schema in SCHEMAS
    ]
    for way, generate in ways.items():
        tokens = count = 0
        seconds = 0.0
        for first in range(0, len(starts), rows):
            batch = starts[first : first + rows], PROMPTS[first : first + rows]
            generate(*batch)
            before = len(passes)
            began = time.perf_counter()
            tokens += generate(*batch)
            seconds += time.perf_counter() - began
            count += len(passes) - before
        print(f"{name}\t{way}\t{tokens} tokens\t{count} passes\t{seconds:.2f} s")


def main() -> None:
    path = gguf_file()
    tok = ff.Tokenizer.from_file(path)
    passes: list[int] = []
    model = load_model(path)
    model.register_forward_pre_hook(lambda *_: passes.append(1))
    report("transformers", tok, with_transformers(model, tok), passes)
    report("transformers, a batch", tok, with_transformers(model, tok), passes, len(SCHEMAS))
    llama = load_llama(path, Path(tempfile.mkdtemp()))
    evaluate = llama.eval

    def counting(tokens: list[int]) -> None:
        passes.append(1)
        evaluate(tokens)

    llama.eval = counting
    report("llama.cpp", tok, with_llama(llama, tok), passes)


if __name__ == "__main__":
    main()
