"""Generation beside other packages: python -m models.peers.compare, in tests/. Writes a table in Markdown.

Each package runs in a process of its own, with SmolLM2 on one thread, greedy search and the same schemas and prompts.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

NAMES = ["ffgrammar", "ffgrammar_forced", "xgrammar", "outlines", "guidance"]
NEW = 80
REPEATS = 3


def user_lines(name: str) -> int:
    """The lines of `generate` below its head."""
    source = Path(__file__).with_name(f"with_{name}.py").read_text(encoding="utf-8")
    (found,) = (one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef) and one.name == "generate")
    return (found.end_lineno or 0) - found.body[0].lineno + 1


def measure(name: str) -> dict[str, Any]:
    """One package's figures."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    from models.loading import gguf_file, load_model
    from models.schemas import PROMPTS, SCHEMAS

    path = gguf_file()
    model = load_model(path)
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    module = importlib.import_module(f"models.peers.with_{name}")
    before = resident()
    passes = 0

    def count(*_: Any) -> None:
        nonlocal passes
        passes += 1

    model.register_forward_hook(count)
    options = {"max_new_tokens": NEW, "do_sample": False, "pad_token_id": 2}
    found: dict[str, Any] = {"valid": 0, "cut off": 0, "invalid": 0, "failed": 0, "tokens": 0}
    start = perf_counter()
    for schema, prompt in zip(SCHEMAS, PROMPTS, strict=True):
        inputs = tokenizer(prompt, return_tensors="pt")
        try:
            out = module.generate(model, tokenizer, schema, inputs, options)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            found["failed"] += 1
            continue
        if not isinstance(out, str):
            out = tokenizer.decode(out[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        found["tokens"] += len(tokenizer(out)["input_ids"])
        found[judged(schema, out)] += 1
    found |= {"seconds": perf_counter() - start, "passes": passes}
    for rows in (1, 16):
        if hasattr(module, "processor"):
            # (the schema with the longest text)
            processor = module.processor(model, tokenizer, SCHEMAS[0], rows)
            found[f"call {rows}"] = call_time(module, model, tokenizer, SCHEMAS[0], processor, rows)
    found["MB"] = (resident() - before) / 1e6
    return found


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def judged(schema: Any, text: str) -> str:
    import jsonschema

    try:
        value = json.loads(text)
    except ValueError:
        return "cut off"
    return "valid" if jsonschema.Draft202012Validator(schema).is_valid(value) else "invalid"


def call_time(module: Any, model: Any, tokenizer: Any, schema: Any, processor: Any, rows: int) -> float:
    """Microseconds of one call of a processor, the first call of each text left out; the least of some texts."""
    import torch

    prompt = tokenizer("The answer is ")["input_ids"]
    best = float("inf")
    for _ in range(REPEATS):
        processor = module.processor(model, tokenizer, schema, rows)
        ids = torch.tensor([prompt] * rows)
        scores = torch.randn(rows, model.config.vocab_size, generator=torch.Generator().manual_seed(1))
        times = []
        for _ in range(20):
            given = scores.clone()
            start = perf_counter()
            found = processor(ids, given)
            times.append(perf_counter() - start)
            token = found.argmax(dim=1, keepdim=True)[:1].expand(rows, 1)
            if int(token[0]) == tokenizer.eos_token_id:
                break
            ids = torch.cat([ids, token], dim=1)
        best = min(best, sum(times[1:]) / len(times[1:]))
    return best * 1e6


def main() -> None:
    if len(sys.argv) > 1:
        with contextlib.redirect_stdout(sys.stderr):
            found = measure(sys.argv[1])
        print(json.dumps(found))
        return
    table = {}
    for name in NAMES:
        done = subprocess.run([sys.executable, "-m", "models.peers.compare", name], stdout=subprocess.PIPE, check=True)
        table[name] = json.loads(done.stdout.splitlines()[-1]) | {"lines": user_lines(name)}
    print("| | " + " | ".join(NAMES) + " |")
    print("|---|" + "---|" * len(NAMES))
    for key in table[NAMES[0]]:
        cells = (table[name].get(key, "") for name in NAMES)
        print(f"| {key} | " + " | ".join(f"{one:,.1f}" if isinstance(one, float) else str(one) for one in cells) + " |")


if __name__ == "__main__":
    main()
