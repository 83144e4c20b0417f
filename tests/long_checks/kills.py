"""Runs that are killed: `python tests/long_checks kills --seconds 60 --on processes,ray,spark`.

First a run over answers is left alone. It reads as many copies of this machine's texts as it takes to run for
`--seconds`. Then the same run is killed at ten random moments, with its workers or without them, and started again each
time. On Ray and Spark a worker is killed instead. All runs must write the same files.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import ffgrammar as ff
from clusters.engines import set_paths, two_nodes
from long_checks.injected import ANSWERS, Injector
from long_checks.real_texts import chunks
from long_checks.result_files import count_differences, files_of
from long_checks.row_files import RowFiles

__all__ = ["main"]


def _write(folder: Path, megabytes: float) -> list[Path]:
    injector = Injector(ff.Tokenizer.from_tiktoken("cl100k_base"), lambda _: [], random.Random(1))
    with RowFiles(folder, ANSWERS) as files:
        for chunk in chunks(megabytes):
            files.write([injector.answer(one) for one in chunk])
    return sorted(folder.iterdir())


def _copies(folder: Path, files: list[Path], count: int) -> None:
    """Give files more names, so that a run reads them `count` times."""
    for number in range(count):
        copy = folder / f"copy-{number:03}"
        if not copy.exists():
            copy.mkdir(parents=True)
            for file in files:
                (copy / file.name).symlink_to(file)


class _Run:
    """`ffgrammar corpus validate` as a process group of its own."""

    def __init__(self, data: Path, output: Path, on: str) -> None:
        command = [sys.executable, "-m", "ffgrammar_cli", "corpus", "validate", str(data), "-o", str(output)]
        options = ["--schema-column", "schema", "--text", "answer", "--keep", "at", "--group", "fault", "--json"]
        self.output = output
        self.process = subprocess.Popen(
            [*command, *options, "--on", on], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )

    def wait(self) -> bool:
        """Wait for its end. Returns whether it ended by itself and without an error."""
        assert self.process.stderr is not None
        told = self.process.stderr.read().decode("utf-8", "replace")
        code = self.process.wait()
        if code not in (0, 1, -signal.SIGKILL):
            print(told[-2000:], file=sys.stderr, flush=True)
        return code in (0, 1)

    def kill(self, with_workers: bool) -> None:
        (os.killpg if with_workers else os.kill)(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def parts(self) -> int:
        """How many parts are done."""
        return len(list(self.output.glob("parts/*.json")))


def _descendants(process: int) -> dict[int, tuple[int, bytes]]:
    """The processes that a process has started, that these have started, and so on: each with its parent and its
    command line."""
    every: dict[int, tuple[int, bytes]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            every[int(folder.name)] = parent, (folder / "cmdline").read_bytes()
        except OSError:
            continue
    found: dict[int, tuple[int, bytes]] = {}
    fresh = {process}
    while fresh:
        fresh = {one for one, (parent, _) in every.items() if parent in fresh and one not in found}
        found.update((one, every[one]) for one in fresh)
    return found


def _workers(on: str) -> list[int]:
    """The processes that do parts now. Ray names them after the task; Spark's daemon forks them."""
    every = _descendants(os.getpid())
    if on == "ray":
        return [one for one, (_, line) in every.items() if line.startswith(b"ray::MapBatches")]
    daemons = {one for one, (_, line) in every.items() if b"pyspark.daemon" in line or b"pyspark/daemon" in line}
    return [one for one in daemons if every[one][0] in daemons]


def _killed_runs(data: Path, output: Path, seconds: float, kills: int, rng: random.Random) -> None:
    """A run that is killed at random moments, and started again each time."""
    moments = sorted(rng.uniform(0, seconds) for _ in range(kills))
    for number, (begin, end) in enumerate(zip([0.0, *moments], moments, strict=False), 1):
        run = _Run(data, output, "processes")
        try:
            run.process.wait(end - begin)
            print("the run was over before it could be killed", flush=True)
        except subprocess.TimeoutExpired:
            with_workers = number % 2 == 0
            run.kill(with_workers)
            who = "with" if with_workers else "without"
            print(f"kill {number} at {end:.1f} s, {who} its workers, {run.parts()} parts done", flush=True)


def _killed_workers(data: Path, output: Path, on: str, seconds: float, kills: int, rng: random.Random) -> None:
    """A run whose workers are killed at random moments. Time counts from when there are workers."""
    run = _Run(data, output, on)
    while run.process.poll() is None and not _workers(on):
        time.sleep(0.05)
    begun = time.monotonic()
    for moment in sorted(rng.uniform(0, seconds) for _ in range(kills)):
        while run.process.poll() is None:
            workers = _workers(on) if time.monotonic() - begun >= moment else []
            if workers:
                os.kill(rng.choice(workers), signal.SIGKILL)
                print(f"{on}: worker killed at {time.monotonic() - begun:.1f} s, {run.parts()} parts done", flush=True)
                break
            time.sleep(0.05)
    if not run.wait():
        print(f"{on}: the run gave up, and is started again", flush=True)


@contextmanager
def _engine(on: str) -> Iterator[None]:
    """Set the environment so that the shell's command finds an engine."""
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--master local[2,4] --driver-memory 1g pyspark-shell"
    with two_nodes() if on == "ray" else nullcontext() as ray:
        if ray is not None:
            os.environ["RAY_ADDRESS"] = ray.get_runtime_context().gcs_address
        yield


def _whole(folder: Path, files: list[Path], wanted: float) -> tuple[dict[str, bytes], float]:
    """The results of a run that takes at least `wanted` seconds, and how many it took."""
    count, seconds = 1, 0.0
    while True:
        _copies(folder / "data", files, count)
        begun = time.monotonic()
        if not _Run(folder / "data", folder / "whole", "processes").wait():
            raise SystemExit("the run failed")
        seconds = time.monotonic() - begun
        print(f"{count} copies: {seconds:.1f} s", flush=True)
        if seconds >= wanted:
            return files_of(folder / "whole"), seconds
        shutil.rmtree(folder / "whole")
        count = max(count + 1, math.ceil(count * wanted * 1.2 / seconds))


def main() -> int:
    """The script; the exit status is 1 if a result differs."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks kills", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=100, help="how much text; runs read it several times (100)")
    parser.add_argument("--seconds", type=float, default=60, help="a run takes at least this long (60)")
    parser.add_argument("--kills", type=int, default=10, help="how often it is killed (10)")
    parser.add_argument("--on", default="processes", help="engines, with commas between (processes)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    set_paths()
    rng = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    wrong = 0
    try:
        whole, seconds = _whole(folder, _write(folder / "texts", options.megabytes), options.seconds)
        for on in options.on.split(","):
            output = folder / on
            with _engine(on):
                if on == "processes":
                    _killed_runs(folder / "data", output, seconds, options.kills, rng)
                else:
                    _killed_workers(folder / "data", output, on, seconds, options.kills, rng)
                ended = _Run(folder / "data", output, on).wait()
            differ = count_differences(whole, files_of(output))
            wrong += differ + (not ended)
            print(f"{on}: {len(whole)} files, {differ} of them differ", flush=True)
    finally:
        shutil.rmtree(folder)
    print(f"wrong: {wrong}")
    return 1 if wrong else 0
