"""Faults in a real corpus: `python tests/long_checks faults --megabytes 330 --on processes,ray,spark`.

The texts are those of this machine, in three corpora: token ids; ids beside the texts that they should spell; answers,
each beside its schema. A twentieth of the rows get a fault. Each engine must find all faults and nothing else, and all
engines must write the same files.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq

import ffgrammar as ff
from clusters.engines import local_spark, set_paths, two_nodes
from ffgrammar import corpus
from long_checks.injected import ANSWERS, ERRORS, IDS, PAIRS, Injector
from long_checks.real_texts import chunks
from long_checks.result_files import count_differences, files_of
from long_checks.row_files import Row, RowFiles
from shared_data import encoding, shared_dir

__all__ = ["jobs", "judge", "main", "write"]

ENGINES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "processes": nullcontext,
    "ray": two_nodes,
    "spark": local_spark,
}


def write(
    folder: Path, megabytes: float, tok: ff.Tokenizer, encode: Callable[[str], list[int]], seed: int
) -> Counter[str]:
    """Write the three corpora. Returns counts of what was written.

    Args:
        folder: gets a folder for each.
        megabytes: how much text.
        tok: the tokenizer.
        encode: turns a text into ids, as the tokenizer does.
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
            counts["answers that jsonschema judges otherwise"] += sum(map(_is_judged_otherwise, made))
    return counts


def _is_judged_otherwise(row: Row) -> bool:
    """Whether jsonschema accepts an answer with a fault, or rejects one without."""
    if row["fault"] in ERRORS:
        return False
    try:
        valid = jsonschema.Draft202012Validator(json.loads(row["schema"])).is_valid(json.loads(row["answer"]))
    except ValueError:
        valid = False
    return bool(valid) != (row["fault"] is None)


def jobs(tok: ff.Tokenizer) -> dict[str, Any]:
    """The job for each of the three corpora."""
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
    # (tiktoken makes the ids, so that a mistake of the tokenizer is found, too)
    encode = encoding("cl100k_base", shared).encode_ordinary
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    wrong = 0
    try:
        counts = write(folder, options.megabytes, tok, encode, options.seed)
        for name, count in counts.items():
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
    files = files_of(output)
    found["files that differ"] = count_differences(wanted.setdefault(name, files), files)
    told = ", ".join(f"{what} {count:,}" for what, count in found.items())
    print(f"{on}\t{name}\t{seconds:.0f} s\t{told}", flush=True)
    shutil.rmtree(output)
    return sum(count for what, count in found.items() if what not in ("rows", "faults"))
