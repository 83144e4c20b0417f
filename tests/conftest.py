"""What tests share: where the shared data is, the embedded vocabularies, hypothesis settings, the closing summary."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from cli_package import CLI
from shared_data import shared_dir as find_shared_dir

ROOT = Path(__file__).resolve().parent.parent

# Derandomized: a run in CI fails for a change of the code, not for a change of the seed. `thorough` searches anew.
_COMMON: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
}
settings.register_profile("default", max_examples=80, derandomize=True, **_COMMON)
settings.register_profile("quick", max_examples=15, derandomize=True, **_COMMON)
settings.register_profile("thorough", max_examples=3000, **_COMMON)
settings.load_profile(os.environ.get("FFGRAMMAR_HYPOTHESIS", "default"))

# A job in the background of a shell script starts with Ctrl-C ignored, and so do its children. Tests send it to theirs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test reads or writes the user's cache of vocabularies. Tests of it name a folder of their own.
os.environ["FFGRAMMAR_CACHE"] = "off"


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared test data; skips where it is absent."""
    found = find_shared_dir()
    if found is None:
        pytest.skip("no shared data: set FFGRAMMAR_SHARED or put it in ../shared")
    return found


@pytest.fixture(scope="session")
def cl100k() -> Any:
    """The embedded cl100k_base tokenizer."""
    from ffgrammar.tokens.tokenizer import Tokenizer

    return Tokenizer.from_tiktoken("cl100k_base")


@pytest.fixture(scope="session")
def o200k() -> Any:
    """The embedded o200k_base tokenizer."""
    from ffgrammar.tokens.tokenizer import Tokenizer

    return Tokenizer.from_tiktoken("o200k_base")


@pytest.fixture(scope="module")
def toy() -> Any:
    """The toy vocabulary of the random grammars, and after it an end-of-text token."""
    from ffgrammar.tokens.tokenizer import Tokenizer
    from oracle.grammars import TOKENS

    return Tokenizer.from_tokens([*TOKENS, b"<eos>"], eos_token_id=len(TOKENS))


@pytest.fixture
def covered(request: pytest.FixtureRequest) -> Iterator[Callable[[str], None]]:
    """Call it with what a test covered ("4,211 masks of 300 instances"): the line shows at the end of the run."""
    name = request.node.name
    # (a property of the test, because it may run in another process)
    yield lambda line: request.node.user_properties.append(("covered", f"{name}: {line}"))


if CLI == "cli":
    # for the processes that tests start
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="session")
def cli_module() -> Any:
    """The `main` module of the command line."""
    return importlib.import_module(CLI + ".main")


@pytest.fixture(scope="session")
def shell_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose PATH has an `ffgrammar` that runs the tested copy, from any directory."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "ffgrammar"
    # Not with -m where it is installed: from the checkout's root that would import the sources instead of the copy.
    installed = shlex.quote(str(Path(sys.executable).with_name("ffgrammar")))
    command = installed if CLI == "ffgrammar_cli" else f"{shlex.quote(sys.executable)} -m cli"
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return {**kept, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which build is tested and which data it finds: a stale or wrong copy shows at once."""
    spec = importlib.util.find_spec("ffgrammar")
    where = spec.origin if spec else "not importable"
    return [f"ffgrammar: {where}", f"shared data: {find_shared_dir() or 'absent: tests that use it skip'}"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was covered and, grouped by reason, what was skipped."""
    covered = [
        line
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, line in getattr(report, "user_properties", [])
        if name == "covered"
    ]
    if covered:
        terminalreporter.section("covered")
        for line in covered:
            terminalreporter.line(line)
    skipped = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    if skipped:
        terminalreporter.section("skipped, by reason")
        for reason, count in skipped.most_common():
            terminalreporter.line(f"{count:5d}  {reason}")
