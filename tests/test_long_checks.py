"""The long checks of tests/long_checks, each on little data: they run, they find nothing wrong, and they say so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.trained import make

PROGRAM = Path(__file__).parent / "long_checks"
# Arguments, and a line of the output.
SHORT = {
    "masks": (["1"], "along 1 documents against brute force: 0 differ"),
    "canonical": (["--schemas", "2", "--encoding", "cl100k_base"], "canonical tokens that were not allowed: 0"),
    "canonicality": (["--chunks", "1", "--encoding", "cl100k_base"], "wrong verdicts: 0"),
    "forced": (["--schemas", "2", "--encoding", "cl100k_base"], "cl100k_base, compact, 2 schemas: "),
    "budgets": (["--schemas", "10"], "schemas (0 refused): 0 did not end in time"),
    "grammars": (["--count", "3", "--first", "1000"], "differences: 0"),
    "compositions": (["--groups", "2", "--tools", "10"], "tokens that the composition does not allow: 0"),
    "hostile": (["--only", "8 ", "--mutations", "10"], "wrong ends: 0"),
    "costs": (["--only", "contains of lowest", "--public"], "wrong ends: 0"),
    "interruptions": (["--count", "40"], "wrong walks: 0"),
    "python": (["--mutations", "20", "--max-bytes", "2000"], "unknown disagreements: 0"),
    "library": (
        ["--only", "toml", "--folder", str(PROGRAM), "--files", "5", "--mutations", "5", "--sentences", "5"],
        "wrong verdicts: 0",
    ),
    "coverings": (["--runs", "1"], "tokens of the plain method that are not among ours: 0"),
    "gbnf": (["--texts", "1", "--random", "3"], "0 verdicts differ from the definition"),
    "traffic": (["--requests", "60", "--schemas", "30", "--engine", "ffgrammar"], "| ended | True |"),
    "faults": (["--megabytes", "1"], "wrong: 0"),
    "kills": (["--megabytes", "1", "--seconds", "1", "--kills", "2"], "wrong: 0"),
    "memory": (["--gigabytes", "0.01"], "files with which memory grew: 0"),
    "encoder": (["--megabytes", "0.1", "--encoding", "cl100k_base"], "0 differences; "),
}


def _run(shared_dir: Path, *arguments: str) -> str:
    env = {**os.environ, "FFGRAMMAR_SHARED": str(shared_dir)}
    command = [sys.executable, str(PROGRAM), *arguments]
    found = subprocess.run(command, env=env, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.mark.parametrize("name", SHORT)
def test_a_short_run(name: str, shared_dir: Path) -> None:
    if name == "memory" and "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("a sanitizer keeps what is given back")
    arguments, line = SHORT[name]
    assert line in _run(shared_dir, name, *arguments)


def test_tokenizers_of_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "one").mkdir()
    make("qwen")[0].save(str(tmp_path / "one" / "tokenizer.json"))
    found = _run(tmp_path, "tokenizers", str(tmp_path), "--megabytes", "0.05")
    assert "| yes, in NFC | 0." in found and "1 tokenizers, 0 of them with differences" in found


def test_rules_of_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "qwen3").mkdir()
    tokenizer = make("qwen")[0]
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.save(str(tmp_path / "qwen3" / "tokenizer.json"))
    found = _run(tmp_path, "rules", str(tmp_path), "--times", "1", "--family", "Qwen")
    assert "\n| Qwen | " in found and "wrong" not in found and "0 families with differences" in found


@pytest.mark.timing
def test_a_short_soak(shared_dir: Path) -> None:
    """The whole one is `python tests/long_checks soak`: ten million tokens over all schemas."""
    found = _run(shared_dir, "soak", "100000", "--schemas", "30", "--bound", "5")
    assert "after the first tenth it grew by" in found


def test_all_have_a_short_run_here() -> None:
    named = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True).stderr
    assert {*named.split()[3].split("|")} == {*SHORT, "latencies", "play", "rules", "soak", "tokenizers"}
