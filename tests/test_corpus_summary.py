"""The summary of a run: groups, the worst rows, the page."""

from __future__ import annotations

from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

import ffgrammar as ff  # noqa: E402
from corpus_rows import rows_of, write_rows  # noqa: E402
from ffgrammar import corpus  # noqa: E402


def test_too_many_groups_are_refused(cl100k: ff.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ffgrammar.corpus.report import summary

    monkeypatch.setattr(summary, "MAX_GROUPS", 5)
    path = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 20))
    with pytest.raises(ff.LimitError, match="column 'id' has too many different values"):
        corpus.run(corpus.check_job(cl100k), [path], group="id", workers=0)


def test_the_page_needs_nothing_else(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = write_rows(tmp_path, "<b>.jsonl", rows_of(cl100k, 40))
    page = corpus.page(corpus.run(corpus.check_job(cl100k), [path], group="source", workers=0))
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert 'src="data:image/svg+xml' in page and "<script" not in page and "//" not in page.replace("://www.w3.org", "")


def test_rows_are_not_grouped_by_lists(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"text": ["a"], "list": [[1]]}), path)
    with pytest.raises(TypeError, match="by which rows cannot be grouped"):
        corpus.run(corpus.tokenize_job(cl100k), [path], group="list", workers=0)


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
