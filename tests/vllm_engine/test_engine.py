"""Requests of all kinds in a real engine, with forced tokens as drafts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import vllm

from vllm_engine.model import SETTINGS, model_folder

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "servers" / "vllm_requests.py"
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "maximum": 99}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
TAG = {"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f>"]}
PROMPT = [{"role": "user", "content": "Tell me about Anna, who is 30."}]
REQUESTS: dict[str, dict[str, Any]] = {
    "json": {"json": PERSON},
    "json text": {"json": json.dumps(PERSON)},
    "json_object": {"json_object": True},
    "regex": {"regex": r"\d{3}-\d{4}"},
    "choice": {"choice": ["yes", "no"]},
    "lark": {"grammar": 'start: "SELECT " NAME\nNAME: /[a-z]{1,9}/'},
    "ebnf": {"grammar": 'root ::= "a" [^a] "b"'},
    "gbnf": {"grammar": 'root ::= "a" . "b"'},
    "tag": {"structural_tag": json.dumps(TAG)},
}
MATCHES = {
    "regex": r"\d{3}-\d{4}",
    "choice": "yes|no",
    "lark": "SELECT [a-z]{1,9}",
    "ebnf": "a[^a]b",
    "gbnf": "a.b",
}


def _params(asked: dict[str, Any] | None, **options: Any) -> Any:
    from vllm.sampling_params import StructuredOutputsParams

    constraint = None if asked is None else StructuredOutputsParams(**asked)
    return vllm.SamplingParams(**{"temperature": 0, "max_tokens": 48, **options}, structured_outputs=constraint)


@pytest.mark.parametrize("temperature", [0, 1])
def test_all_kinds_at_once(llm: Any, temperature: float) -> None:
    params = [_params(asked, temperature=temperature, seed=3) for asked in [*REQUESTS.values(), None]]
    outputs = llm.chat([PROMPT] * len(params), params, use_tqdm=False)
    texts = dict(zip([*REQUESTS, "plain"], [one.outputs[0].text for one in outputs], strict=True))
    for name in ("json", "json text"):
        jsonschema.validate(json.loads(texts[name]), PERSON)
    assert texts["json_object"].lstrip().startswith("{")
    for name, pattern in MATCHES.items():
        assert re.fullmatch(pattern, texts[name]), (name, texts[name])
    assert "<f>" not in texts["tag"] or re.search(r"<f>-?\d*(</f>)?", texts["tag"])


def test_requests_that_are_refused_leave_the_engine_as_it_is(llm: Any) -> None:
    from vllm.exceptions import VLLMValidationError

    for wrong in ({"json": '{"type": "objec"}'}, {"regex": "("}, {"grammar": "root ::= x"}, {"structural_tag": "{}"}):
        with pytest.raises(VLLMValidationError, match="cannot be used"):
            llm.generate("a", _params(wrong), use_tqdm=False)
    (output,) = llm.chat(PROMPT, _params({"choice": ["yes", "no"]}), use_tqdm=False)
    assert output.outputs[0].text in ("yes", "no")


def test_stop_tokens_come_at_the_end(llm: Any) -> None:
    stops = [llm.get_tokenizer().encode(letter)[0] for letter in "aeiou!"]
    params = _params({"regex": "[a-z]{3}"}, stop_token_ids=stops, temperature=1, n=4, seed=1)
    (output,) = llm.chat(PROMPT, params, use_tqdm=False)
    for answer in output.outputs:
        assert answer.stop_reason in [None, *stops]
        assert re.fullmatch("[a-z]{3}", answer.text)


def test_reasoning_and_then_the_answer(llm: Any) -> None:
    """Reasoning is the first sentence here. It is free, and the answer after it is constrained."""
    prompt = "Reason in one sentence, and then answer yes or no:"
    (output,) = llm.generate(prompt, _params({"choice": ["yes", "no"]}, max_tokens=200), use_tqdm=False)
    sentence, answer = output.outputs[0].text.split(".")
    assert len(sentence) > 3 and answer in ("yes", "no")


def test_metrics_come_from_the_engines_process(llm: Any) -> None:
    llm.chat(PROMPT, _params({"json": {**PERSON, "title": "anew"}}), use_tqdm=False)
    found = {metric.name: metric for metric in llm.get_metrics() if "ffgrammar" in metric.name}
    assert found["vllm:ffgrammar_compile_seconds"].count > 0
    assert found["vllm:ffgrammar_mask_seconds"].count > 0
    assert 0 < found["vllm:ffgrammar_forced_tokens_accepted"].value <= found["vllm:ffgrammar_forced_tokens"].value


def test_most_of_a_text_is_forced(llm: Any) -> None:
    names = {f"a_rather_long_name_{number}": {"enum": [number]} for number in range(3)}
    schema = {"type": "object", "properties": names, "required": list(names), "additionalProperties": False}
    before = {m.name: getattr(m, "value", 0) for m in llm.get_metrics()}["vllm:ffgrammar_forced_tokens_accepted"]
    (output,) = llm.chat(PROMPT, _params({"json": schema}, max_tokens=90), use_tqdm=False)
    after = {m.name: getattr(m, "value", 0) for m in llm.get_metrics()}["vllm:ffgrammar_forced_tokens_accepted"]
    assert json.loads(output.outputs[0].text) == {name: value["enum"][0] for name, value in names.items()}
    assert after > before


def test_the_example_runs(tmp_path: Path) -> None:
    command = [sys.executable, EXAMPLE, str(model_folder())]
    env = {**os.environ, **SETTINGS}
    found = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    person, date, choice, query, counted = found.stdout.strip().splitlines()[-5:]
    jsonschema.validate(json.loads(person), {**PERSON, "properties": {}, "additionalProperties": True})
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", date)
    assert choice in ("yes", "no")
    assert re.fullmatch("SELECT [a-z]{1,9} FROM [a-z]{1,9}", query)
    assert re.fullmatch(r"[1-9]\d* tokens were forced", counted)
