"""Texts of a real model under real schemas, judged by another validator: python -m models.dev_schemas, in tests/.

Each schema of a sample of MaskBench's development set is written in four ways, each time with a number of tokens in
which the text must end.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ffgrammar as ff
from ffgrammar import lm

__all__ = ["compare", "dev_schemas", "ways"]

PROMPT = "An example as JSON: "
# How many tokens a text has, unless its schema needs more.
TOKENS = 32
# Schemas that need more are left out, because the model is slow.
MOST_TOKENS = 120

# From a grammar, a number of tokens and a seed to a text.
Ways = dict[str, Callable[[ff.Grammar, int, int], str]]


def dev_schemas(shared: Path, count: int) -> Iterator[Any]:
    """Schemas of the development set, spread over all of it."""
    lines = gzip.open(shared / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8").readlines()
    for number in range(count):
        yield json.loads(lines[number * len(lines) // count])["schema"]


def judge(schema: Any, text: str) -> str:
    """ "valid", "invalid", or "no validator" where the validator cannot read the schema. Formats count."""
    import jsonschema

    try:
        value = json.loads(text)
    except ValueError:
        return "invalid"
    checker = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        judged = checker(schema, format_checker=checker.FORMAT_CHECKER)
        return "valid" if judged.is_valid(value) else "invalid"
    except Exception:
        return "no validator"


def ways(model: Any, hf_tokenizer: Any, llama: Any, tok: ff.Tokenizer) -> Ways:
    """Forced tokens with greedy search, masks with sampling, and programs with both adapters."""
    import torch

    from ffgrammar.integrations.transformers import GrammarGenerate, GrammarLogitsProcessor

    ids = torch.tensor([tok.encode(PROMPT)])
    options: dict[str, Any] = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "pad_token_id": 2}
    options |= {"eos_token_id": list(tok.eos_token_ids)}

    def text(out: Any) -> str:
        tokens = [token for token in out[0, ids.shape[1] :].tolist() if token not in tok.eos_token_ids]
        return tok.decode(tokens).decode("utf-8", "replace")

    def forced(grammar: ff.Grammar, tokens: int, seed: int) -> str:
        start = grammar.matcher(max_tokens=tokens)
        return text(model.generate(**options, custom_generate=GrammarGenerate(start), max_new_tokens=tokens + 1))

    def sampled(grammar: ff.Grammar, tokens: int, seed: int) -> str:
        torch.manual_seed(seed)
        processor = GrammarLogitsProcessor(grammar.matcher(max_tokens=tokens))
        return text(model.generate(**options, logits_processor=[processor], do_sample=True, max_new_tokens=tokens + 1))

    def program(one: lm.Model, temperature: float) -> Callable[[ff.Grammar, int, int], str]:
        def written(grammar: ff.Grammar, tokens: int, seed: int) -> str:
            hole = lm.gen("x", grammar, max_tokens=tokens, temperature=temperature)
            return str((one.state(PROMPT, seed=seed) + hole)["x"])

        return written

    return {
        "transformers, forced tokens, greedy": forced,
        "transformers, masks, sampled": sampled,
        "ffgrammar.lm, transformers, sampled": program(lm.Model.from_transformers(model, hf_tokenizer), 1.0),
        "ffgrammar.lm, llama.cpp, greedy": program(lm.Model.from_llama_cpp(llama, tok), 0.0),
    }


def compare(
    schemas: Iterator[Any], tok: ff.Tokenizer, made: Ways, tell: Callable[[str], None] = print
) -> dict[str, Counter[str]]:
    """Write each schema in all ways, once with a number of tokens that leaves a choice, and once with the fewest."""
    found: dict[str, Counter[str]] = {}
    left_out: Counter[str] = Counter()
    for number, schema in enumerate(schemas):
        try:
            grammar = ff.compile_json_schema(schema, tok, whitespace="compact")
            least = grammar.min_tokens().tokens
        except (ff.FFGrammarError, RecursionError) as error:
            left_out[type(error).__name__] += 1
            continue
        if least > MOST_TOKENS:
            left_out["too long"] += 1
            continue
        for name, way in made.items():
            for tokens, kind in ((max(least, TOKENS), "ample"), (least, "fewest")):
                text = way(grammar, tokens, number)
                verdict = judge(schema, text)
                found.setdefault(f"{name}, {kind}", Counter())[verdict] += 1
                if verdict == "invalid":
                    tell(f"schema {number}, {name}, {tokens} tokens: {text!r} is invalid: {json.dumps(schema)[:400]}")
        if number % 10 == 9:
            tell(f"{number + 1} schemas")
    found["left out"] = left_out
    return found


def main() -> None:
    import os

    from transformers import AutoTokenizer

    from models.loading import gguf_file, load_llama, load_model

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    path = gguf_file()
    tok = ff.Tokenizer.from_file(path)
    hf_tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    shared = Path(os.environ.get("FFGRAMMAR_SHARED", "../shared"))
    with tempfile.TemporaryDirectory() as folder:
        made = ways(load_model(path), hf_tokenizer, load_llama(path, Path(folder)), tok)
        counts = compare(
            dev_schemas(shared, parser.parse_args().count), tok, made, lambda line: print(line, flush=True)
        )
    for name, verdicts in counts.items():
        print(name, dict(verdicts))


if __name__ == "__main__":
    main()
