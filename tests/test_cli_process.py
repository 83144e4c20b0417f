"""The shell command as a process: pipelines, signals, terminals, start-up, help texts."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = '{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}'
COMMANDS = [
    *["compile", "mask", "explain", "ff-tokens", "check", "validate", "complete", "corpus", "sample", "generate"],
    *["select", "score", "grammars", "tokenizers", "play", "trie", "bench", "completion"],
]
# These need a language model: tests/models/test_shell.py runs them.
WITH_MODEL = {"generate", "select", "score"}

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


def test_forms_of_generated_texts_that_exclude_each_other(shell_env: Env, folder: Path) -> None:
    for flags in ("--stream --trace", "--trace --ndjson", "--stream --json", "--stream --trace --ndjson"):
        found = _bash(f"ffgrammar generate schema.json --model schema.json {flags}", shell_env, folder)
        assert found.returncode == 2 and "give one of them, or --stream and --ndjson" in found.stderr


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


def _at_a_terminal(command: str, stream: str, env: Env, cwd: Path, **extra: str) -> str:
    """What a command line writes to stdout or stderr if that is a terminal (and the other is none)."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: slave}
    with subprocess.Popen(["bash", "-c", command], env={**env, "TERM": "xterm", **extra}, cwd=cwd, **streams):
        os.close(slave)
        found = bytearray()
        with contextlib.suppress(OSError):  # which is how the end of a terminal reads on Linux
            while part := os.read(master, 10_000):
                found += part
    os.close(master)
    return found.decode()


def test_colour_only_at_a_terminal_and_not_under_no_color(shell_env: Env, folder: Path) -> None:
    command = "echo '{\"id\": 1}' | ffgrammar validate schema.json"
    assert "\x1b[32maccepted\x1b[0m" in _at_a_terminal(command, "stdout", shell_env, folder)
    assert "\x1b" not in _at_a_terminal(command, "stdout", shell_env, folder, NO_COLOR="1")
    assert "\x1b" not in _bash("echo '{\"id\": 1}' | ffgrammar validate schema.json", shell_env, folder).stdout


SLOW_LINES = "for i in 1 2 3 4 5; do sleep 0.5; echo '{}'; done"


# If the command starts after all these lines have come, it reads them in less than a second and shows no progress.
@pytest.mark.timing
@pytest.mark.parametrize(
    ("command", "unit"),
    [
        (f"{SLOW_LINES} | ffgrammar mask schema.json --ndjson", "request"),
        (f"{SLOW_LINES} | ffgrammar validate schema.json --ndjson", "line"),
        ("ffgrammar validate schema.json one <(sleep 2.5; echo 1) two", "file"),
    ],
)
def test_long_work_shows_how_far_it_is(command: str, unit: str, shell_env: Env, folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).write_text('{"id": 1}')
    found = _at_a_terminal(command, "stderr", shell_env, folder, NO_COLOR="1")
    lines = found.split("\r")
    assert re.fullmatch(rf"ffgrammar: (1 {unit}|\d {unit}s), \d+ a second", lines[1].rstrip()), found
    # in the end the line is blank, without escape sequences
    assert lines[-1] == "" and lines[-2].isspace() and "\x1b" not in found


def test_progress_is_for_long_work_and_for_terminals(shell_env: Env, folder: Path) -> None:
    command = "ffgrammar validate schema.json --ndjson"
    assert _at_a_terminal(f"echo '{{}}' | {command}", "stderr", shell_env, folder) == ""
    assert _bash(f"{SLOW_LINES} | {command}", shell_env, folder).stderr == ""


@pytest.mark.parametrize(
    ("command", "hinted"),
    [
        ("ffgrammar mask schema.json --prefix '{'", True),
        ("ffgrammar ff-tokens schema.json --prefix '{'", True),
        ("ffgrammar mask schema.json --prefix '{' --separators ', ' ': '", False),
        ("ffgrammar mask schema.json --prefix '{\"'", False),
        ("ffgrammar mask - --type regex <<< '\\s*'", False),
    ],
)
def test_a_hint_where_most_tokens_are_white_space(command: str, hinted: bool, shell_env: Env, folder: Path) -> None:
    found = _at_a_terminal(command, "stderr", shell_env, folder)
    if hinted:
        assert re.fullmatch(r"ffgrammar: hint: \d+ of these \d+ tokens are white space; compiling with .*\s*", found)
    else:
        assert found == ""
    assert _bash(command, shell_env, folder).stderr == ""


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


def _serves(example: str, env: Env, folder: Path) -> None:
    """A command that serves a page until Ctrl-C, and says where."""
    pytest.importorskip("uvicorn", reason="the example of play is not run: pip install 'ffgrammar[play]'")
    (folder / "schema.json").write_text(SCHEMA)
    with subprocess.Popen(["bash", "-c", f"exec {example}"], env=env, cwd=folder, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith(b"http://127.0.0.1:")
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_every_help_runs(command: str, shell_env: Env, tmp_path: Path) -> None:
    text = _help(command, shell_env)
    example = text.partition("Example:\n")[2].strip()
    assert f"ffgrammar {command}" in example, text
    if command == "play":
        _serves(example, shell_env, tmp_path)
        return
    if command in WITH_MODEL:
        found = _bash(example, shell_env, tmp_path)
        assert (found.returncode, found.stdout) == (2, "")
        assert "model.gguf" in found.stderr
        return
    if command == "play":  # (it serves until Ctrl-C: tests/test_play_server.py starts it)
        found = _bash(example, shell_env, tmp_path)
        assert (found.returncode, found.stdout) == (2, "")
        assert "schema.json" in found.stderr
        return
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


def test_alone_it_shows_its_commands(shell_env: Env) -> None:
    found = _bash("ffgrammar", shell_env)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == _help("", shell_env)


def test_version(shell_env: Env) -> None:
    import ffgrammar

    assert _bash("ffgrammar --version", shell_env).stdout == f"ffgrammar {ffgrammar.__version__}\n"


@pytest.mark.parametrize("command", ["mask", "ff-tokens"])
def test_help_says_how_to_be_rid_of_white_space(command: str, shell_env: Env) -> None:
    text = _help(command, shell_env)
    assert "--separators" in text.partition("Options:")[0]


def test_the_manual_page_has_every_command_and_option(cli_module: Any, tmp_path: Path) -> None:
    package = cli_module.__name__.rpartition(".")[0]
    cwd = ROOT if package == "cli" else tmp_path
    command = [sys.executable, "-m", f"{package}.man"]
    page = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout
    sections = page.replace("\\-", "-").split("\n.SS ")
    assert [section.partition("\n")[0] for section in sections[1:]] == COMMANDS
    for name, section in zip(COMMANDS, sections[1:], strict=True):
        known = cli_module.cli.get_command(None, name)
        assert all(flag in section for option in known.params for flag in option.opts if flag.startswith("-"))
        assert f"ffgrammar {name}" in section.partition("Example:")[2]
    # roff reads a line that starts with a dot or a quote as a command
    commands = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert commands == {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi", ".RS", ".RE"}


# ---- completion


def _completed(words: list[str], env: Env, cwd: Path) -> list[str]:
    """What bash offers for the last of some words, by the script that `ffgrammar completion bash` prints."""
    line = " ".join(f"'{word}'" for word in words)
    # `compopt -o default` is how the script asks bash for file names; it works only inside a real completion
    script = (
        f"source <(ffgrammar completion bash); compopt() {{ files=$(compgen -f -- '{words[-1]}'); }}; "
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
        "$(complete -p ffgrammar | sed 's/.*-F \\([^ ]*\\).*/\\1/') ffgrammar; "
        'printf "%s\\n" "${COMPREPLY[@]}" ${files}'
    )
    found = subprocess.run(["bash", "-c", script], env=env, cwd=cwd, capture_output=True, text=True, timeout=60)
    assert found.stderr == ""
    return found.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ff"], ["ff-tokens"]),
        (["comp"], ["compile", "complete", "completion"]),
        (["mask", "sch"], ["schema.json"]),
        (["mask", "schema.json", "--sep"], ["--separators"]),
        (["mask", "schema.json", "--type", "la"], ["lark"]),
        (["mask", "schema.json", "--tokenizer", "o"], ["o200k_base"]),
        (["mask", "schema.json", "--tokenizer", "sch"], ["schema.json"]),
        (["mask", "schema.json", "--registry", "sch"], ["schema.json"]),
        (["compile", "schema.json", "-o", "sch"], ["schema.json"]),
        (["validate", "schema.json", "sch"], ["schema.json"]),
        (["check", "sch"], ["schema.json"]),
        (["complete", "sch"], ["schema.json"]),
        (["mask", "@js"], ["@json", "@json5", "@jsonl"]),
        (["check", "@em"], ["@email"]),
    ],
)
def test_bash_completes_commands_options_and_files(
    words: list[str], offered: list[str], shell_env: Env, folder: Path
) -> None:
    assert _completed(["ffgrammar", *words], shell_env, folder) == offered


@pytest.mark.parametrize(("shell", "mark"), [("zsh", "#compdef ffgrammar"), ("fish", "complete ")])
def test_other_shells_have_scripts(shell: str, mark: str, shell_env: Env) -> None:
    assert mark in _bash(f"ffgrammar completion {shell}", shell_env).stdout
    assert _bash("ffgrammar completion tcsh", shell_env).returncode == 2


# ---- what is imported


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


def test_installed_it_is_no_top_level_cli(cli_module: Any, tmp_path: Path) -> None:
    if not cli_module.__name__.startswith("ffgrammar_cli"):
        pytest.skip("runs from a checkout that is not installed")
    found = subprocess.run([sys.executable, "-I", "-c", "import cli"], cwd=tmp_path, capture_output=True)
    assert found.returncode != 0
