"""Whole runs, with reading, writing and counting: python -m clusters.runs [MEGABYTES].

Each run is done by one worker process, then by two, then twice at once by one worker each. If two cores are free,
wall time says how much faster two workers are. Where two cores do not do twice the work of one, as on many virtual
machines, two runs at once say what two processes can do that share nothing, and two workers are compared with that. CPU
time shows what two workers cost more than one, and what one process does alone (planning and merging in this process,
and the start of a worker). The last table extrapolates to 100 GB.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import ffgrammar as ff
from clusters.rates import SCHEMA, answers
from ffgrammar import corpus
from long_checks.real_texts import chunks

# How many times each file has its rows, so that a run is long beside its start. Ids in Parquet are read fastest.
COPIES = {".jsonl": 4, ".parquet": 8}


class Cost(NamedTuple):
    """What a run cost, in seconds.

    Attributes:
        wall: from its start to its end.
        parent, workers: CPU time of this process, and of the workers.
    """

    wall: float
    parent: float
    workers: float


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write(folder: Path, megabytes: float, tok: ff.Tokenizer) -> dict[str, int]:
    """Write the files of all runs. Returns how many bytes of text and how many tokens there are."""
    counts = {"texts": 0, "bytes": 0, "tokens": 0}
    schema = pa.schema([("tokens", pa.list_(pa.int32()))])
    with (
        open(folder / "texts.jsonl", "w", encoding="utf-8") as texts,
        open(folder / "ids.jsonl", "w", encoding="utf-8") as ids,
        open(folder / "answers.jsonl", "w", encoding="utf-8") as said,
        pq.ParquetWriter(folder / "ids.parquet", schema) as table,
    ):
        for chunk in chunks(megabytes):
            encoded = [tok.encode(one.text) for one in chunk]
            texts.write(_lines([{"text": one.text} for one in chunk]))
            ids.write(_lines([{"tokens": row} for row in encoded]))
            table.write_table(pa.table({"tokens": encoded}, schema=schema))
            counts["texts"] += len(chunk)
            counts["bytes"] += sum(len(one.text.encode()) for one in chunk)
            counts["tokens"] += sum(map(len, encoded))
        lines = _lines([{"answer": answer} for answer in answers(20_000)])
        for _ in range(int(megabytes * 1e6 / len(lines)) + 1):
            said.write(lines)
    for path in list(folder.iterdir()):
        _repeat(path)
    return {name: count * COPIES[".jsonl"] for name, count in counts.items()}


def _repeat(path: Path) -> None:
    """Write a file over, with its rows several times."""
    once = path.rename(path.with_name("once"))
    if path.suffix == ".parquet":
        file = pq.ParquetFile(once)
        with pq.ParquetWriter(path, file.schema_arrow) as table:
            for _ in range(COPIES[path.suffix]):
                for number in range(file.num_row_groups):
                    table.write_table(file.read_row_group(number))
    else:
        with open(path, "wb") as lines:
            for _ in range(COPIES[path.suffix]):
                with open(once, "rb") as one:
                    shutil.copyfileobj(one, lines)
    once.unlink()


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _once(job: Any, path: Path, output: Path, workers: int) -> Cost:
    wall, parent, children = perf_counter(), process_time(), _children()
    corpus.run(job, [path], output, workers=workers)
    cost = Cost(perf_counter() - wall, process_time() - parent, _children() - children)
    shutil.rmtree(output)
    return cost


def _two_at_once(job: Any, path: Path, output: Path) -> float:
    """The seconds that two runs take that are done at the same time, by one worker each, and share nothing."""
    fork = multiprocessing.get_context("fork")
    outputs = [output.with_name(f"{output.name}{number}") for number in range(2)]
    runs = [fork.Process(target=_once, args=(job, path, one, 1)) for one in outputs]
    begin = perf_counter()
    for run in runs:
        run.start()
    for run in runs:
        run.join()
        assert run.exitcode == 0
    return perf_counter() - begin


class Costs(NamedTuple):
    """What a run costs.

    Attributes:
        one, two: with one worker, and with two.
        apart: the seconds of two runs at once.
    """

    one: Cost
    two: Cost
    apart: float


def _costs(job: Any, path: Path, output: Path) -> Costs:
    """What runs over one file cost."""
    return Costs(_once(job, path, output, 1), _once(job, path, output, 2), _two_at_once(job, path, output))


def _tell(name: str, size: float, start: float, costs: Costs) -> float:
    """Print what a run costs. Returns megabytes for each second of CPU time of one worker."""
    one, two, apart = costs
    alone = one.parent + start
    # One process does some work alone. Two workers share the rest.
    by_time = (one.parent + one.workers) / (alone + (two.workers - 2 * start) / 2)
    rate = size / (one.workers - start)
    print(
        f"{name}\t{rate:.1f} MB a CPU second\t"
        f"wall {one.wall:.1f} s and {two.wall:.1f} s: {one.wall / two.wall:.2f} times as fast\t"
        f"two runs at once {apart:.1f} s: {2 * one.wall / apart:.2f} times as fast as one after the other\t"
        f"two workers do {apart / 2 / two.wall:.2f} of that\t"
        f"CPU {one.workers:.1f} s and {two.workers:.1f} s ({two.workers / one.workers - 1:+.0%})\t"
        f"alone {one.parent:.2f} s in the parent, {start:.2f} s to start\tby CPU {by_time:.2f} times as fast",
        flush=True,
    )
    return rate


def main() -> None:
    """All runs."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    grammar = ff.compile_json_schema(SCHEMA, tok)
    folder = Path(tempfile.mkdtemp(prefix="runs-"))
    try:
        counts = write(folder, float(sys.argv[1]) if len(sys.argv) > 1 else 240, tok)
        print("\t".join(f"{count:,} {name}" for name, count in counts.items()), flush=True)
        runs = {
            "check, ids in Parquet": (corpus.check_job(tok), "ids.parquet"),
            "check, ids as JSONL": (corpus.check_job(tok), "ids.jsonl"),
            "tokenize, texts as JSONL": (corpus.tokenize_job(tok), "texts.jsonl"),
            "validate, answers as JSONL": (corpus.validate_job(grammar, text="answer"), "answers.jsonl"),
            "forced, answers as JSONL": (corpus.forced_job(grammar, text="answer"), "answers.jsonl"),
        }
        table = []
        for name, (job, file) in runs.items():
            short = folder / f"short{Path(file).suffix}"
            _write_short(folder / file, short)
            start = min(_once(job, short, folder / "out", 1).workers for _ in range(3))
            # For ids in Parquet the rate is that of their texts, because the files are much smaller.
            times = COPIES[".parquet"] / COPIES[".jsonl"]
            size = counts["bytes"] * times if file == "ids.parquet" else (folder / file).stat().st_size
            rate = _tell(name, size / 1e6, start, _costs(job, folder / file, folder / "out"))
            table.append((name, rate))
        print("\n100 GB in minutes\tone core\t2 cores\t16 cores")
        for name, rate in table:
            minutes = 100_000 / rate / 60
            print(f"{name}\t{minutes:.0f}\t{minutes / 1.9:.0f}\t{minutes / 15.2:.1f}")
    finally:
        shutil.rmtree(folder)


def _write_short(path: Path, short: Path) -> None:
    """The same file with one row."""
    if path.suffix == ".parquet":
        pq.write_table(pq.ParquetFile(path).read_row_group(0).slice(0, 1), short)
    else:
        with open(path, "rb") as file:
            short.write_bytes(file.readline())


if __name__ == "__main__":
    main()
