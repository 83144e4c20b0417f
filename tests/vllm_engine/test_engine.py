"""Requests of all kinds in a real engine, with forced tokens as drafts."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest

vllm = pytest.importorskip("vllm")

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
    assert texts["json_object"].startswith("{")
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
    (stop,) = llm.get_tokenizer().encode("!")
    params = _params({"regex": "[a-z]{3,5}"}, stop_token_ids=[stop], logit_bias={stop: 100})
    (output,) = llm.chat(PROMPT, params, use_tqdm=False)
    assert output.outputs[0].stop_reason == stop
    assert re.fullmatch("[a-z]{3}", output.outputs[0].text)


def test_metrics_come_from_the_engines_process(llm: Any) -> None:
    llm.chat(PROMPT, _params({"json": {**PERSON, "title": "anew"}}), use_tqdm=False)
    found = {metric.name: metric for metric in llm.get_metrics() if "ffgrammar" in metric.name}
    assert found["vllm:ffgrammar_compile_seconds"].count > 0
    assert found["vllm:ffgrammar_mask_seconds"].count > 0
    assert 0 < found["vllm:ffgrammar_forced_tokens_accepted"].value <= found["vllm:ffgrammar_forced_tokens"].value


def test_forced_tokens_do_not_change_the_text(llm: Any) -> None:
    """The same request with a grammar that forces most of its text, beside one token by token (by a bias on nothing,
    vLLM's sampling is the same in both)."""
    names = {f"a_rather_long_name_{number}": {"enum": [number]} for number in range(3)}
    schema = {"type": "object", "properties": names, "required": list(names), "additionalProperties": False}
    before = {m.name: getattr(m, "value", 0) for m in llm.get_metrics()}["vllm:ffgrammar_forced_tokens_accepted"]
    (output,) = llm.chat(PROMPT, _params({"json": schema}, max_tokens=90), use_tqdm=False)
    after = {m.name: getattr(m, "value", 0) for m in llm.get_metrics()}["vllm:ffgrammar_forced_tokens_accepted"]
    assert json.loads(output.outputs[0].text) == {name: value["enum"][0] for name, value in names.items()}
    assert after > before
