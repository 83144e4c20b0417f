"""The shell face as a process: pipelines, signals, terminals, start-up, help texts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = '{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}'
COMMANDS = ["compile", "mask", "ff-tokens", "check", "validate", "complete", "sample", "tokenizers", "trie", "bench"]

Env = dict[str, str]


def _bash(command: str, env: Env, cwd: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        env=env,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.json").write_text(SCHEMA)
    return tmp_path


def test_a_reader_that_has_seen_enough_is_no_error(shell_env: Env, folder: Path) -> None:
    found = _bash("cat schema.json | ffgrammar mask - --prefix '{\"' --format ids | head -3", shell_env, folder)
    assert (found.returncode, found.stderr) == (0, "")
    assert len(found.stdout.split()) in {1, 2, 3}
    found = _bash("ffgrammar mask - --type regex --prefix x <<< '.*' | head -3", shell_env, folder)
    assert (found.returncode, found.stderr) == (0, "")
    assert len(found.stdout.splitlines()) == 3


def test_a_full_disk_is_an_error(shell_env: Env, folder: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    found = _bash("ffgrammar mask schema.json --format count > /dev/full", shell_env, folder)
    assert found.returncode == 2
    assert found.stderr.startswith("ffgrammar: ")


def test_closed_streams_are_errors_without_a_traceback(shell_env: Env, folder: Path) -> None:
    for command in ("mask - <&-", "mask schema.json --format count >&-"):
        found = _bash(f"ffgrammar {command}", shell_env, folder)
        assert found.returncode == 2
        assert found.stderr.startswith("ffgrammar: st") and "Traceback" not in found.stderr
    assert _bash("ffgrammar mask schema.json --format count <&- 2>&-", shell_env, folder).returncode == 0


def test_answers_stream(shell_env: Env, folder: Path) -> None:
    """Each answer comes before the next request is sent: nothing waits in a buffer."""
    arguments = ["ffgrammar", "mask", "schema.json", "--ndjson", "--format", "count"]
    with subprocess.Popen(
        arguments, env=shell_env, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for prefix in ["", "{", '{"id"', '{"id": 1']:
            process.stdin.write(json.dumps({"prefix": prefix}) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["count"] > 0
        process.stdin.close()
        assert process.wait(10) == 0


def test_control_c_ends_quietly_with_130(shell_env: Env, folder: Path) -> None:
    with subprocess.Popen(
        ["ffgrammar", "mask", "schema.json", "--ndjson", "--format", "count"],
        env=shell_env,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A job in the background of a shell script starts with Ctrl-C ignored, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("{}\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert process.stderr.read() == ""


def test_colour_only_at_a_terminal_and_not_under_no_color(shell_env: Env, folder: Path) -> None:
    pty = pytest.importorskip("pty")

    def at_a_terminal(extra: Env) -> bytes:
        master, slave = pty.openpty()
        command = "echo '{\"id\": 1}' | ffgrammar validate schema.json"
        with subprocess.Popen(
            ["bash", "-c", command], env={**shell_env, "TERM": "xterm", **extra}, cwd=folder, stdout=slave
        ):
            pass
        os.close(slave)
        found: bytes = os.read(master, 10_000)
        os.close(master)
        return found

    assert b"\x1b[32maccepted\x1b[0m" in at_a_terminal({})
    assert b"\x1b" not in at_a_terminal({"NO_COLOR": "1"})
    assert "\x1b" not in _bash("echo '{\"id\": 1}' | ffgrammar validate schema.json", shell_env, folder).stdout


def test_other_locales_do_not_break_output(shell_env: Env, folder: Path) -> None:
    env = {**shell_env, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    found = _bash("ffgrammar mask - --type regex <<< 'é|ß'", env, folder)
    assert found.returncode == 0
    assert found.stderr == ""


# ---- help


def _help(command: str, env: Env) -> str:
    found = _bash(f"ffgrammar {command} --help", env)
    assert found.returncode == 0
    return found.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_every_help_runs(command: str, shell_env: Env, tmp_path: Path) -> None:
    text = _help(command, shell_env)
    example = text.partition("Example:\n")[2].strip()
    assert f"ffgrammar {command}" in example, text
    found = _bash(example, shell_env, tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout
    assert found.stderr == ""


def test_every_command_is_known_to_help_and_documented(cli_module: Any, shell_env: Env) -> None:
    listed = _help("", shell_env)
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    documented = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert list(cli_module.COMMANDS) == COMMANDS
    for name, summary in cli_module.COMMANDS.items():
        assert re.search(rf"^  {name} ", listed, re.MULTILINE)
        assert f"`{name}" in documented or f"ffgrammar {name} " in documented, f"{name} is not documented"
        command = cli_module.cli.get_command(None, name)
        assert command.help.partition("\n")[0] == summary
        for option in command.params:
            assert option.param_type_name == "argument" or option.help, f"{name}: {option.name} has no help"


def test_version(shell_env: Env) -> None:
    assert _bash("ffgrammar --version", shell_env).stdout.startswith("ffgrammar")


# ---- what is imported, and how long it takes


def _modules(cli_module: Any, arguments: list[str], cwd: Path) -> set[str]:
    script = (
        f"import sys; from {cli_module.__name__} import run; code = run({arguments!r});"
        "print('\\n'.join(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=cwd, capture_output=True, text=True, check=True)
    return set(found.stderr.split())


def test_commands_import_what_they_need(cli_module: Any, folder: Path) -> None:
    heavy = {"numpy", "tiktoken", "tokenizers", "requests", "asyncio", "importlib.metadata"}
    assert not _modules(cli_module, ["--help"], folder) & {*heavy, "ffgrammar", "json"}
    assert not _modules(cli_module, ["mask", "schema.json", "--format", "ids"], folder) & heavy
    assert not _modules(cli_module, ["ff-tokens", "schema.json"], folder) & heavy
    assert not _modules(cli_module, ["check", "9906"], folder) & heavy


@pytest.mark.timing
@pytest.mark.parametrize(
    "command", ['mask schema.json --prefix {" --format ids', "ff-tokens schema.json", "check 9906 1917"]
)
def test_start_up_is_near_that_of_the_imports(command: str, cli_module: Any, folder: Path, covered: Any) -> None:
    """At most 1.5 times `import numpy, click, tiktoken`, best of interleaved runs: other load counts for both."""
    package = cli_module.__name__.rpartition(".")[0]
    # Installed modules are compiled ahead; those of a checkout would be compiled in every run.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    lines = {
        "imports": [sys.executable, "-c", "import numpy, click, tiktoken"],
        "command": [sys.executable, "-m", package, *command.split()],
    }
    best = dict.fromkeys(lines, float("inf"))
    for _ in range(15):
        for name, line in lines.items():
            start = time.perf_counter()
            subprocess.run(line, cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)
            best[name] = min(best[name], time.perf_counter() - start)
    ratio = best["command"] / best["imports"]
    times = ", ".join(f"{name} {1000 * seconds:.0f} ms" for name, seconds in best.items())
    covered(f"{command.split()[0]}: {times}, ratio {ratio:.2f}")
    assert ratio <= 1.5


def test_installed_it_is_no_top_level_cli(cli_module: Any, tmp_path: Path) -> None:
    if not cli_module.__name__.startswith("ffgrammar_cli"):
        pytest.skip("runs from a checkout that is not installed")
    found = subprocess.run([sys.executable, "-I", "-c", "import cli"], cwd=tmp_path, capture_output=True)
    assert found.returncode != 0
