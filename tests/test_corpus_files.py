"""Files of a corpus: formats, lines, rows that are bad, files that are wrong."""

from __future__ import annotations

import gzip
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

import ffgrammar as ff  # noqa: E402
from corpus_rows import rows_of, use_small_parts, write_rows  # noqa: E402
from ffgrammar import corpus  # noqa: E402
from ffgrammar.corpus.data import json_lines  # noqa: E402
from ffgrammar.corpus.data.inputs import find_sources, plan_parts  # noqa: E402
from ffgrammar.corpus.data.part import Source, part_bytes  # noqa: E402
from ffgrammar.corpus.data.tables import table_batches  # noqa: E402
from ffgrammar.corpus.jobs.job import READ_ERROR  # noqa: E402
from oracle import corpus as oracle  # noqa: E402

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


def test_a_line_is_judged_whole_wherever_it_stands(tmp_path: Path) -> None:
    """Also where pyarrow reads the lines, which looks only at the columns that are asked for."""
    lines = b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b", "other": "\xff"}\n'
    reader = json_lines._Reader({"text": "text", "id": None})
    assert reader._fast(lines) is None
    assert reader.batch(lines).column(READ_ERROR).to_pylist() == [None, "the line is not UTF-8 at byte 33"]


def test_lines_that_are_too_long_are_rows_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE", 50)
    text = b"a\n" + b"b" * 40 + b"\n" + b"c" * 100 + b"\nd\n" + b"e" * 100
    for size in (7, 10, 64):
        blocks = [text[at : at + size] for at in range(0, len(text), size)]
        lines = b"".join(json_lines._whole_lines(iter(blocks))).splitlines()
        if size < 50:
            assert lines == [b"a", b"b" * 40, json_lines.TOO_LONG[:-1], b"d", json_lines.TOO_LONG[:-1]]


def test_runs_are_cut_into_parts_that_are_short_beside_them() -> None:
    def size(*files: int) -> int:
        return part_bytes([Source("a.jsonl", "jsonl", "", one, 0, "") for one in files])

    assert size() == size(10) == size(1 << 20, 1 << 24) == 1 << 20
    assert size(1 << 28, 1 << 28) == (1 << 29) // 64
    assert size(1 << 30) == size(1 << 40) == 16 << 20


def test_batches_of_long_rows_have_few(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    words = random.Random(1)
    rows = [{"text": f"{number} {words.randbytes(50_000).hex()}"} for number in range(1000)]
    pq.write_table(pa.Table.from_pylist(rows), path, compression="none", use_dictionary=False)
    [part] = plan_parts(find_sources([str(path)]))
    batches = list(table_batches(part, ["text"]))
    assert [row for batch in batches for row in batch.to_pylist()] == rows
    assert all(batch.nbytes < 10 << 20 for batch in batches) and len(batches) > 10


NAMES = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet", "stream.arrow", "file.arrow"]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_parts(monkeypatch)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_rows_of_the_oracle(cl100k: ff.Tokenizer, tmp_path: Path, name: str) -> None:
    rows = rows_of(cl100k, 300)
    path = write_rows(tmp_path, name, rows)
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
    rows = rows_of(cl100k, 60)
    for name in NAMES:
        write_rows(data / "train", name, rows)
    write_rows(data / "train" / ".hidden", "b.jsonl", rows)
    (data / "dataset_info.json").write_text("{}")
    job = corpus.check_job(cl100k)
    summary = corpus.run(job, [data], tmp_path / "out", format="jsonl", rows="bad", workers=0)
    files = sorted((tmp_path / "out" / "rows").iterdir())
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(found) == summary["counts"]["no"] + summary["counts"]["errors"] < summary["counts"]["rows"] == 360
    assert all(row["error"] or row["canonical"] is False for row in found)
    assert corpus.run(corpus.check_job(cl100k), [data], workers=0)["counts"] == summary["counts"]


def test_what_is_wrong_with_files_is_said(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    job = corpus.check_job(cl100k)
    with pytest.raises(ValueError, match=r"no files in .*; their names must end in \.jsonl"):
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


@pytest.mark.parametrize(
    "content",
    [
        '[{"tokens": [1]}]',
        '[{"tokens": [1]},\n {"tokens": [2]}]\n',
        '\n[\n{"tokens": [1]}\n]',
        '{\n "tokens": [1]\n}\n',
    ],
)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_one_json_document_is_refused_once(cl100k: ff.Tokenizer, tmp_path: Path, content: str, ending: str) -> None:
    path = tmp_path / f"a.jsonl{ending}"
    data = b"\xef\xbb\xbf" + content.encode()
    path.write_bytes(gzip.compress(data) if ending else data)
    with pytest.raises(ValueError, match=r"a\.jsonl.*: this is one JSON document"):
        corpus.run(corpus.check_job(cl100k), [path], workers=0)


def test_a_bad_first_line_is_a_row_and_no_document(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    for line in ("[", "{", "[1,", '[{"tokens": [1]}]'):
        (tmp_path / "a.jsonl").write_text(f'{line}\n{{"tokens": [9906]}}\n')
        assert corpus.run(corpus.check_job(cl100k), [tmp_path], workers=0)["counts"]["errors"] == 1


def test_numbers_that_json_does_not_have_are_null(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    table = pa.table({"tokens": [[9906]] * 3, "x": [math.nan, math.inf, 1.5], "y": [[{"z": -math.inf}], [], None]})
    pq.write_table(table, tmp_path / "a.parquet")
    out = tmp_path / "out"
    corpus.run(corpus.check_job(cl100k, keep=["x", "y"]), [tmp_path / "a.parquet"], out, format="jsonl", workers=0)
    [written] = (out / "rows").iterdir()
    rows = [json.loads(line, parse_constant=pytest.fail) for line in written.read_text().splitlines()]
    assert [row["x"] for row in rows] == [None, None, 1.5]
    assert [row["y"] for row in rows] == [[{"z": None}], [], None]


def test_one_path_and_what_is_no_job(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": [9906]}\n')
    for one in (path, str(path), tmp_path):
        assert corpus.run(corpus.check_job(cl100k), one, workers=0)["counts"]["yes"] == 1
    with pytest.raises(TypeError, match=r"job must be a job, as of corpus\.check_job, not str"):
        corpus.run("check", path)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_byte_order_mark_is_no_part_of_the_first_line(cl100k: ff.Tokenizer, tmp_path: Path, name: str) -> None:
    lines = b'\xef\xbb\xbf{"tokens": [9906]}\n{"tokens": [9906]}\n'
    (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith("gz") else lines)
    counts = corpus.run(corpus.check_job(cl100k), [tmp_path / name], workers=0)["counts"]
    assert (counts["rows"], counts["yes"], counts["errors"]) == (2, 2, 0)


def test_an_empty_file_has_no_rows(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    pq.write_table(pa.table({"tokens": pa.array([], type=pa.list_(pa.int32()))}), tmp_path / "b.parquet")
    summary = corpus.run(corpus.check_job(cl100k), [tmp_path], tmp_path / "out", workers=0)
    assert summary["counts"]["rows"] == 0 and summary["counts"]["rate"] is None


def test_the_files_that_hugging_face_saves(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    """A folder as `DatasetDict.save_to_disk` writes it."""
    rows = rows_of(cl100k, 40)
    for split, part in (("train", rows[:30]), ("test", rows[30:])):
        (tmp_path / "saved" / split).mkdir(parents=True)
        path = write_rows(tmp_path / "saved" / split, "stream.arrow", part)
        path.rename(path.with_name("data-00000-of-00001.arrow"))
        (path.parent / "state.json").write_text('{"_split": null}')
        (path.parent / "dataset_info.json").write_text("{}")
    (tmp_path / "saved" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    summary = corpus.run(corpus.check_job(cl100k), [tmp_path / "saved"], group="file", workers=0)
    assert {Path(name).parent.name: one["rows"] for name, one in summary["by_group"].items()} == {
        "test": 10,
        "train": 30,
    }
