"""vLLM with ffgrammar and with its other backends: python -m vllm_engine.compare, in tests/ (`make bench-vllm`).

steps        forward steps for the same answers, with forced tokens as drafts and without, and with other backends
records      the same for records with fields of few values and short texts
first-token  time to the first token of a grammar that is seen for the first time
cold         processor time from such a grammar's text to its first mask, without a model
dev          many requests of MaskBench's development set, 32 at a time: how many answers are invalid
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from models.dev_schemas import judge
from vllm_engine.run import FORCED_ONLY, Plan

PEERS = ("xgrammar", "guidance")
NGRAM = {"method": "ngram", "num_speculative_tokens": 8, "prompt_lookup_max": 4, "prompt_lookup_min": 2}

Answers = dict[str, dict[str, Any]]


def dev_requests(count: int) -> list[tuple[str, Any]]:
    """Schemas of the development set with their names, spread over all of it."""
    path = Path(os.environ.get("FFGRAMMAR_SHARED", "../../shared")) / "maskbench" / "dev.jsonl.gz"
    if not path.exists():
        sys.exit(f"{path} is not there: set FFGRAMMAR_SHARED to the folder that has maskbench/dev.jsonl.gz")
    lines = gzip.open(path, "rt", encoding="utf-8").readlines()
    chosen = [json.loads(lines[number * len(lines) // count]) for number in range(min(count, len(lines)))]
    return [(one["id"], one["schema"]) for one in chosen]


def run(plan: Plan) -> Answers:
    """The answers of one engine, in a process of its own. A process that goes on for an hour counts as hung."""
    with _started(plan) as process:
        out, _ = process.communicate(timeout=3600)
    return {one.get("name", ""): one for one in map(_answer, out.splitlines()) if one is not None}


@contextmanager
def _started(plan: Plan) -> Iterator[subprocess.Popen[str]]:
    """The process of one engine, which has to end well."""
    with (
        tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file,
        tempfile.TemporaryFile("w+") as log,
    ):
        json.dump(asdict(plan), file)
        file.flush()
        command = [sys.executable, "-m", "vllm_engine.run", file.name]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, text=True, bufsize=1) as process:
            yield process
        if process.returncode:
            log.seek(0)
            print(log.read()[-3000:], file=sys.stderr)
            sys.exit(f"an engine with the backend {plan.backend} failed")


def _answer(line: str) -> dict[str, Any] | None:
    """What a line of an engine's output says, if it is about a request."""
    return json.loads(line) if line.startswith('{"') else None


def run_in_turns(plans: dict[str, Plan]) -> dict[str, Answers]:
    """The answers of several engines. They take turns, request by request, and another one begins each time."""
    found: dict[str, Answers] = {way: {} for way in plans}
    with ExitStack() as stack:
        processes = {way: stack.enter_context(_started(plan)) for way, plan in plans.items()}
        names = [name for name, _ in next(iter(plans.values())).requests]
        order = list(plans)
        for name in names:
            order.append(order.pop(0))
            for way in order:
                for one in (f"plain {name}", name):
                    found[way][one] = _ask(processes[way], one)
        for process in processes.values():
            process.communicate()
    return found


def _ask(process: subprocess.Popen[str], name: str) -> dict[str, Any]:
    """Let an engine take its next request, and wait for its answer."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    for line in process.stdout:
        one = _answer(line)
        if one is not None and one.get("name") == name:
            return one
    raise ValueError(f"an engine has ended before {name}")


def _record(name: str, *fields: tuple[str, Any]) -> tuple[str, Any]:
    schema = {"type": "object", "properties": dict(fields), "required": [name for name, _ in fields]}
    return name, {**schema, "additionalProperties": False}


# What tools are called with and what is read out of texts: named fields of few values, and short texts.
_TEXT, _FLAG, _COUNT = {"type": "string", "maxLength": 12}, {"type": "boolean"}, {"type": "integer", "maximum": 999}
RECORDS = [
    _record("order", ("order_number", _COUNT), ("is_express_delivery", _FLAG), ("customer_name", _TEXT)),
    _record(
        "weather", ("location", _TEXT), ("temperature_unit", {"enum": ["celsius", "fahrenheit"]}), ("days", _COUNT)
    ),
    _record("person", ("first_name", _TEXT), ("last_name", _TEXT), ("age", _COUNT), ("is_member", _FLAG)),
    _record("review", ("product_name", _TEXT), ("sentiment", {"enum": ["positive", "negative"]}), ("rating", _COUNT)),
    _record("flight", ("departure_airport", _TEXT), ("arrival_airport", _TEXT), ("number_of_passengers", _COUNT)),
    _record("alert", ("severity_level", {"enum": ["low", "high"]}), ("service_name", _TEXT), ("acknowledged", _FLAG)),
]


def steps(requests: list[tuple[str, Any]], max_tokens: int, compact: bool) -> None:
    """Forward steps for JSON, over the requests that every backend takes. A table comes after each way."""
    ways = {"ffgrammar, no drafts": Plan(requests), "ffgrammar, forced tokens": Plan(requests, speculation=FORCED_ONLY)}
    ways |= {f"{peer}, no drafts": Plan(requests, backend=peer) for peer in PEERS}
    ways["ffgrammar, forced tokens and n-grams"] = Plan(requests, speculation=NGRAM)
    ways |= {f"{peer}, n-grams": Plan(requests, backend=peer, speculation=NGRAM) for peer in PEERS}
    found: dict[str, Answers] = {}
    for name, plan in ways.items():
        plan.compact, plan.max_tokens = compact, max_tokens
        found[name] = run(plan)
        _table(found, [one for one, _ in requests])


def _table(found: dict[str, Answers], requests: list[str]) -> None:
    shared = [name for name in requests if all("tokens" in answers.get(name, {}) for answers in found.values())]
    print(f"{len(shared)} of {len(requests)} requests are taken by all; for these:")
    plain = next(iter(found.values()))
    for way, answers in found.items():
        one = [answers[name] for name in shared]
        tokens, forward = sum(a["tokens"] for a in one), sum(a["steps"] for a in one)
        same = sum(a["text"] == plain[name]["text"] for name, a in zip(shared, one, strict=True))
        refused = sum("refused" in a for a in answers.values())
        print(f"{way:38}{forward:6} steps {tokens:6} tokens  {forward / tokens:.2f} steps a token", end="")
        print(f"  texts as in the first line {same}  refused {refused}  {answers.get('', '')}", flush=True)


def first_token(count: int) -> None:
    """Time from a request to its first token, one request at a time, beside requests without a grammar."""
    requests = dev_requests(count)
    settings: dict[str, Any] = {"concurrency": 1, "max_tokens": 1, "plain": True, "in_turns": True}
    found = run_in_turns({backend: Plan(requests, backend=backend, **settings) for backend in ("auto", *PEERS)})
    shared = [name for name, _ in requests if all("first" in found[way].get(name, {}) for way in found)]
    print(f"{len(shared)} of {len(requests)} requests are taken by all; milliseconds to the first token:")
    for measure, what in (("first", "as seen"), ("first_cpu", "of processor time")):
        for way, answers in found.items():
            plain = [answers[f"plain {name}"][measure] * 1e3 for name in shared]
            more = sorted(answers[name][measure] * 1e3 - base for name, base in zip(shared, plain, strict=True))
            label = "ffgrammar" if way == "auto" else way
            print(
                f"{what:18}{label:10} without a grammar p50 {statistics.median(plain):.1f}; more with one: "
                f"average {statistics.mean(more):.1f}, p50 {statistics.median(more):.1f}, "
                f"p90 {more[len(more) * 9 // 10]:.1f}, p99 {more[len(more) * 99 // 100]:.1f}, most {more[-1]:.1f}",
                flush=True,
            )


def cold(count: int) -> None:
    """Processor time from a grammar's text to its first mask, through vLLM's interface, in this process."""
    from vllm.tokenizers import get_tokenizer
    from vllm.v1.structured_output.backend_guidance import GuidanceBackend
    from vllm.v1.structured_output.backend_xgrammar import XgrammarBackend, has_xgrammar_unsupported_json_features

    from ffgrammar.integrations.vllm.backend import FFGrammarBackend
    from vllm_engine.model import model_folder

    tokenizer = get_tokenizer(str(model_folder()))
    config = SimpleNamespace(
        structured_outputs_config=SimpleNamespace(disable_any_whitespace=True, disable_additional_properties=False),
        model_config=SimpleNamespace(hf_config=SimpleNamespace(model_type="llama"), try_get_generation_config=dict),
        speculative_config=None,
    )
    classes = {"ffgrammar": FFGrammarBackend, "guidance": GuidanceBackend, "xgrammar": XgrammarBackend}
    backends = {name: made(config, tokenizer=tokenizer, vocab_size=len(tokenizer)) for name, made in classes.items()}
    for backend in backends.values():
        _first_mask(backend, {"type": "object", "properties": {"name": {"type": "string"}}})
    found: dict[str, dict[str, float]] = {name: {} for name in backends}
    requests = dev_requests(count)
    for name, schema in requests:
        for label, backend in backends.items():
            if label == "xgrammar" and has_xgrammar_unsupported_json_features(schema):
                continue  # (vLLM refuses such a request before it reaches the backend)
            seconds = _first_mask(backend, schema)
            if seconds is not None:
                found[label][name] = seconds * 1e3
    shared = set.intersection(*[set(times) for times in found.values()])
    print(f"{len(shared)} of {len(requests)} requests are taken by all; processor time to the first mask (ms):")
    for label, times in found.items():
        row = sorted(times[name] for name in shared)
        print(
            f"{label:10} average {statistics.mean(row):.2f}, p50 {statistics.median(row):.2f}, "
            f"p90 {row[len(row) * 9 // 10]:.2f}, most {row[-1]:.2f}"
        )


def _first_mask(backend: Any, schema: Any) -> float | None:
    """Seconds until a backend has the first mask of a schema; None if it refuses the schema."""
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions

    begin = time.process_time()
    try:
        grammar = backend.compile_grammar(StructuredOutputOptions.JSON, json.dumps(schema), {2})
        grammar.fill_bitmask(backend.allocate_token_bitmask(1), 0)
    except Exception:  # (each backend has errors of its own)
        return None
    spent = time.process_time() - begin
    # guidance does not raise
    has_failed = hasattr(grammar, "ll_matcher") and grammar.ll_matcher.get_error()
    return None if has_failed else spent


def dev(count: int, max_tokens: int) -> None:
    """Answers of the development set, 32 at a time, with forced tokens. Those that end are judged by jsonschema, and
    those that are cut off by a matcher."""
    import ffgrammar as ff
    from vllm_engine.model import model_folder

    requests = dev_requests(count)
    answers = run(Plan(requests, speculation=FORCED_ONLY, max_tokens=max_tokens, temperature=1.0))
    tok = ff.Tokenizer.from_huggingface(model_folder())
    verdicts: Counter[str] = Counter()
    for name, schema in requests:
        one = answers.get(name)
        if one is None:
            verdicts["hung"] += 1
        elif "refused" in one:
            verdicts["refused"] += 1
            print(f"refused: {name}: {one['refused']}")
        elif one["reason"] == "stop":
            verdicts[f"ended, {judge(schema, one['text'])}"] += 1
        else:
            data = one["text"].removesuffix("\ufffd").encode()
            fits = ff.compile_json_schema(schema, tok, whitespace=1).matcher().accept_bytes(data) == len(data)
            verdicts[f"{one['reason']}, {'a beginning of a valid text' if fits else 'invalid'}"] += 1
        if one and "invalid" in (judge(schema, one["text"]) if one.get("reason") == "stop" else ""):
            print(f"invalid: {name}: {one['text']!r}")
    print(dict(verdicts), answers.get("", {}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["steps", "records", "first-token", "cold", "dev"])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--spaced", action="store_true", help="steps, records: JSON may have white space")
    given = parser.parse_args()
    if given.what == "steps":
        steps(dev_requests(given.count), given.max_tokens, not given.spaced)
    elif given.what == "records":
        steps(RECORDS, given.max_tokens, not given.spaced)
    elif given.what == "first-token":
        first_token(given.count)
    elif given.what == "cold":
        cold(given.count)
    else:
        dev(given.count, given.max_tokens)


if __name__ == "__main__":
    main()
