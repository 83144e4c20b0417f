"""The first program of each adapter's page runs, where its library runs on a CPU."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from servers.folders import model_folder, onnx_folder

from adapter_pages import first_program

PERSON = r'\{"name": "[^"]{0,12}", "age": \d{1,3}\}'
PROGRAMS: dict[str, tuple[Callable[[], Path], str]] = {
    "genlm": (model_folder, r"(?s:.*)20\d\d-\d\d(?s:.*)"),
    "mlx-lm": (model_folder, PERSON),
    "onnxruntime-genai": (onnx_folder, PERSON + r"(<\|im_end\|>|<\|endoftext\|>)?"),
    "outlines": (model_folder, PERSON),
}


@pytest.mark.parametrize("page", PROGRAMS)
def test_it_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder, shown = PROGRAMS[page]
    exec(compile(first_program(page).replace('"MODEL', f'"{folder()}'), f"{page}.md", "exec"), {})
    printed = capsys.readouterr().out.strip()
    assert re.fullmatch(shown, printed), printed
    if printed.startswith('{"name"'):
        assert json.loads(printed.partition("<|")[0]).keys() == {"name", "age"}
