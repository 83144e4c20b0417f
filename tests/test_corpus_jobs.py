"""Jobs on record batches of Arrow, beside the oracle."""

from __future__ import annotations

import json
import pickle
import random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

import ffgrammar as ff  # noqa: E402
from ffgrammar import corpus  # noqa: E402
from oracle import corpus as oracle  # noqa: E402

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TEXTS = ["hello world", "", None, "é日\U0001f600", "  \n  x", '{"n": 12}', '{"n": 1.5}', '{"n": 1', "<|endoftext|>"]


def _assert_rows(job: Any, batch: Any, wanted: list[dict[str, Any]]) -> None:
    """The rows of a job, after a journey as a pickle; also of slices."""
    job = pickle.loads(pickle.dumps(job))
    for start in (0, 3):
        found = job(batch.slice(start)).to_pylist()
        for row, other in zip(found, wanted[start:], strict=True):
            results = {name: row[name] for name in job.result_names}
            assert {**results, "error": row["error"] is not None} == other


def _id_rows(tok: ff.Tokenizer) -> list[list[int | None] | None]:
    rng = random.Random(2)
    rows: list[list[int | None] | None] = [None if text is None else [*tok.encode(text)] for text in TEXTS * 20]
    for row in rows:
        if row and rng.random() < 0.5:
            row[rng.randrange(len(row))] = rng.choice([rng.randrange(300), tok.eos_token_ids[0], -1, 1 << 30, None])
    return rows


@pytest.mark.parametrize("lists", [pa.list_, pa.large_list])
@pytest.mark.parametrize("numbers", [pa.int32(), pa.int64()])
def test_check(cl100k: ff.Tokenizer, lists: Any, numbers: Any) -> None:
    rows = _id_rows(cl100k)
    batch = pa.record_batch({"tokens": pa.array(rows, type=lists(numbers)), "id": list(range(len(rows)))})
    _assert_rows(corpus.check_job(cl100k), batch, [oracle.check(cl100k, row) for row in rows])
    assert corpus.check(batch, cl100k).column("id").to_pylist() == list(range(len(rows)))


@pytest.mark.parametrize("kind", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.int8(), pa.int16()])
def test_check_takes_ids_of_any_width(cl100k: ff.Tokenizer, kind: Any) -> None:
    rows = [[72, 105], [], [64, 64], None]
    wanted = [oracle.check(cl100k, row) for row in rows]
    batch = pa.record_batch({"tokens": pa.array(rows, type=pa.list_(kind))})
    _assert_rows(corpus.check_job(cl100k), batch, wanted)
    fixed = pa.array([[72, 105], None, [64, 64], [100, 1]], type=pa.list_(kind, 2))
    wanted = [oracle.check(cl100k, row) for row in fixed.to_pylist()]
    _assert_rows(corpus.check_job(cl100k), pa.record_batch({"tokens": fixed}), wanted)


def test_check_with_the_texts_that_ids_should_spell(cl100k: ff.Tokenizer) -> None:
    rows = _id_rows(cl100k)
    texts = [text and text.replace("é", "e") for text in TEXTS * 20]
    batch = pa.record_batch({"tokens": pa.array(rows, type=pa.list_(pa.int32())), "t": texts})
    wanted = [oracle.check(cl100k, None if text is None else row, text) for row, text in zip(rows, texts, strict=True)]
    _assert_rows(corpus.check_job(cl100k, text="t"), batch, wanted)


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary", "string_view", "dictionary"])
def test_tokenize(cl100k: ff.Tokenizer, kind: str) -> None:
    texts = pa.array(TEXTS)
    column = texts.dictionary_encode() if kind == "dictionary" else texts.cast(getattr(pa, kind)())
    wanted = [oracle.tokenize(cl100k, text) for text in TEXTS]
    _assert_rows(corpus.tokenize_job(cl100k), pa.record_batch({"text": column}), wanted)


def test_validate_and_forced(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(SCHEMA, cl100k)
    batch = pa.record_batch({"text": TEXTS})
    _assert_rows(corpus.validate_job(grammar), batch, [oracle.validate(grammar, text) for text in TEXTS])
    _assert_rows(corpus.forced_job(grammar), batch, [oracle.forced(grammar, text) for text in TEXTS])


def test_a_schema_for_each_row(cl100k: ff.Tokenizer) -> None:
    schemas = [json.dumps(SCHEMA), '{"type": "string"}', '{"type": 5}', "nonsense", None]
    texts = ['{"n": 1}', '"a"', "5"]
    rows = [(text, schema) for text in texts for schema in schemas]
    batch = pa.record_batch({"text": [one for one, _ in rows], "schema": [one for _, one in rows]})
    for made in (corpus.validate_job, corpus.forced_job):
        found = made(schema="schema", tokenizer=cl100k)(batch)
        for row in found.to_pylist():
            if row["schema"] in schemas[:2]:
                grammar = ff.compile_json_schema(row["schema"], cl100k)
                assert row["valid"] == oracle.validate(grammar, row["text"])["valid"] and row["error"] is None
            else:
                assert row["valid"] is None and row["error"].startswith("schema")


def test_schemas_that_are_bytes(cl100k: ff.Tokenizer) -> None:
    schemas = [b'{"enum": ["\xc3\xa9"]}', b'{"enum": ["\xe9"]}', None]
    batch = pa.record_batch({"text": ['"é"'] * 3, "schema": pa.array(schemas, type=pa.binary())})
    found = corpus.validate(batch, schema="schema", tokenizer=cl100k)
    assert found.column("valid").to_pylist() == [True, None, None]
    assert found.column("error").to_pylist() == [None, "schema is not UTF-8 at byte 11", "schema is null"]


def test_tokenizers_and_grammars_are_unpickled_once(cl100k: ff.Tokenizer) -> None:
    job = corpus.validate_job(ff.compile_json_schema(SCHEMA, cl100k))
    data = pickle.dumps(job)
    assert pickle.loads(data).grammars.grammar.value is pickle.loads(data).grammars.grammar.value
    assert pickle.loads(data).describe() == job.describe()


def test_datasets_of_pyarrow(cl100k: ff.Tokenizer, tmp_path: Any) -> None:
    table = pa.table({"text": TEXTS * 3, "id": range(27)})
    wanted = corpus.tokenize(table, cl100k)
    assert wanted.num_rows == 27 and wanted.column("id") == table.column("id")
    assert corpus.tokenize(table.to_reader(), cl100k).read_all().equals(wanted)
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "a.parquet")
    dataset = pytest.importorskip("pyarrow.dataset").dataset(tmp_path)
    assert corpus.tokenize(dataset, cl100k).read_all().equals(wanted)
    assert corpus.tokenize(table.slice(0, 0), cl100k).schema == wanted.schema


def test_what_is_wrong_with_a_call_is_said(cl100k: ff.Tokenizer) -> None:
    batch = pa.record_batch({"text": ["a"], "n": [1.5], "error": ["x"]})
    with pytest.raises(KeyError, match="there is no column 'tokens'"):
        corpus.check(batch, cl100k)
    with pytest.raises(TypeError, match="column 'n' is of type double, which is not text"):
        corpus.tokenize(batch, cl100k, text="n")
    with pytest.raises(ValueError, match="column 'error' has the name of a result"):
        corpus.tokenize(batch, cl100k)
    assert corpus.tokenize(batch, cl100k, keep=["n"]).column("n").to_pylist() == [1.5]
    with pytest.raises(
        TypeError, match=r"a dataset of Ray, Spark, datasets or pyarrow is expected, not builtins\.list"
    ):
        corpus.tokenize([1], cl100k)
    with pytest.raises(TypeError, match="give a grammar, or the column of the schemas"):
        corpus.validate_job()
    with pytest.raises(TypeError, match="a column of schemas needs a tokenizer"):
        corpus.validate_job(schema="s")
    with pytest.raises(TypeError, match="tokenizer must be a Tokenizer"):
        corpus.check_job("cl100k_base")  # type: ignore[arg-type]
    cannot_encode = ff.Tokenizer.from_tokens([b"a"], eos_token_id=())
    with pytest.raises(ff.TokenizerError, match="cannot encode"):
        corpus.check_job(cannot_encode)
