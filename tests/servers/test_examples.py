"""The programs in examples/servers/ run, and each prints what it is expected to print."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path

import pytest
from servers.exllamav3_package import exllamav3_filters
from servers.folders import model_folder, onnx_folder

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "servers"
PERSON = r'\{"name": "[^"]{0,12}", "age": \d{1,3}\}\n'
# What a program is called with, and what it prints, as a regular expression.
SHOWN = {
    "exllamav3_filter.py": (None, r'(red|green|blue)"\n'),
    "genlm_potentials.py": ("gguf", r"(20\d\d-\d\d [01]\.\d\d\n)+b'e'\n"),
    "mlx_json.py": (model_folder, PERSON),
    "onnxruntime_json.py": (onnx_folder, PERSON),
    "outlines_json.py": ("gguf", f"({PERSON}){{3}}"),
    "sglang_request.py": (None, r'\s?"(red|green|blue)"\s?\n[a-z]{3,5}!\n'),
    "tensorrt_llm_processor.py": (None, r'("(red|green|blue)"\n){2}'),
}


def test_all_are_here() -> None:
    # (vLLM needs other packages: its example is one of the tests in tests/vllm_engine)
    names = {*SHOWN, "vllm_requests.py"}
    assert names == {path.name for path in FOLDER.glob("*.py")}
    page = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"examples/servers/(\w+\.\w+)` \|", page)) == names


@pytest.mark.parametrize("name", SHOWN)
def test_it_runs(
    name: str, gguf_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given, shown = SHOWN[name]
    argument = gguf_path if given == "gguf" else given() if callable(given) else None
    monkeypatch.setattr(sys, "argv", [name, *([str(argument)] if argument else [])])
    exllamav3_filters()
    runpy.run_path(str(FOLDER / name), run_name="__main__")
    printed = capsys.readouterr().out
    assert re.fullmatch(shown, printed), printed
    for line in printed.splitlines():
        if line.startswith("{"):
            assert json.loads(line).keys() == {"name", "age"}
