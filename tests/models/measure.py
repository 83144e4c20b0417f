"""Forward passes and times of greedy search, with and without forced tokens: python -m models.measure, in tests/.

Each text is generated once before the time is taken. The matchers are of canonical tokens."""

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
Ways = dict[str, Callable[[ff.Matcher, str], list[int]]]


def with_transformers(model: Any, tok: ff.Tokenizer) -> Ways:
    """The two ways to generate."""
    from ffgrammar.integrations.transformers import GrammarGenerate, GrammarLogitsProcessor

    def run(prompt: str, **options: Any) -> list[int]:
        ids = torch.tensor([tok.encode(prompt)])
        options |= {"do_sample": False, "max_new_tokens": NEW, "pad_token_id": 2, "eos_token_id": 2}
        out = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **options)
        return out[0, ids.shape[1] :].tolist()  # type: ignore[no-any-return]

    return {
        "masks": lambda start, prompt: run(prompt, logits_processor=[GrammarLogitsProcessor(start)]),
        "masks and forced tokens": lambda start, prompt: run(prompt, custom_generate=GrammarGenerate(start)),
    }


def with_llama(llama: Any, tok: ff.Tokenizer) -> Ways:
    """The two ways to generate."""
    from llama_cpp import LogitsProcessorList

    from ffgrammar.integrations.llama_cpp import LlamaGrammarProcessor

    def run(start: ff.Matcher, prompt: str, drafts: bool) -> list[int]:
        processor = LlamaGrammarProcessor(start)
        llama.reset()
        llama.draft_model = processor if drafts else None
        text: list[int] = []
        options = {"temp": 0.0, "repeat_penalty": 1.0, "logits_processor": LogitsProcessorList([processor])}
        for token in llama.generate(tok.encode(prompt), **options):
            text.append(token)
            if token in tok.eos_token_ids or len(text) == NEW:
                break
        return text

    return {
        "masks": lambda start, prompt: run(start, prompt, False),
        "masks and forced tokens": lambda start, prompt: run(start, prompt, True),
    }


def report(
    name: str, tok: ff.Tokenizer, ways: dict[str, Callable[[ff.Matcher, str], list[int]]], passes: list[int]
) -> None:
    """Print a line for each way."""
    for way, generate in ways.items():
        tokens = count = 0
        seconds = 0.0
        for schema, prompt in zip(SCHEMAS, PROMPTS, strict=True):
            start = ff.compile_json_schema(schema, tok, separators=(", ", ": ")).matcher(canonical=True)
            generate(start, prompt)
            before = len(passes)
            began = time.perf_counter()
            tokens += len(generate(start, prompt))
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
    llama = load_llama(path, Path(tempfile.mkdtemp()))
    evaluate = llama.eval

    def counting(tokens: list[int]) -> None:
        passes.append(1)
        evaluate(tokens)

    llama.eval = counting
    report("llama.cpp", tok, with_llama(llama, tok), passes)


if __name__ == "__main__":
    main()
