"""Generation beside other packages: python -m models.peers.compare, in tests/. Writes a table in Markdown.

Each package runs in a process of its own, with SmolLM2 on one thread, greedy search and the same tasks. guidance needs
another Python, with its own version of transformers: --guidance PYTHON.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

NAMES = ["ffgrammar", "ffgrammar_forced", "ffgrammar_lm", "xgrammar", "outlines", "guidance"]
NEW = 80
REPEATS = 5
STEPS = 20


def user_lines(name: str, function: str) -> int | str:
    """The lines of a function below its head; none if there is no such function."""
    source = Path(__file__).with_name(f"with_{name}.py").read_text(encoding="utf-8")
    for one in ast.parse(source).body:
        if isinstance(one, ast.FunctionDef) and one.name == function:
            return (one.end_lineno or 0) - one.body[0].lineno + 1
    return ""


class Meter:
    """Counts the passes of a model, and the seconds since the last look.

    Attributes:
        passes: how many there were.
    """

    def __init__(self, model: Any) -> None:
        self.passes = 0
        self._start = perf_counter()
        model.register_forward_hook(self._count)

    def _count(self, *_: Any) -> None:
        self.passes += 1

    def taken(self) -> dict[str, Any]:
        """Passes and seconds since the last look."""
        found = {"passes": self.passes, "seconds": perf_counter() - self._start}
        self.passes, self._start = 0, perf_counter()
        return found


def measure(name: str) -> dict[str, Any]:
    """One package's figures."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    from models.loading import gguf_file, load_model

    path = gguf_file()
    model = load_model(path)
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    module = importlib.import_module(f"models.peers.with_{name}")
    # (a run of the model, so that what it keeps is not counted)
    model(**tokenizer("One, two, three", return_tensors="pt"))
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forgets the peak so far
    meter = Meter(model)
    found: dict[str, Any] = {}
    if hasattr(module, "compiler"):
        found |= compile_times(module, model, tokenizer)
        meter.taken()
    tell(found, "schemas: ", write_schemas(module, model, tokenizer), meter)
    if hasattr(module, "write"):
        tell(found, "programs: ", write_programs(module, model, tokenizer), meter)
    if hasattr(module, "compiler"):
        found |= processor_times(module, model, tokenizer)
    return found | {"MB more": (memory("VmRSS") - before) / 1e6, "MB more, peak": (memory("VmHWM") - before) / 1e6}


def tell(found: dict[str, Any], prefix: str, more: dict[str, int], meter: Meter) -> None:
    found |= {prefix + key: value for key, value in {**more, **meter.taken()}.items()}


def memory(kind: str) -> int:
    """Bytes of memory that this process has, or had at most."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split(f"{kind}:")[1].split()[0]) * 1024


def attempt(name: str, task: Callable[[], str], count: dict[str, int]) -> None:
    """Do a task, and count what comes of it."""
    try:
        count[task()] += 1
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        count["errors"] += 1


def write_schemas(module: Any, model: Any, tokenizer: Any) -> dict[str, int]:
    from models.schemas import PROMPTS, SCHEMAS

    count = {"valid": 0, "cut off": 0, "invalid": 0, "errors": 0}
    options = {"max_new_tokens": NEW, "do_sample": False, "pad_token_id": 2}
    for schema, prompt in zip(SCHEMAS, PROMPTS, strict=True):

        def task(schema: Any = schema, prompt: str = prompt) -> str:
            inputs = tokenizer(prompt, return_tensors="pt")
            out = module.generate(model, tokenizer, schema, inputs, options)
            if not isinstance(out, str):
                out = tokenizer.decode(out[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
            return judged(schema, out)

        attempt(module.__name__, task, count)
    return count


def write_programs(module: Any, model: Any, tokenizer: Any) -> dict[str, int]:
    from models.peers.programs import PROGRAMS, is_right

    count = {"right": 0, "wrong": 0, "errors": 0}
    for program in PROGRAMS:

        def task(program: Any = program) -> str:
            values, text = module.write(model, tokenizer, program)
            return "right" if is_right(program, values, text) else "wrong"

        attempt(module.__name__, task, count)
    return count


def judged(schema: Any, text: str) -> str:
    import jsonschema

    try:
        value = json.loads(text)
    except ValueError:
        return "cut off"
    return "valid" if jsonschema.Draft202012Validator(schema).is_valid(value) else "invalid"


def compile_times(module: Any, model: Any, tokenizer: Any) -> dict[str, Any]:
    """Times of reading the tokenizer and of compiling. This comes first, so that nothing is known before."""
    from models.schemas import SCHEMAS

    start = perf_counter()
    compiler = module.compiler(model, tokenizer)
    found = {"ms, reading the tokenizer": (perf_counter() - start) * 1e3}
    taken = []
    for schema in SCHEMAS:
        start = perf_counter()
        compiler(schema)
        taken.append((perf_counter() - start) * 1e3)
    return found | {"ms, compiling a schema, mean": sum(taken) / len(taken), "ms, longest": max(taken)}


def processor_times(module: Any, model: Any, tokenizer: Any) -> dict[str, Any]:
    """Times of a processor's calls."""
    from models.schemas import SCHEMAS

    compiler = module.compiler(model, tokenizer)
    found: dict[str, Any] = {}
    rows = {"1 row": SCHEMAS[:1], "16 rows, one schema": SCHEMAS[:1] * 16, "16 rows, 16 schemas": SCHEMAS}
    for name, schemas in rows.items():
        kinds = {json.dumps(schema): compiler(schema) for schema in schemas}
        compiled = [kinds[json.dumps(schema)] for schema in schemas]
        try:
            first, later = call_times(lambda compiled=compiled: module.processor(compiled), model, tokenizer, compiled)
        except Exception as error:
            print(f"{module.__name__}, {name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            continue
        found |= {f"us, first call, {name}": first * 1e6, f"us, a call, {name}": later * 1e6}
    return found


def call_times(make: Callable[[], Any], model: Any, tokenizer: Any, compiled: list[Any]) -> tuple[float, float]:
    """Seconds of the first call of a processor, and of one of the calls after it: medians of some texts."""
    import torch

    prompt = tokenizer("The answer is ")["input_ids"]
    firsts, later = [], []
    for _ in range(REPEATS):
        processor = make()
        ids = torch.tensor([prompt] * len(compiled))
        scores = torch.randn(1, model.config.vocab_size, generator=torch.Generator().manual_seed(1))
        taken = []
        for _ in range(STEPS):
            given = scores.repeat(len(compiled), 1)
            start = perf_counter()
            found = processor(ids, given)
            taken.append(perf_counter() - start)
            tokens = found.argmax(dim=1, keepdim=True)
            if (tokens == tokenizer.eos_token_id).all():
                break
            ids = torch.cat([ids, tokens], dim=1)
        firsts.append(taken[0])
        later += taken[1:]
    return median(firsts), median(later)


def shown(value: Any) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        with contextlib.redirect_stdout(sys.stderr):
            found = measure(sys.argv[2])
        print(json.dumps(found))
        return
    pythons = {"guidance": sys.argv[2]} if sys.argv[1:2] == ["--guidance"] else {}
    table = {}
    for name in NAMES:
        command = [pythons.get(name, sys.executable), "-m", "models.peers.compare", "--one", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        lines = {f"lines, {one}": user_lines(name, function) for one, function in FUNCTIONS.items()}
        table[name] = lines | json.loads(done.stdout.splitlines()[-1])
    print("| | " + " | ".join(NAMES) + " |")
    print("|---|" + "---|" * len(NAMES))
    for key in dict.fromkeys(key for one in table.values() for key in one):
        print(f"| {key} | " + " | ".join(shown(table[name].get(key, "")) for name in NAMES) + " |")


FUNCTIONS = {"a schema": "generate", "a program": "write"}


if __name__ == "__main__":
    main()
