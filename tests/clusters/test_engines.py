"""The same run on worker processes, on Ray and on Spark: row for row the same, also if workers are killed."""

from __future__ import annotations

import json
import random
import sysconfig
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ffgrammar as ff
from clusters.killer_job import KillerJob
from ffgrammar import corpus
from long_checks.faults import jobs, judge, write
from long_checks.result_files import files_of

ROWS = 600


def _split(tok: ff.Tokenizer, ids: list[int], rng: random.Random, known: dict[bytes, int]) -> list[int]:
    """The same text in tokens that the tokenizer would not write: one token is spelled by two."""
    while True:
        at = rng.randrange(len(ids))
        text = tok.token_bytes(ids[at])
        if len(text) > 1:
            cut = rng.randrange(1, len(text))
            if text[:cut] in known and text[cut:] in known:
                return [*ids[:at], known[text[:cut]], known[text[cut:]], *ids[at + 1 :]]


@pytest.fixture(scope="session")
def data(cl100k: ff.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts of Python's library as ids, a tenth of them spoiled, in several row groups and as JSONL."""
    folder = tmp_path_factory.mktemp("data")
    rng = random.Random(9)
    known = {cl100k.token_bytes(token): token for token in range(cl100k.vocab_size)}
    rows: list[dict[str, Any]] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))[:ROWS]:
        ids = cl100k.encode(path.read_text(encoding="utf-8", errors="replace"))
        is_spoiled = len(ids) > 20 and rng.random() < 0.1
        ids = _split(cl100k, ids, rng, known) if is_spoiled else ids
        rows.append({"tokens": ids, "spoiled": is_spoiled, "number": len(rows)})
    half = len(rows) // 2
    pq.write_table(pa.Table.from_pylist(rows[:half]), folder / "a.parquet", row_group_size=40)
    (folder / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[half:]) + "bad\n")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _small_parts() -> None:
    from ffgrammar.corpus.data import json_lines, part

    part.LEAST_BYTES = part.MOST_BYTES = json_lines.BLOCK = 200_000


@pytest.fixture(scope="session")
def wanted(cl100k: ff.Tokenizer, data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The results of worker processes."""
    output = tmp_path_factory.mktemp("out") / "out"
    summary = corpus.run(corpus.check_job(cl100k, keep=["spoiled"]), [data], output, group="spoiled", workers=2)
    found = pq.read_table(output / "rows", columns=["row"]).num_rows
    assert found == summary["counts"]["rows"] > 300 and summary["counts"]["errors"] == 1
    for file in (output / "rows").iterdir():
        for row in pq.read_table(file).to_pylist():
            assert row["error"] or row["canonical"] != (row["spoiled"] in (True, "true"))
    assert len(list((output / "parts").iterdir())) > 5
    return files_of(output)


def _run(cl100k: ff.Tokenizer, data: Path, output: Path, on: str) -> dict[str, bytes]:
    corpus.run(corpus.check_job(cl100k, keep=["spoiled"]), [data], output, group="spoiled", on=on)
    return files_of(output)


@pytest.mark.usefixtures("ray_cluster")
def test_ray(cl100k: ff.Tokenizer, data: Path, wanted: dict[str, bytes], tmp_path: Path) -> None:
    assert _run(cl100k, data, tmp_path / "out", "ray") == wanted


@pytest.mark.usefixtures("spark")
def test_spark(cl100k: ff.Tokenizer, data: Path, wanted: dict[str, bytes], tmp_path: Path) -> None:
    assert _run(cl100k, data, tmp_path / "out", "spark") == wanted


@pytest.mark.parametrize(("on", "many"), [("processes", 2), ("ray", 3), ("spark", 2)])
def test_workers_that_are_killed(
    cl100k: ff.Tokenizer,
    data: Path,
    wanted: dict[str, bytes],
    tmp_path: Path,
    on: str,
    many: int,
    request: pytest.FixtureRequest,
) -> None:
    if on != "processes":
        request.getfixturevalue({"ray": "ray_cluster"}.get(on, on))
    job = KillerJob(cl100k, keep=("spoiled",))
    (tmp_path / "killed").mkdir()
    job.folder, job.many = str(tmp_path / "killed"), many
    corpus.run(job, [data], tmp_path / "out", group="spoiled", on=on)
    assert len(list((tmp_path / "killed").iterdir())) >= many
    assert files_of(tmp_path / "out") == wanted


# ---- faults in texts


@pytest.fixture(scope="session")
def faulty(cl100k: ff.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real texts with faults: token ids, ids beside texts, and answers under schemas; and the results of processes."""
    folder = tmp_path_factory.mktemp("faulty")
    assert write(folder, 3, cl100k, cl100k.encode, 1)["answers that jsonschema judges otherwise"] == 0
    for name, job in jobs(cl100k).items():
        corpus.run(job, [folder / name], folder / "out" / name, group="fault", workers=2)
        found = judge(folder / "out" / name, job)
        assert found.pop("rows") > 100 and found.pop("faults") > 3
        assert not any(found.values()), found
    return folder


@pytest.mark.parametrize("on", ["ray", "spark"])
def test_faults_are_found_on_engines(
    cl100k: ff.Tokenizer, faulty: Path, tmp_path: Path, on: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue({"ray": "ray_cluster"}.get(on, on))
    for name, job in jobs(cl100k).items():
        corpus.run(job, [faulty / name], tmp_path / name, group="fault", on=on)
        assert files_of(tmp_path / name) == files_of(faulty / "out" / name)


# ---- datasets


@pytest.fixture(scope="session")
def table(data: Path) -> Any:
    return pq.read_table(data / "a.parquet")


def _sorted(table: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pylist()
    return sorted(rows, key=lambda row: row["number"])


def test_a_dataset_of_ray(cl100k: ff.Tokenizer, table: Any, ray_cluster: Any) -> None:
    dataset = ray_cluster.data.from_arrow(table).repartition(4)
    found = pa.concat_tables(ray_cluster.get(corpus.check(dataset, cl100k).to_arrow_refs()))
    assert _sorted(found) == _sorted(corpus.check(table, cl100k))


def test_a_data_frame_of_spark(cl100k: ff.Tokenizer, table: Any, spark: Any, data: Path) -> None:
    frame = spark.read.parquet(str(data / "a.parquet")).repartition(3)
    found = corpus.check(frame, cl100k)
    rows = sorted([row.asDict() for row in found.collect()], key=lambda row: row["number"])
    assert rows == _sorted(corpus.check(table, cl100k))


def test_a_dataset_of_hugging_face(cl100k: ff.Tokenizer, table: Any, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    wanted = corpus.check(table, cl100k).to_pylist()
    dataset = datasets.Dataset(table)
    assert corpus.check(dataset, cl100k).to_list() == wanted
    assert list(corpus.check(dataset.to_iterable_dataset(), cl100k)) == wanted
    # Its files, as it writes them.
    datasets.DatasetDict({"train": dataset}).save_to_disk(str(tmp_path / "saved"))
    summary = corpus.run(corpus.check_job(cl100k), [tmp_path / "saved"], workers=0)
    assert summary["counts"]["rows"] == len(wanted)
    assert summary["counts"]["no"] == sum(row["spoiled"] for row in wanted)
