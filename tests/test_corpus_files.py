"""Runs over files: formats, bad rows, parts, resumed runs, worker processes that die."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

import ffgrammar as ff  # noqa: E402
from dying_job import DyingJob  # noqa: E402
from ffgrammar import corpus  # noqa: E402
from ffgrammar.corpus.data import json_lines, tables  # noqa: E402
from ffgrammar.corpus.data.inputs import find_sources, plan_parts  # noqa: E402
from ffgrammar.corpus.jobs.job import READ_ERROR  # noqa: E402
from long_checks.result_files import files_of  # noqa: E402
from oracle import corpus as oracle  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = {"text": "text", "tokens": "token ids", "id": None}

LINES = [
    b'{"text": "a", "tokens": [1, 2], "id": 5}',
    b'{"id": "x", "text": "\\u00e9\\n\xc3\xa9", "other": {"deep": [1, {"a": null}]}}',
    b'{"text": null, "tokens": [1, null], "id": null}',
    b'{"tokens": []}',
    b'  {"text": "a"} \t\r',
]
BAD_LINES = [
    b"",
    b"[1]",
    b"{",
    b'{"text": "a"} {"text": "b"}',
    b'{"text": 5}',
    b'{"text": {"a": 1}}',
    b'{"tokens": [1.0]}',
    b'{"tokens": [true]}',
    b'{"tokens": "12"}',
    b'{"tokens": [9223372036854775808]}',
    b'{"text": "\\ud800"}',
    b'{"text": "\xff"}',
    b'{"other": "\xff"}',
    b'{"text": "a",',
    b'"text": "b"}',
    b"[" * 100_000,
    b'{"other": ' + b"[" * 100_000,
]
# What Python's json takes, and other readers may refuse.
ODD_LINES = [
    b'{"text": "a", "other": NaN}',
    b'{"text": "a", "text": "b"}',
    b'{"id": 1.50, "text": "\\u0000"}',
    b'{"id": true}',
]


def _python_rows(lines: list[bytes]) -> list[dict[str, Any]]:
    reader = json_lines._Reader(COLUMNS)
    rows: list[dict[str, Any]] = reader._slow(b"\n".join(lines) + b"\n").to_pylist()
    return rows


@pytest.mark.parametrize("seed", range(30))
def test_both_ways_to_read_lines_agree(seed: int) -> None:
    rng = random.Random(seed)
    pool = LINES + ODD_LINES + (BAD_LINES if seed % 3 == 0 else [])
    lines = rng.choices(pool if seed % 3 else LINES[:1] + pool, k=rng.randint(1, 8))
    data = b"\n".join(lines) + rng.choice([b"", b"\n"])
    copy = bytes(bytearray(data))
    batch = json_lines._Reader(COLUMNS).batch(data)
    assert data == copy
    assert batch.to_pylist() == _python_rows(lines)
    assert batch.num_rows == len(lines)


def test_usual_lines_are_read_at_once() -> None:
    for lines in (LINES[:1] * 3, LINES[1:2] * 3):
        assert json_lines._Reader(COLUMNS)._fast(b"\n".join(lines) + b"\n") is not None


def test_every_bad_line_is_an_error_of_its_row() -> None:
    rows = _python_rows(BAD_LINES)
    for line, row in zip(BAD_LINES, rows, strict=True):
        assert row[READ_ERROR], line[:80]
        assert row["text"] is row["tokens"] is None


def test_lines_that_are_too_long_are_rows_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE", 50)
    text = b"a\n" + b"b" * 40 + b"\n" + b"c" * 100 + b"\nd\n" + b"e" * 100
    for size in (7, 10, 64):
        blocks = [text[at : at + size] for at in range(0, len(text), size)]
        lines = b"".join(json_lines._whole_lines(iter(blocks))).splitlines()
        if size < 50:
            assert lines == [b"a", b"b" * 40, json_lines.TOO_LONG[:-1], b"d", json_lines.TOO_LONG[:-1]]


def _rows(tok: ff.Tokenizer, count: int) -> list[dict[str, Any]]:
    rng = random.Random(4)
    rows: list[dict[str, Any]] = []
    for number in range(count):
        ids = tok.encode("hello world " * rng.randint(0, 3) + str(number))
        if number % 7 == 3:
            ids[:1] = [tok.encode(bytes([byte]))[0] for byte in tok.token_bytes(ids[0])]
        rows.append({"tokens": None if number % 11 == 5 else ids, "source": "ab"[number % 2], "id": number})
    return rows


def _write(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    half = lines.index(b"\n", len(lines) // 2) + 1
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(lines[:half]) + gzip.compress(lines[half:]))
    elif name.endswith(".zst"):
        path.write_bytes(b"".join(bytes(pa.compress(one, "zstd")) for one in (lines[:half], lines[half:])))
    elif name.endswith("jsonl"):
        path.write_bytes(lines)
    elif name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=50)
    else:
        table = pa.Table.from_pylist(rows)
        make = pa.ipc.new_file if "file" in name else pa.ipc.new_stream
        with make(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=30)
    return path


NAMES = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet", "stream.arrow", "file.arrow"]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few rows, and blocks of some lines."""
    for module in (json_lines, tables):
        monkeypatch.setattr(module, "PART_BYTES", 2000)
    monkeypatch.setattr(json_lines, "BLOCK", 700)
    monkeypatch.setattr(tables, "MAX_ROWS", 20)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_rows_of_the_oracle(cl100k: ff.Tokenizer, tmp_path: Path, name: str) -> None:
    rows = _rows(cl100k, 300)
    path = _write(tmp_path, name, rows)
    parts = list(plan_parts(find_sources([str(path)])))
    assert len(parts) == 1 if name.endswith(("gz", "zst")) else len(parts) > 2
    output = tmp_path / "out"
    job = corpus.check_job(cl100k, keep=["id"])
    summary = corpus.run(job, [path], output, group="source", workers=0)
    found = [row for file in sorted((output / "rows").iterdir()) for row in pq.read_table(file).to_pylist()]
    wanted = [oracle.check(cl100k, row["tokens"]) for row in rows]
    assert [row["row"] for row in found] == list(range(300))
    assert [str(row["id"]) for row in found] == [str(row["id"]) for row in rows]
    for row, other in zip(found, wanted, strict=True):
        assert {**{name: row[name] for name in job.result_names}, "error": row["error"] is not None} == other
    counts = summary["counts"]
    assert counts["rows"] == 300 == counts["yes"] + counts["no"] + counts["errors"]
    assert counts["no"] == sum(one["canonical"] is False for one in wanted) == sum(summary["histogram"]["bins"])
    assert counts["token_count"] == sum(one["token_count"] or 0 for one in wanted)
    assert [sum(group[name] for group in summary["by_group"].values()) for name in counts if name != "rate"] == [
        counts[name] for name in counts if name != "rate"
    ]
    scores = [row["score"] for row in summary["worst"]["rows"]]
    assert scores == sorted(scores, reverse=True) and len(scores) == 20
    assert json.loads((output / "summary.json").read_bytes()) == summary


@pytest.mark.usefixtures("small_parts")
def test_folders_formats_and_rows(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "train" / ".hidden").mkdir(parents=True)
    rows = _rows(cl100k, 60)
    for name in NAMES:
        _write(data / "train", name, rows)
    _write(data / "train" / ".hidden", "b.jsonl", rows)
    (data / "dataset_info.json").write_text("{}")
    job = corpus.check_job(cl100k)
    summary = corpus.run(job, [data], tmp_path / "out", format="jsonl", rows="bad", workers=0)
    files = sorted((tmp_path / "out" / "rows").iterdir())
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(found) == summary["counts"]["no"] + summary["counts"]["errors"] < summary["counts"]["rows"] == 360
    assert all(row["error"] or row["canonical"] is False for row in found)
    assert corpus.run(corpus.check_job(cl100k), [data], workers=0)["counts"] == summary["counts"]


@pytest.mark.usefixtures("small_parts")
def test_a_run_goes_on_where_it_was(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = _write(tmp_path, "a.jsonl", _rows(cl100k, 300))
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    corpus.run(corpus.check_job(cl100k), [path], whole, workers=0)

    class Stop(Exception):
        pass

    rng = random.Random(1)
    begun: list[int] = []
    for _ in range(50):

        def stop(now: corpus.Progress) -> None:
            begun.append(now.earlier)
            if rng.random() < 0.5:
                raise Stop

        try:
            corpus.run(corpus.check_job(cl100k), [path], cut, workers=0, progress=stop)
            break
        except Stop:
            # What a kill between the two files of a part leaves behind, and half of a file.
            last = sorted((cut / "parts").iterdir())[-1]
            last.unlink()
            (cut / "rows" / "part-000007.parquet.abc.half").write_bytes(b"half")
    assert files_of(cut) == files_of(whole)
    assert len(set(begun)) > 2, "no part was kept"


def test_two_runs_at_once_in_one_folder_are_refused(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path, output = _write(tmp_path, "a.jsonl", _rows(cl100k, 20)), tmp_path / "out"
    job = corpus.check_job(cl100k)
    refused: list[str] = []

    def start_another(_: corpus.Progress) -> None:
        with pytest.raises(BlockingIOError, match="another run is at work in this folder; wait until it ends") as found:
            corpus.run(job, [path], output, workers=0)
        refused.append(found.value.filename)

    summary = corpus.run(job, [path], output, workers=0, progress=start_another)
    assert refused == [str(output)]
    assert corpus.run(job, [path], output, workers=0) == summary


def test_a_kill_while_the_run_is_planned(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path, whole, output = _write(tmp_path, "a.jsonl", _rows(cl100k, 20)), tmp_path / "whole", tmp_path / "out"
    job = corpus.check_job(cl100k)
    corpus.run(job, [path], whole, workers=0)
    for names in ([], ["lock"], ["lock", "rows"], ["lock", "rows", "parts", "manifest.json.0123.half"]):
        output.mkdir()
        for name in names:
            if name in ("rows", "parts"):
                (output / name).mkdir()
            else:
                (output / name).touch()
        corpus.run(job, [path], output, workers=0)
        (output / "summary.json.0123.half").touch()
        corpus.run(job, [path], output, workers=0)
        assert files_of(output) == files_of(whole)
        shutil.rmtree(output)


def test_a_folder_with_something_else_is_left_alone(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = _write(tmp_path, "a.jsonl", _rows(cl100k, 20))
    with pytest.raises(ValueError, match="is not empty, and has no results"):
        corpus.run(corpus.check_job(cl100k), [path], tmp_path, workers=0)
    assert list(tmp_path.iterdir()) == [path]


def test_another_run_is_refused(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = _write(tmp_path, "a.jsonl", _rows(cl100k, 20))
    output = tmp_path / "out"
    corpus.run(corpus.check_job(cl100k), [path], output, workers=0)
    with pytest.raises(ValueError, match="another run, with other group, keep"):
        corpus.run(corpus.check_job(cl100k), [path], output, group="id", workers=0)
    with pytest.raises(ValueError, match=r"another run, with other .*tokenizer"):
        corpus.run(corpus.check_job(ff.Tokenizer.from_tiktoken("o200k_base")), [path], output, workers=0)
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(ValueError, match=f"files that have changed since: {re.escape(str(path))}"):
        corpus.run(corpus.check_job(cl100k), [path], output, workers=0)


def test_what_is_wrong_with_files_is_said(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    job = corpus.check_job(cl100k)
    with pytest.raises(ValueError, match=r"no files; their names must end in \.jsonl"):
        corpus.run(job, [tmp_path], workers=0)
    (tmp_path / "a.txt").touch()
    with pytest.raises(ValueError, match="the name does not say what kind of data this is"):
        corpus.run(job, [tmp_path / "a.txt"], workers=0)
    for name in ("none.jsonl", "none"):
        with pytest.raises(FileNotFoundError):
            corpus.run(job, [tmp_path / name], workers=0)
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no PAR1")
    with pytest.raises((ValueError, OSError), match=r"a\.parquet"):
        corpus.run(job, [tmp_path / "a.parquet"], workers=0)
    table = tmp_path / "b.parquet"
    pq.write_table(pa.table({"ids": [[1]]}), table)
    with pytest.raises(KeyError, match=r"b\.parquet: there is no column 'tokens'; there are ids"):
        corpus.run(job, [table], workers=0)
    with pytest.raises(ValueError, match="adds the columns 'file' and 'row': rename column 'row'"):
        corpus.run(corpus.check_job(cl100k, ids="row"), [table], workers=0)
    with pytest.raises(KeyError, match=r"b\.parquet: there is no column 'kind'"):
        corpus.run(corpus.check_job(cl100k, ids="ids"), [table], group="kind", workers=0)
    cut = tmp_path / "c.jsonl.gz"
    cut.write_bytes(gzip.compress(b'{"tokens": [1]}\n' * 1000)[:-20])
    with pytest.raises(corpus.TaskError, match=r"c\.jsonl\.gz"):
        corpus.run(corpus.check_job(cl100k), [cut], workers=0)
    for option in ({"format": "csv"}, {"rows": "none"}, {"on": "dask"}):
        with pytest.raises(ValueError, match="must be one of"):
            corpus.run(job, [table], **option)


def test_a_column_that_no_file_has_is_a_wrong_name(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    job = corpus.check_job(cl100k)
    (tmp_path / "a.jsonl").write_text('not JSON\n{"ids": [1], "text": "a"}\n')
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"ids": [1]}\n'))
    (tmp_path / "c.jsonl").touch()
    with pytest.raises(KeyError, match=r"a\.jsonl: there is no column 'tokens' in the first lines; there are ids,"):
        corpus.run(job, [tmp_path], workers=0)
    # Not if a file has it, or cannot be judged by its first lines.
    for content in ('{"tokens": null}\n', "[1]\n", '{"ids": "' + "a" * 100_000 + '"}\n'):
        (tmp_path / "d.jsonl").write_text(content)
        assert corpus.run(job, [tmp_path], workers=0)["counts"]["errors"] == 4


def test_one_path_and_what_is_no_job(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": [9906]}\n')
    for one in (path, str(path), tmp_path):
        assert corpus.run(corpus.check_job(cl100k), one, workers=0)["counts"]["yes"] == 1
    with pytest.raises(TypeError, match=r"job must be a job, as of corpus\.check_job, not str"):
        corpus.run("check", path)  # type: ignore[arg-type]


def test_an_empty_file_has_no_rows(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    pq.write_table(pa.table({"tokens": pa.array([], type=pa.list_(pa.int32()))}), tmp_path / "b.parquet")
    summary = corpus.run(corpus.check_job(cl100k), [tmp_path], tmp_path / "out", workers=0)
    assert summary["counts"]["rows"] == 0 and summary["counts"]["rate"] is None


def test_too_many_groups_are_refused(cl100k: ff.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ffgrammar.corpus.report import summary

    monkeypatch.setattr(summary, "MAX_GROUPS", 5)
    path = _write(tmp_path, "a.jsonl", _rows(cl100k, 20))
    with pytest.raises(ff.LimitError, match="column 'id' has too many different values"):
        corpus.run(corpus.check_job(cl100k), [path], group="id", workers=0)


def test_the_page_needs_nothing_else(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = _write(tmp_path, "<b>.jsonl", _rows(cl100k, 40))
    page = corpus.page(corpus.run(corpus.check_job(cl100k), [path], group="source", workers=0))
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert 'src="data:image/svg+xml' in page and "<script" not in page and "//" not in page.replace("://www.w3.org", "")


# ---- worker processes

RUN = """
import sys
import ffgrammar as ff
from ffgrammar import corpus
from ffgrammar.corpus.data import json_lines

if __name__ == "__main__":
    json_lines.PART_BYTES = json_lines.BLOCK = 100_000
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    corpus.run(corpus.tokenize_job(tok), [sys.argv[1]], sys.argv[2], workers=2)
"""


def _process(script: Path, data: Path, output: Path) -> subprocess.Popen[bytes]:
    places = [str(Path(ff.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    return subprocess.Popen([sys.executable, str(script), str(data), str(output)], env=env, start_new_session=True)


def _children(process: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == process and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A script, a file of texts, and the results of a run that nothing has disturbed."""
    folder = tmp_path_factory.mktemp("corpus")
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").glob("test_*.py"))] * 2
    data = folder / "texts.jsonl"
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    script = folder / "run.py"
    script.write_text(RUN)
    assert _process(script, data, folder / "whole").wait() == 0
    return script, data, folder / "whole"


@pytest.mark.timing
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_run_that_is_killed_goes_on(finished: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """Killed together with its workers, and without them."""
    script, data, whole = finished
    output = tmp_path / "out"
    rng = random.Random(3)
    for kill in (os.killpg, os.kill):
        process = _process(script, data, output)
        done = len(list(output.glob("parts/*.json")))
        while process.poll() is None and len(list(output.glob("parts/*.json"))) < done + rng.randint(1, 7):
            time.sleep(0.01)
        kill(process.pid, signal.SIGKILL)
        process.wait()
    assert _process(script, data, output).wait() == 0
    assert files_of(output) == files_of(whole)
    assert len(list(output.glob("rows/*"))) > 10


@pytest.mark.timing
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_that_are_killed_are_replaced(finished: tuple[Path, Path, Path], tmp_path: Path) -> None:
    script, data, whole = finished
    process = _process(script, data, tmp_path / "out")
    killed: set[int] = set()
    while process.poll() is None and len(killed) < 3:
        for worker in _children(process.pid)[:1]:
            if worker not in killed and len(list(tmp_path.glob("out/parts/*.json"))) > len(killed) * 3:
                os.kill(worker, signal.SIGKILL)
                killed.add(worker)
        time.sleep(0.01)
    assert process.wait() == 0 and killed
    assert files_of(tmp_path / "out") == files_of(whole)


def test_a_part_whose_workers_always_die_is_given_up(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(corpus.TaskError, match=r"a\.jsonl: 3 worker processes died, .* \(exit code 9\)"):
        corpus.run(DyingJob(cl100k), [path], workers=2)


def test_a_line_is_judged_whole_wherever_it_stands(tmp_path: Path) -> None:
    """Also where pyarrow reads the lines, which looks only at the columns that are asked for."""
    lines = b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b", "other": "\xff"}\n'
    reader = json_lines._Reader({"text": "text", "id": None})
    assert reader._fast(lines) is None
    assert reader.batch(lines).column(READ_ERROR).to_pylist() == [None, "the line is not UTF-8 at byte 33"]


def test_rows_are_not_grouped_by_lists(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"text": ["a"], "list": [[1]]}), path)
    with pytest.raises(TypeError, match="by which rows cannot be grouped"):
        corpus.run(corpus.tokenize_job(cl100k), [path], group="list", workers=0)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"run": {}, "files": [5], "parts": []}', "[" * 100_000])
def test_damaged_results_are_told(cl100k: ff.Tokenizer, tmp_path: Path, text: str) -> None:
    path, output = tmp_path / "rows.jsonl", tmp_path / "output"
    path.write_text('{"text": "a"}\n')
    job = corpus.tokenize_job(cl100k)
    found = corpus.run(job, [path], output, workers=0)
    (part,) = (output / "parts").iterdir()
    kept = part.read_text()
    part.write_text(text)
    with pytest.raises(corpus.TaskError, match="damaged; remove it"):
        corpus.run(job, [path], output, workers=0)
    part.unlink()
    assert corpus.run(job, [path], output, workers=0) == found and part.read_text() == kept
    (output / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=r"manifest\.json is damaged"):
        corpus.run(job, [path], output, workers=0)


@pytest.mark.usefixtures("small_parts")
def test_a_manifest_must_have_all_parts(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    rows = _rows(cl100k, 100)
    paths = [_write(tmp_path, name, rows) for name in ("a.jsonl", "a.parquet", "a.jsonl.gz")]
    # (the same file twice is two files)
    paths.append(paths[0])
    job, output = corpus.check_job(cl100k), tmp_path / "out"
    found = corpus.run(job, paths, output, workers=0)
    assert found["counts"]["rows"] == 400
    path = output / "manifest.json"
    manifest = json.loads(path.read_bytes())
    parts = manifest["parts"]
    last_of_first = next(at for at, part in enumerate(parts) if part[0] == 1) - 1
    for wrong in ([], parts[1:], parts[:-1], [*parts[:2], *parts[3:]], parts[::-1], [*parts, parts[-1]],
                  [*parts[:last_of_first], *parts[last_of_first + 1 :]]):  # fmt: skip
        path.write_text(json.dumps({**manifest, "parts": wrong}))
        with pytest.raises(ValueError, match=r"manifest\.json is damaged"):
            corpus.run(job, paths, output, workers=0)
    path.write_text(json.dumps(manifest))
    assert corpus.run(job, paths, output, workers=0) == found


def test_rows_without_a_group_are_counted_apart(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a", "g": "null"}\n{"text": "a b", "g": null}\n{"text": ""}\nno JSON\n')
    summary = corpus.run(corpus.tokenize_job(cl100k), [path], tmp_path / "out", group="g", workers=0)
    assert {name: one["rows"] for name, one in summary["by_group"].items()} == {"null": 1}
    assert summary["without_group"] == {
        "rows": 3, "yes": 2, "no": 0, "errors": 1, "token_count": 2, "byte_count": 3, "rate": 1.0
    }  # fmt: skip
    # (one in the groups, one in the worst rows)
    assert corpus.page(summary).count("<td>null</td>") == 2
    path.write_text("")
    assert "By g" not in corpus.page(corpus.run(corpus.tokenize_job(cl100k), [path], group="g", workers=0))


def test_rows_are_grouped_by_bytes(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"text": ["a"] * 4, "g": [b"a", b"\xff", None, b"a"]}), path)
    summary = corpus.run(corpus.tokenize_job(cl100k), [path], group="g", workers=0)
    assert {name: one["rows"] for name, one in summary["by_group"].items()} == {"a": 2, "\\xff": 1}
    assert summary["without_group"]["rows"] == 1


def test_a_row_whose_score_is_zero_is_not_among_the_worst(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": ""}\n{"text": "1"}\n{"text": ""}\n')
    worst = corpus.run(corpus.tokenize_job(cl100k), [path], workers=0)["worst"]["rows"]
    assert [(row["row"], row["score"]) for row in worst] == [(1, 1)]
    # A row that is not valid is among them, even if it only ends early.
    grammar = ff.compile_json_schema({"type": "integer"}, cl100k)
    worst = corpus.run(corpus.validate_job(grammar), [path], workers=0)["worst"]["rows"]
    assert [(row["row"], row["score"]) for row in worst] == [(0, 0), (2, 0)]


def test_the_files_that_hugging_face_saves(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    """A folder as `DatasetDict.save_to_disk` writes it."""
    rows = _rows(cl100k, 40)
    for split, part in (("train", rows[:30]), ("test", rows[30:])):
        (tmp_path / "saved" / split).mkdir(parents=True)
        path = _write(tmp_path / "saved" / split, "stream.arrow", part)
        path.rename(path.with_name("data-00000-of-00001.arrow"))
        (path.parent / "state.json").write_text('{"_split": null}')
        (path.parent / "dataset_info.json").write_text("{}")
    (tmp_path / "saved" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    summary = corpus.run(corpus.check_job(cl100k), [tmp_path / "saved"], group="file", workers=0)
    assert {Path(name).parent.name: one["rows"] for name, one in summary["by_group"].items()} == {
        "test": 10,
        "train": 30,
    }
