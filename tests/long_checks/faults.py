"""Faults in a real corpus: `python tests/long_checks faults --megabytes 330 --on processes,ray,spark`.

The corpus is the texts of this machine, in three forms: token ids; ids beside the texts that they should spell; answers
under a schema of their row. A twentieth of the rows gets a fault. Each engine must find each of them, and nothing else,
and the results must be the same files.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq

import ffgrammar as ff
from clusters.engines import local_spark, set_paths, two_nodes
from ffgrammar import corpus
from long_checks.injected import ANSWERS, ERRORS, IDS, PAIRS, Injector
from long_checks.real_texts import RealText, real_texts
from long_checks.row_files import Row, RowFiles
from shared_data import encoding, shared_dir

__all__ = ["chunks", "jobs", "judge", "main", "write"]

# Characters of the texts of a row group.
CHUNK = 4_000_000
ENGINES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "processes": nullcontext,
    "ray": two_nodes,
    "spark": local_spark,
}


def chunks(megabytes: float) -> Iterator[list[RealText]]:
    """The texts of a corpus, as many at a time as fit the memory."""
    chunk: list[RealText] = []
    size = 0
    for one in real_texts(megabytes):
        chunk.append(one)
        size += len(one.text)
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def write(
    folder: Path, megabytes: float, tok: ff.Tokenizer, encode: Callable[[str], list[int]], seed: int
) -> Counter[str]:
    """Write the three corpora. Returns how much of what there is.

    Args:
        folder: gets a folder for each.
        megabytes: of texts.
        tok: the tokenizer.
        encode: what makes ids of a text, as the tokenizer does.
        seed: decides where faults are.
    """
    injector = Injector(tok, encode, random.Random(seed))
    counts: Counter[str] = Counter()
    with (
        RowFiles(folder / "ids", IDS) as ids,
        RowFiles(folder / "pairs", PAIRS) as pairs,
        RowFiles(folder / "answers", ANSWERS) as answers,
    ):
        for chunk in chunks(megabytes):
            encoded = [encode(one.text) for one in chunk]
            ids.write([injector.ids(one) for one in encoded])
            pairs.write([injector.pair(one.text, row) for one, row in zip(chunk, encoded, strict=True)])
            made = [injector.answer(one) for one in chunk]
            answers.write(made)
            counts["texts"] += len(chunk)
            counts["bytes"] += sum(len(one.text.encode()) for one in chunk)
            counts["tokens"] += sum(map(len, encoded))
            counts["answers that jsonschema judges otherwise"] += sum(map(_is_otherwise, made))
    return counts


def _is_otherwise(row: Row) -> bool:
    """Whether an answer with a fault is valid, or one without is not."""
    if row["fault"] in ERRORS:
        return False
    try:
        valid = jsonschema.Draft202012Validator(json.loads(row["schema"])).is_valid(json.loads(row["answer"]))
    except ValueError:
        valid = False
    return bool(valid) != (row["fault"] is None)


def jobs(tok: ff.Tokenizer) -> dict[str, Any]:
    """What is done with each of the three corpora."""
    keep = ("fault", "at")
    return {
        "ids": corpus.check_job(tok, keep=keep),
        "pairs": corpus.check_job(tok, text="text", keep=keep),
        "answers": corpus.validate_job(text="answer", schema="schema", tokenizer=tok, keep=keep),
    }


def judge(output: Path, job: Any) -> Counter[str]:
    """How many rows and faults there are in results, and what is wrong with them."""
    place = "offset" if job.name == "validate" else "first_divergence"
    found: Counter[str] = Counter()
    for file in sorted((output / "rows").iterdir()):
        for row in pq.read_table(file, columns=[job.verdict, place, "error", "fault", "at"]).to_pylist():
            fault, verdict = row["fault"], row[job.verdict]
            found["rows"] += 1
            found["faults"] += fault is not None
            found["not found"] += fault in ERRORS and row["error"] is None
            found["not found"] += fault not in (None, *ERRORS) and verdict is not False
            found["invented"] += fault is None and verdict is not True
            found["misplaced"] += row["at"] is not None and row[place] != int(row["at"])
    return found


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def main() -> int:
    """The script; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks faults", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=330, help="how much text, as UTF-8 (330)")
    parser.add_argument("--on", default="processes", help="engines, with commas between (processes)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    set_paths()
    shared = shared_dir()
    if shared is None:
        raise SystemExit("the shared data is not there (see FFGRAMMAR_SHARED)")
    # (the ids are those of tiktoken)
    encode = encoding("cl100k_base", shared).encode_ordinary
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    wrong = 0
    try:
        for name, count in (counts := write(folder, options.megabytes, tok, encode, options.seed)).items():
            print(f"{name}\t{count:,}", flush=True)
        wrong += counts["answers that jsonschema judges otherwise"]
        wanted: dict[str, dict[str, bytes]] = {}
        for on in options.on.split(","):
            with ENGINES[on]():
                for name, job in jobs(tok).items():
                    wrong += _run(folder, name, job, on, wanted)
    finally:
        shutil.rmtree(folder)
    print(f"wrong: {wrong}")
    return 1 if wrong else 0


def _run(folder: Path, name: str, job: Any, on: str, wanted: dict[str, dict[str, bytes]]) -> int:
    """Do a job on an engine, and tell what is wrong. `wanted` has the results of the first engine."""
    output = folder / "out" / on / name
    begun = time.perf_counter()
    corpus.run(job, [folder / name], output, group="fault", on=on)
    seconds = time.perf_counter() - begun
    found = judge(output, job)
    files = _files(output)
    found["files that differ"] = sum(
        files.get(path) != data for path, data in wanted.setdefault(name, files).items()
    ) + len(files.keys() - wanted[name].keys())
    told = ", ".join(f"{what} {count:,}" for what, count in found.items())
    print(f"{on}\t{name}\t{seconds:.0f} s\t{told}", flush=True)
    shutil.rmtree(output)
    return sum(count for what, count in found.items() if what not in ("rows", "faults"))
