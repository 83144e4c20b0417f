"""The programs in examples/ run, and each prints what it is expected to print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*.sh")])


def _run(path: Path, env: dict[str, str], *arguments: str | Path) -> str:
    program = [sys.executable, path] if path.suffix == ".py" else ["sh", path]
    found = subprocess.run(
        [*program, *arguments], env=env, cwd=ROOT / "tests", capture_output=True, text=True, timeout=120, check=False
    )
    assert found.returncode == 0, found.stderr
    assert not found.stderr
    return found.stdout


# What a program must print, as regular expressions.
SHOWN = {
    "batch.py": r'(true|false)\n\d\d\n"(red|green|blue)"\n',
    "canonical.py": r"line 2, token 1: .*\n2 of 3 lines are canonical\n",
    "character_prefix.py": r"(?s)b'I bought some appl' and one of 474 tokens.*\nI‧ bought‧ some.*\n",
    "forced.py": r"12 of 22 tokens were forced\n",
    "generate.py": r"\{.*\}\n\d+ tokens, \d+ calls of the model\n",
    "program.py": (
        r'address: \{"city":"(Oslo|Rome)","number":\d\d?\}\npet: (cat|dog|caterpillar)\n(books: [A-Z][a-z]{2,5}\n){1,3}'
        r"Ada is a painter\. She lives at .*\.\n\d+ tokens, \d+ calls of the model\n"
    ),
    "request.py": (
        r'<tool_call>\n\{"name": "get_weather", "arguments": \{"city": "(Oslo|Rome)", "days": \d\}\}\n</tool_call>\n'
        r"get_weather \{'city': '(Oslo|Rome)', 'days': \d\}\n"
    ),
    "speculative.py": r"3 of 5 drafted tokens are allowed: .*\n.*\nafter the rollback: 'yes,'\n",
    "validate.sh": r'\{"line": 1, "accepted": true\}\n.*"accepted": false.*\n.*"accepted": true\}\nexit code 1\n',
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_it_runs(path: Path, shell_env: dict[str, str]) -> None:
    assert re.fullmatch(SHOWN[path.name], _run(path, shell_env))


def test_a_file_of_tokens(tmp_path: Path, shell_env: dict[str, str]) -> None:
    path = tmp_path / "tokens.ndjson"
    path.write_text("".join(json.dumps(line) + "\n" for line in [[9906], [39, 68]]))
    assert _run(ROOT / "examples" / "canonical.py", shell_env, path).endswith("1 of 2 lines are canonical\n")


def test_all_are_listed() -> None:
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"examples/(\w+\.\w+)` \|", page)) == [path.name for path in EXAMPLES]
    assert SHOWN.keys() == {path.name for path in EXAMPLES}
