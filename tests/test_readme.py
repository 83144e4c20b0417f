"""What README shows is what happens: its shell and Python examples run, and their output is compared (no times)."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# And the bytes held: they follow the sizes of the allocator's blocks.
TIMES = re.compile(r"^(\w+_ms|bytes)\t.*$", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def _blocks(language: str) -> list[str]:
    return [match[2] for match in BLOCK.finditer(README) if match[1] == language]


def _run(command: str, env: dict[str, str]) -> str:
    found = subprocess.run(
        ["bash", "-c", command],
        env=env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    return found.stdout


def _assert_shown(command: str, shown: str, got: str) -> None:
    wanted, printed = (TIMES.sub(r"\1", text.strip()) for text in (shown, got))
    assert wanted == printed, f"README shows another output of {command}"


def _console_examples() -> list[tuple[str, str]]:
    found = []
    for block in _blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


@pytest.mark.parametrize(("command", "shown"), _console_examples(), ids=lambda value: value.partition("\n")[0][:60])
def test_shell_examples(command: str, shown: str, shell_env: dict[str, str]) -> None:
    _assert_shown(command, shown, _run(command, shell_env))


def test_the_demo_prints_what_readme_shows(shell_env: dict[str, str]) -> None:
    """The commands of `make demo`, without its set-up: make echoes each and then its output follows."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo: [^\n]*##[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE)
    assert recipe
    commands = [line.strip().replace("$$", "$") for line in recipe[1].splitlines()]
    (shown,) = _blocks("demo")
    got = "".join(f"{command}\n{_run(command, shell_env)}" for command in commands)
    _assert_shown("make demo", shown, got)


def test_python_examples() -> None:
    examples = doctest.DocTestParser().get_doctest("\n".join(_blocks("pycon")), {}, "README.md", "README.md", 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(examples, out=report.append)
    assert not report, "".join(report)


def test_schemas_have_the_same_options_everywhere(shell_env: dict[str, str]) -> None:
    import ffgrammar as ff
    from ffgrammar.grammar.json_schema import build

    shown = dict(re.findall(r"^\| `(\w+)` \| `--([\w-]+)` \|", README, re.MULTILINE))
    assert shown and all(flag == name.replace("_", "-") for name, flag in shown.items())
    for function in (ff.compile_json_schema, build):
        parameters = inspect.signature(function).parameters.values()
        options = {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY and one.name != "limits"}
        assert options.keys() == shown.keys()
        assert all(f"{name}: " in (ff.compile_json_schema.__doc__ or "") for name in options)
        defaults = dict(re.findall(r"^\| `(\w+)` \| .* \| (\w+) \|$", README, re.MULTILINE))
        assert {name: value for name, value in options.items() if value is not None} == defaults
    help_text = _run("ffgrammar compile --help", shell_env)
    assert all(f"--{flag} " in help_text for flag in shown.values())


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
