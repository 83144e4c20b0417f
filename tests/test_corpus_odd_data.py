"""Data that is odd, but no reason to stop a run: texts that are not UTF-8, values that Python cannot hold, lines that
it cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

import ffgrammar as ff  # noqa: E402
from ffgrammar import corpus  # noqa: E402
from ffgrammar.corpus.data import json_lines  # noqa: E402
from ffgrammar.corpus.data.inputs import find_sources, plan_parts  # noqa: E402
from ffgrammar.corpus.data.tables import table_batches  # noqa: E402
from ffgrammar.corpus.jobs.tokenize import Tokenize  # noqa: E402

# A column of texts that are not UTF-8, as a careless writer leaves it.
NOT_UTF8 = pa.array([b"a", b"\xff", b"b\xfe"]).view(pa.string())


def _write(folder: Path, ending: str, **columns: Any) -> Path:
    table = pa.table({"text": ["x", "y", "z"], **columns})
    path = folder / f"data.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_texts_that_are_not_utf8_go_through(cl100k: ff.Tokenizer, tmp_path: Path, ending: str, kind: str) -> None:
    path = _write(tmp_path, ending, k=NOT_UTF8)
    job = corpus.tokenize_job(cl100k, keep=["k"])
    summary = corpus.run(job, path, tmp_path / "out", group="k", format=kind, workers=0)
    assert list(summary["by_group"]) == ["\\xff", "a", "b\\xfe"] and summary["counts"]["yes"] == 3
    [rows] = (tmp_path / "out" / "rows").iterdir()
    if kind == "jsonl":
        assert [json.loads(line)["k"] for line in rows.read_text().splitlines()] == ["a", "\\xff", "b\\xfe"]
    else:
        assert pq.read_table(rows)["k"].cast(pa.binary()).to_pylist() == [b"a", b"\xff", b"b\xfe"]


def test_a_schema_that_is_not_utf8_is_an_error_of_its_row(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = _write(tmp_path, "arrow", k=pa.array([b"true", b"\xff", b"{}"]).view(pa.string()))
    summary = corpus.run(corpus.validate_job(schema="k", tokenizer=cl100k), path, workers=0)
    assert summary["errors"] == {"k is not UTF-8 at byte 0": 1}


ODD_COLUMNS = [
    (pa.array([10**8, 0, None], pa.int32()).cast(pa.date32()), 2),
    (pa.array([1, 2, 3], pa.timestamp("us", "No/Where")), 3),
    (pa.array([1, 2, 1_000_000_001], pa.timestamp("ns")), 3),
    (pa.array(["a", None, "a"], pa.string_view()), 1),
    (pa.array([b"a", None, b"\xff"], pa.binary_view()), 2),
    (pa.array(["a", None, "a"]).dictionary_encode(), 1),
    (pa.array([b"\xff", None, b"a"]).dictionary_encode(), 2),
]


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize(("column", "groups"), ODD_COLUMNS)
def test_columns_of_odd_types_can_be_kept_and_grouped_by(
    cl100k: ff.Tokenizer, tmp_path: Path, column: Any, groups: int, kind: str
) -> None:
    path = _write(tmp_path, "arrow", k=column)
    for rows in ("all", "bad"):
        job = corpus.tokenize_job(cl100k, keep=["k"])
        summary = corpus.run(job, path, tmp_path / rows, group="k", format=kind, rows=rows, workers=0)
        assert len(summary["by_group"]) == groups
        assert summary.get("without_group", {"rows": 0})["rows"] == column.null_count


def test_types_that_parquet_has_not_are_told(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = _write(tmp_path, "arrow", k=pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()))
    job = corpus.tokenize_job(cl100k, keep=["k"])
    with pytest.raises(corpus.TaskError, match=r"data\.arrow: .*month_day_nano_interval"):
        corpus.run(job, path, tmp_path / "out", workers=0)
    assert corpus.run(job, path, tmp_path / "lines", format="jsonl", workers=0)["counts"]["yes"] == 3


def test_ids_beyond_all_vocabularies_beside_nulls(cl100k: ff.Tokenizer) -> None:
    ids = pa.array([[9906, None], [2**63 + 5], [9906], None], pa.list_(pa.uint64()))
    found = corpus.check(pa.table({"tokens": ids}), cl100k)
    assert found["canonical"].to_pylist() == [None, None, True, None]
    empty = pa.table({"tokens": [[], None]})
    assert empty.schema.field("tokens").type == pa.list_(pa.null())
    assert corpus.check(empty, cl100k)["canonical"].to_pylist() == [True, None]


DEEP = b'{"text": "a", "id": 5, "other": ' + b"[" * 3000 + b"]" * 3000 + b"}"
LONG = b'{"text": "a", "id": 5, "other": ' + b"7" * 5000 + b"}"


@pytest.mark.parametrize("odd", [DEEP, LONG], ids=["deep", "long"])
def test_what_python_cannot_read_is_no_error_where_nobody_asks_for_it(
    cl100k: ff.Tokenizer, tmp_path: Path, odd: bytes
) -> None:
    """Nor does it depend on the lines before and after it."""
    usual = b'{"text": "a", "id": 5}'
    job = corpus.tokenize_job(cl100k, keep=["id"])
    for number, lines in enumerate(([odd], [usual, odd], [odd, usual], [odd, b"", usual], [b"", odd])):
        path, output = tmp_path / f"{number}.jsonl", tmp_path / str(number)
        path.write_bytes(b"\n".join(lines) + b"\n")
        counts = corpus.run(job, path, output, format="jsonl", workers=0)["counts"]
        assert (counts["yes"], counts["errors"]) == (len(lines) - lines.count(b""), lines.count(b""))
        [rows] = (output / "rows").iterdir()
        found = [json.loads(line) for line in rows.read_text().splitlines()]
        assert [row["id"] for row in found] == ["5" if line else None for line in lines]
    path = tmp_path / "kept.jsonl"
    path.write_bytes(odd + b"\n")
    assert corpus.run(corpus.tokenize_job(cl100k, keep=["other"]), path, workers=0)["counts"]["errors"] == 1


def test_a_byte_order_mark_alone_is_an_empty_file(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf")
    assert corpus.run(corpus.tokenize_job(cl100k), tmp_path, workers=0)["counts"]["rows"] == 0


def test_names_that_cannot_be_are_told_before_the_run(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": [9906], "canonical": 1}\n')
    for kept in ("canonical", "error"):
        with pytest.raises(ValueError, match=f"column '{kept}' has the name of a result"):
            corpus.run(corpus.check_job(cl100k, keep=[kept]), path, tmp_path / "out")
    with pytest.raises(ValueError, match="a run has a column '__read_error__' of its own"):
        corpus.run(corpus.check_job(cl100k, keep=["__read_error__"]), path, tmp_path / "out")
    with pytest.raises(TypeError, match="column 'tokens' has token ids, by which rows cannot be grouped"):
        corpus.run(corpus.check_job(cl100k), path, tmp_path / "out", group="tokens")
    twice = tmp_path / "b.parquet"
    pq.write_table(pa.table([["a"], ["b"]], names=["text", "text"]), twice)
    with pytest.raises(ValueError, match=r"b\.parquet: there are 2 columns 'text'; rename all but one"):
        corpus.run(corpus.tokenize_job(cl100k), twice)
    with pytest.raises(ValueError, match="the name is not UTF-8"):
        find_sources(["/tmp/\udcff.jsonl"])
    assert not (tmp_path / "out").exists()


def test_batches_of_parquet_are_short_where_one_row_group_is_long(tmp_path: Path) -> None:
    """Also where other row groups of the part have short rows, and where a file has the same number many times."""
    path = tmp_path / "a.parquet"
    schema = pa.schema({"tokens": pa.list_(pa.int32()), "text": pa.string()})
    with pq.ParquetWriter(path, schema, compression="none") as writer:
        writer.write_table(pa.table({"tokens": [[1]] * 5000, "text": ["a"] * 5000}, schema=schema))
        writer.write_table(pa.table({"tokens": [[7] * 100_000] * 100, "text": ["a"] * 100}, schema=schema))
        writer.write_table(pa.table({"tokens": [[1]] * 5000, "text": ["a"] * 5000}, schema=schema).slice(0, 0))
        writer.write_table(pa.table({"tokens": [[1]] * 5000, "text": ["a"] * 5000}, schema=schema))
    [part] = plan_parts(find_sources([str(path)]))
    batches = list(table_batches(part, ["tokens"]))
    assert max(batch.nbytes for batch in batches) < 10 << 20
    assert [batch.num_rows for batch in batches] == [4096, 904, *[8] * 12, 4, 4096, 904]
    assert [batch.num_rows for batch in table_batches(part, ["text"])] == [4096, 4096, 1908]


def test_batches_of_a_text_that_is_there_many_times_are_short(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = pa.DictionaryArray.from_arrays([number % 2 for number in range(500)], ["a" * 300_000, "b" * 300_000])
    pq.write_table(pa.table({"text": texts}), path, store_schema=False)
    assert path.stat().st_size < 1 << 20
    [part] = plan_parts(find_sources([str(path)]))
    batches = list(table_batches(part, ["text"]))
    assert sum(batch.num_rows for batch in batches) == 500 and max(batch.nbytes for batch in batches) < 10 << 20


def test_a_file_that_changes_while_it_is_read_is_told(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n')

    class Changing(Tokenize):
        def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
            path.write_text('{"text": "b"}\n{"text": "c"}\n')
            return super().results(batch, errors)

    with pytest.raises(corpus.TaskError, match="has changed since the run was planned"):
        corpus.run(Changing(cl100k), path, tmp_path / "out", workers=0)
    assert not list((tmp_path / "out" / "rows").iterdir())


def test_a_long_line_is_judged_by_its_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE", 100)
    for length in (99, 100, 101, 120):
        for before in range(40):
            text = b"a" * before + b"\n" + b"b" * length + b"\n"
            blocks = [text[at : at + 32] for at in range(0, len(text), 32)]
            lines = b"".join(json_lines._whole_lines(iter(blocks))).splitlines()
            assert (lines[1] == b"b" * length) == (length <= 100)


def test_counts_of_errors_are_exact_where_they_come_late(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"tokens": [-7]}\n')
    others = "".join(f'{{"tokens": [{10**7 + number}]}}\n' for number in range(30))
    (tmp_path / "b.jsonl").write_text(others + '{"tokens": [-7]}\n' * 5)
    errors = corpus.run(corpus.check_job(cl100k), tmp_path, workers=0)["errors"]
    assert len(errors) == 20 and errors["token 0: id -7 is not in the vocabulary"] == 6
