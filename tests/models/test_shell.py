"""The commands that need a model, with a real one in llama.cpp."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cli_package import CLI
from models.tiny import tiny_model

run = import_module(f"{CLI}.main").run

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"enum": ["France", "Spain"]}},
    "required": ["city", "country"],
    "additionalProperties": False,
}


@pytest.fixture
def written(llama: Any, gguf_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs a command with the model; returns what it writes."""
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA), encoding="utf-8")

    def written(command: str, *arguments: str) -> str:
        first = [command, str(schema)] if command == "generate" else [command]
        assert run([*first, "--model", str(gguf_path), *arguments]) == 0
        return capfd.readouterr().out

    return written


def test_generate(written: Any) -> None:
    prompt = ["--prompt", "The capital of Spain as JSON: ", "--max-tokens", "30"]
    found = [json.loads(line) for line in written("generate", *prompt, "-n", "3", "--seed", "4", "--json").splitlines()]
    assert len(found) == 3
    for one in found:
        value = json.loads(one["text"])
        assert set(value) == {"city", "country"} and value["country"] in ("France", "Spain")
        assert 0 < one["calls"]
    second = written("generate", *prompt, "--seed", "5")
    assert second == found[1]["text"] + "\n"
    assert written("generate", *prompt, "--seed", "5", "--stream") == second


def test_score(written: Any) -> None:
    lines = written("score", " Paris", " London", "--prompt", "The capital of France is").splitlines()
    assert [line.split("\t")[1] for line in lines] == ['" Paris"', '" London"']
    assert sum(float(line.split("\t")[0]) for line in lines) == pytest.approx(1)
    both = json.loads(written("score", "aris", "rague", "--prompt", "The capital of France is P", "--json"))
    assert [one["text"] for one in both["options"]] == ["aris", "rague"]


def test_trace_and_objects(written: Any) -> None:
    prompt = ["--prompt", "The capital of Spain as JSON: ", "--max-tokens", "30", "--seed", "5"]
    text = written("generate", *prompt)
    lines = [line.split("\t") for line in written("generate", *prompt, "--trace").splitlines()]
    assert {line[0] for line in lines} == {"prompt", "forced", "chosen"}
    assert all(len(line) == (2 if line[0] != "chosen" else len(line)) for line in lines)
    *tokens, last = [json.loads(line) for line in written("generate", *prompt, "--ndjson").splitlines()]
    assert last["text"] + "\n" == text and len(tokens) == len(lines)
    spelled = "".join(one.get("text", "") for one in tokens)
    assert last["text"] in spelled
    assert all(one["number"] == 0 for one in (*tokens, last))


def test_partial_values(written: Any) -> None:
    prompt = ["--prompt", "The capital of Spain as JSON: ", "--max-tokens", "30", "--seed", "5"]
    text = written("generate", *prompt)
    *changes, last = [json.loads(line) for line in written("generate", *prompt, "--stream", "--ndjson").splitlines()]
    assert last["text"] + "\n" == text and last["value"] == json.loads(text) and last["calls"] > 0
    assert [one["event"] for one in changes] == ["opened", *["grew"] * (len(changes) - 2), "closed"]
    for one, more in pairwise(changes):
        assert one["number"] == 0 and more["text"].startswith(one["text"])
    cities = [one["value"]["city"] for one in changes if one["value"] and "city" in one["value"]]
    assert all(last["value"]["city"].startswith(city) for city in cities) and cities


def test_select(written: Any) -> None:
    prompt = ["--prompt", "The capital of France is"]
    assert written("select", " Paris", " London", *prompt, "--temperature", "0") == " Paris\n"
    found = json.loads(written("select", " Paris", " London", *prompt, "--then", ".", "--json"))
    assert found["text"] in (" Paris", " London") and sum(found["probabilities"].values()) == pytest.approx(1)


def test_a_model_by_its_name(hf_tokenizer: Any, tmp_path: Path) -> None:
    """As transformers keeps what it has fetched."""
    commit = "0" * 40
    kept = tmp_path / "models--someone--tiny"
    folder = kept / "snapshots" / commit
    tiny_model("llama", len(hf_tokenizer)).save_pretrained(folder)
    hf_tokenizer.save_pretrained(folder)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(commit, encoding="utf-8")

    def generated(name: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ffgrammar", "generate", "-", "--type", "regex", "--model", name]
        env = {**os.environ, "HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1"}
        return subprocess.run(command, input="[ab]{3}", capture_output=True, text=True, env=env, timeout=300)

    assert re.fullmatch("[ab]{3}\n", generated("someone/tiny").stdout)
    missing = generated("someone/else")
    assert missing.returncode == 2 and "--model someone/else" in missing.stderr
    wrong = generated("model.ggfu")
    assert wrong.returncode == 2 and "no such file or folder" in wrong.stderr
