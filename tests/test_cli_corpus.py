"""`ffgrammar corpus`: options, exit codes, the summary for people, the page."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cli_package import CLI

pytest.importorskip("pyarrow")

from ffgrammar.corpus.runs.lock import lock_folder

run = import_module(f"{CLI}.main").run

ROWS = [
    {"tokens": [9906, 1917], "text": "[1]", "source": "a", "schema": {"type": "array"}},
    {"tokens": [9906, 220, 14957], "text": "[1", "source": "b", "schema": {"type": "string"}},
    {"tokens": None, "text": None, "source": "b", "schema": {"type": 1}},
]


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return str(path)


def _lines(output: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted((output / "rows").iterdir()) for line in file.read_text().splitlines()]


def test_check(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, output = tmp_path / "page.html", tmp_path / "out"
    options = ["-o", str(output), "--format", "jsonl", "--group", "source", "--keep", "text", "--html", str(page)]
    assert run(["corpus", "check", data, *options, "--workers", "0"]) == 1
    out = capsys.readouterr().out
    assert "rows\t3\nyes\t1\nno\t1\nerrors\t1\n" in out and "rate\t50.0000%" in out
    assert "source b\trows 2, yes 0, no 1, errors 1" in out
    assert "error\t1 row: tokens is null" in out and f"worst\t{data} row 1: 1 (tokens more or fewer" in out
    assert [row["canonical"] for row in _lines(output)] == [True, False, None]
    assert [row["text"] for row in _lines(output)] == ["[1]", "[1", None]
    assert page.read_text().startswith("<!doctype html>")
    # (worker processes, which have nothing left to do)
    assert run(["corpus", "check", data, *options, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"]["rows"] == 3


def test_validate_and_forced(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "array"}')
    for job in ("validate", "forced"):
        for options in (["--grammar", str(schema)], ["--schema-column", "schema"]):
            output = tmp_path / f"{job}{options[0]}"
            command = ["corpus", job, data, *options, "-o", str(output), "--format", "jsonl", "--workers", "0"]
            assert run([*command, "--rows", "bad"]) == 1
            found = _lines(output)
            assert [row["row"] for row in found] == [1, 2]
            assert [row["valid"] for row in found] == [False, None]
            assert found[0]["offset"] == (2 if "--grammar" in options else 0)
    capsys.readouterr()


def test_tokenize_says_yes(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["corpus", "tokenize", data, "--text", "source", "--json", "--workers", "0"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert counts == {"rows": 3, "yes": 3, "no": 0, "errors": 0, "token_count": 3, "byte_count": 3, "rate": 1.0}


def test_rows_without_a_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"text": "a", "source": "b"}\n{"text": "a", "source": null}\n{"text": "a"}\n')
    assert run(["corpus", "tokenize", str(path), "--group", "source", "--workers", "0"]) == 0
    out = capsys.readouterr().out
    assert "source b\trows 1, yes 1" in out and "without source\trows 2, yes 2" in out


def test_a_second_run_in_a_folder_is_refused(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lock_folder(str(tmp_path / "out")):
        assert run(["corpus", "check", data, "-o", str(tmp_path / "out")]) == 2
    assert "another run is at work in this folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["validate"], "corpus validate needs --grammar or --schema-column"),
        (["validate", "--grammar", "@json", "--schema-column", "schema"], "leave one out"),
        (["check", "--grammar", "@json"], "corpus check takes no grammar"),
        (["tokenize", "--ids", "tokens"], "--ids is for corpus check"),
        (["forced", "--schema-column", "schema", "--whitespace", "compact"], "options of grammars are for --grammar"),
        (["tokenize", "--tokenizer", "no/such"], "no/such"),
        (["tokenize", "--tokenizer", "gpt2"], "give the path of a tokenizer's file or of a model's folder"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    data: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["corpus", arguments[0], data, *arguments[1:]]) == 2
    assert message in capsys.readouterr().err


def test_files_that_cannot_be_read_end_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["corpus", "tokenize", str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl: No such file" in capsys.readouterr().err
    assert run(["corpus", "tokenize", str(tmp_path)]) == 2
    assert f"no files in {tmp_path}; their names must end in" in capsys.readouterr().err


def test_the_bar_shows_a_share_the_rate_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = import_module(f"{CLI}.progress")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    monkeypatch.setenv("TERM", "xterm")
    clock = iter([0.0, 0.5, 10.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    with progress.Bar() as bar:
        bar.show(1, 100, 0, 1)
        bar.show(60_000_000, 100_000_000, 40_000_000, 1234)
    err = capsys.readouterr().err
    assert "[============        ]  60%, 1,234 rows, 2.0 MB/s, 0:00:20 left" in err
