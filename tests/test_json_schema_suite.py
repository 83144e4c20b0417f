"""The official suite, draft 2020-12: nothing invalid is accepted, nothing valid rejected, in any order of keys."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from oracle.schemas import orders, spelled
from suite import load_remotes, run

# all 1,299 except FRACTIONS
LEAST_RIGHT = 1298
# an integer is written without a fraction
FRACTIONS = {("type.json", "integer type matches integers", "a float with zero fractional part is an integer")}


def in_any_order(data: Any) -> Iterable[bytes]:
    """The texts of an instance, its keys in every order."""
    return [spelled(order, compact=True) for order in orders(data)]


def test_official_suite(shared_dir: Path, covered: Callable[[str], None]) -> None:
    suite = shared_dir / "jsonschema-suite"
    verdicts = run(suite / "draft2020-12", load_remotes(suite / "remotes"), 2020, spellings=in_any_order)
    seen = Counter([verdict.kind for verdict in verdicts])
    covered(", ".join([f"{count} {what}" for what, count in seen.most_common()]))
    wrong = [one for one in verdicts if one.kind not in ("right", "refused")]
    assert [one for one in wrong if (one.file, one.group, one.test) not in FRACTIONS] == []
    assert seen["right"] >= LEAST_RIGHT
    assert all(one.reason for one in verdicts if one.kind == "refused")


def test_integers_in_any_spelling(shared_dir: Path) -> None:
    suite = shared_dir / "jsonschema-suite"
    verdicts = run(suite / "draft2020-12", load_remotes(suite / "remotes"), 2020, integer_spelling="any")
    assert Counter([verdict.kind for verdict in verdicts]) == {"right": 1299}


def test_the_runner(repo_root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "draft7"
    folder.mkdir(parents=True)
    (tmp_path / "remotes").mkdir()
    (tmp_path / "remotes" / "small.json").write_text('{"maximum": 9}', encoding="utf-8")
    tests = [{"description": str(data), "data": data, "valid": data == 5} for data in (5, 10)]
    groups = [
        {"description": "remote", "schema": {"$ref": "http://localhost:1234/small.json"}, "tests": tests},
        {"description": "wrong", "schema": {"minimum": 7}, "tests": tests},
        {"description": "refused", "schema": {"$ref": "http://localhost:1234/nothing.json"}, "tests": tests},
    ]
    (folder / "some.json").write_text(json.dumps(groups), encoding="utf-8")
    out = tmp_path / "out.json"
    command = [sys.executable, str(repo_root / "tests" / "suite.py"), str(folder), "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    found = [(one["group"], one["test"], one["kind"]) for one in json.loads(out.read_text(encoding="utf-8"))]
    assert found == [
        ("remote", "5", "right"),
        ("remote", "10", "right"),
        ("wrong", "5", "wrong reject"),
        ("wrong", "10", "wrong accept"),
        ("refused", "5", "refused"),
        ("refused", "10", "refused"),
    ]
    assert "2 right, 2 refused, 1 wrong accept, 1 wrong reject" in done.stdout
