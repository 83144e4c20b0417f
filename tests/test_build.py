"""Building and starting: what happens without a compiler, in a checkout that is not built, and under plain `make`."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ffgrammar

ROOT = Path(__file__).resolve().parent.parent


def _run(*command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env={**kept, **env}, capture_output=True, text=True, timeout=60)


@pytest.fixture
def unbuilt(tmp_path: Path) -> Path:
    """A folder with the part of the sources that Python finds first."""
    package = tmp_path / "ffgrammar"
    package.mkdir()
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(ROOT / "ffgrammar" / name, package)
    shutil.copy(ROOT / "setup.py", tmp_path)
    (package / "module.pyx").write_text("# never translated\n")
    return tmp_path


# ---- versions


def test_there_is_one_version(shell_env: dict[str, str]) -> None:
    source = (ROOT / "ffgrammar" / "__init__.py").read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE) == [ffgrammar.__version__]
    assert "\nversion =" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.")[0]
    try:
        installed = importlib.metadata.version("ffgrammar")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("runs from a checkout that is not installed")
    assert installed == ffgrammar.__version__


# ---- python -m ffgrammar


def test_the_package_runs_as_a_module(tmp_path: Path, cli_module: object) -> None:
    if cli_module.__name__ == "cli.main":  # type: ignore[attr-defined]
        pytest.skip("runs from a checkout that is not installed")
    found = _run(sys.executable, "-m", "ffgrammar", "--version", cwd=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (0, f"ffgrammar {ffgrammar.__version__}\n", "")
    assert _run(sys.executable, "-m", "ffgrammar", "nonsense", cwd=tmp_path).returncode == 2


def test_without_the_command_line_one_line_says_so(unbuilt: Path) -> None:
    # -S: nothing that is installed is found
    found = _run(sys.executable, "-S", "-m", "ffgrammar", cwd=unbuilt)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1 and "type `make`" in found.stderr


# ---- a checkout in the working directory


def test_a_command_in_a_checkout_that_is_not_built_ends_in_one_line(unbuilt: Path, cli_module: object) -> None:
    if cli_module.__name__ == "cli.main":  # type: ignore[attr-defined]
        pytest.skip("runs from a checkout that is not installed")
    found = _run(sys.executable, "-m", "ffgrammar", "tokenizers", cwd=unbuilt)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1 and "type `make`" in found.stderr


@pytest.mark.parametrize("line", ["import ffgrammar; ffgrammar.Tokenizer", "from ffgrammar import Matcher"])
def test_a_checkout_that_is_not_built_says_what_to_type(unbuilt: Path, line: str) -> None:
    found = _run(sys.executable, "-c", line, cwd=unbuilt)
    assert found.returncode == 1
    last = found.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {unbuilt / 'ffgrammar'} is a source tree that is not built: type `make` in")
    assert "During handling" not in found.stderr and "direct cause" not in found.stderr


# ---- the build


def test_without_a_compiler_the_build_ends_at_once(unbuilt: Path) -> None:
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    found = _run(sys.executable, "setup.py", "--quiet", "build_ext", cwd=unbuilt, CC="/no/such/compiler")
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("error: building ffgrammar needs a C compiler")
    assert "Traceback" not in found.stderr
    assert not (unbuilt / "build" / "cython").exists(), "Cython ran first"


@pytest.mark.skipif(sys.platform != "linux", reason="modules have no common library here")
def test_the_modules_find_their_library_wherever_the_package_lies(tmp_path: Path) -> None:
    package = tmp_path / "elsewhere" / "ffgrammar"
    shutil.copytree(Path(ffgrammar.__file__).parent, package, ignore=shutil.ignore_patterns("data", "__pycache__"))
    lines = """
        import ffgrammar
        print(ffgrammar.compile_regex("ab", ffgrammar.Tokenizer.from_tokens([b"ab", b""], 1)).matcher().accept_token(0))
        print(*{line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}, sep="\\n")
    """
    found = _run(sys.executable, "-c", textwrap.dedent(lines), cwd=tmp_path, PYTHONPATH=str(package.parent))
    assert found.returncode == 0, found.stderr
    answer, *loaded = found.stdout.splitlines()
    ours = [Path(path) for path in loaded if "/ffgrammar/" in path]
    assert answer == "True" and len(ours) > 50
    assert all(package in path.parents for path in ours)
    # All code is in one file. Another one for each module would be slower, and larger.
    assert [path.name.partition(".")[0] for path in ours if path.stat().st_size > 20_000] == ["cython_shared"]


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="no make here")


@needs_make
def test_plain_make_builds_in_place(tmp_path: Path) -> None:
    found = _run("make", "--dry-run", f"VENV={tmp_path / 'venv'}", cwd=ROOT)
    assert found.returncode == 0, found.stderr
    assert "pip install" in found.stdout and "setup.py --quiet build_ext --inplace" in found.stdout


@needs_make
def test_make_help_shows_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())  # type: ignore[index]
    shown = set(re.findall(r"^  make ([a-z-]+)  +\S", _run("make", "help", cwd=ROOT).stdout, re.MULTILINE))
    assert shown == targets
