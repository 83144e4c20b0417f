"""Template strings, in the Python 3.14 of Pyodide. `make template-strings` fetches it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PYODIDE = Path(os.environ.get("FFGRAMMAR_PYODIDE", HERE.parent / "build/pyodide/node_modules/pyodide"))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node, which runs Pyodide")
@pytest.mark.skipif(not PYODIDE.exists(), reason="there is no Pyodide: make template-strings fetches it")
def test_template_strings_in_pyodide() -> None:
    script, file = HERE / "pyodide/run.mjs", HERE / "pyodide/template_strings.py"
    done = subprocess.run(
        ["node", str(script), str(PYODIDE), str(HERE.parent), str(file)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "template strings, Python 3.1" in done.stdout
