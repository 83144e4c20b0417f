"""Folders of results: runs that go on, one run at a time, what is damaged, worker processes that die."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import ffgrammar as ff
from corpus_rows import rows_of, use_small_parts, write_rows
from dying_job import DyingJob
from ffgrammar import corpus
from ffgrammar.corpus.data.inputs import find_sources, plan_parts
from ffgrammar.corpus.runs import processes
from ffgrammar.corpus.runs.task import Task
from long_checks.result_files import files_of

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_parts(monkeypatch)


@pytest.mark.usefixtures("small_parts")
def test_a_run_goes_on_where_it_was(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 300))
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
    path, output = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 20)), tmp_path / "out"
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
    path, whole, output = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 20)), tmp_path / "whole", tmp_path / "out"
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
    path = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 20))
    with pytest.raises(ValueError, match="is not empty, and has no results"):
        corpus.run(corpus.check_job(cl100k), [path], tmp_path, workers=0)
    assert list(tmp_path.iterdir()) == [path]


def test_another_run_is_refused(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 20))
    output = tmp_path / "out"
    corpus.run(corpus.check_job(cl100k), [path], output, workers=0)
    with pytest.raises(ValueError, match="another run, with other group, keep"):
        corpus.run(corpus.check_job(cl100k), [path], output, group="id", workers=0)
    with pytest.raises(ValueError, match=r"another run, with other .*tokenizer"):
        corpus.run(corpus.check_job(ff.Tokenizer.from_tiktoken("o200k_base")), [path], output, workers=0)
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(ValueError, match=f"files that have changed since: {re.escape(str(path))}"):
        corpus.run(corpus.check_job(cl100k), [path], output, workers=0)


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


def test_numbers_beyond_all_bounds_are_damage(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path, output = tmp_path / "rows.jsonl", tmp_path / "output"
    path.write_text('{"text": "a"}\n')
    job = corpus.tokenize_job(cl100k)
    corpus.run(job, [path], output, workers=0)
    (part,) = (output / "parts").iterdir()
    state = json.loads(part.read_bytes())
    for wrong in ({"bins": [10**30, *state["bins"][1:]]}, {"bytes": float("inf")}, {"bytes": None}):
        part.write_text(json.dumps({**state, **wrong}))
        with pytest.raises(corpus.TaskError, match="damaged; remove it"):
            corpus.run(job, [path], output, workers=0)


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_rows_that_are_gone_are_made_again(cl100k: ff.Tokenizer, tmp_path: Path, kind: str) -> None:
    path, output = write_rows(tmp_path, "a.jsonl", rows_of(cl100k, 20)), tmp_path / "out"
    job = corpus.check_job(cl100k)
    found = corpus.run(job, [path], output, format=kind, workers=0)
    before = files_of(output)
    (rows,) = (output / "rows").iterdir()
    rows.unlink()
    assert corpus.run(job, [path], output, format=kind, workers=0) == found
    assert files_of(output) == before
    rows.write_bytes(rows.read_bytes()[:-10])
    assert corpus.run(job, [path], output, format=kind, workers=0) == found
    assert files_of(output) == before


@pytest.mark.usefixtures("small_parts")
def test_a_manifest_must_have_all_parts(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    rows = rows_of(cl100k, 100)
    paths = [write_rows(tmp_path, name, rows) for name in ("a.jsonl", "a.parquet", "a.jsonl.gz")]
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


# ---- worker processes

# If it is told to, it kills after some bytes: itself with its workers ("killpg"), itself alone ("kill"), or a worker,
# three times ("worker"). (A signal from outside could come after the end of the run.)
RUN = """
import multiprocessing, os, signal, sys
import ffgrammar as ff
from ffgrammar import corpus
from ffgrammar.corpus.data import json_lines, part

what, size = sys.argv[3:] or ("nothing", 0)
killed = []

def progress(now):
    if now.done - now.earlier < int(size) * (len(killed) + 1):
        return
    # (a part is given up after three workers that die, and which part a worker has is a matter of chance)
    if what == "worker" and len(killed) < 2:
        worker = multiprocessing.active_children()[len(killed) % 2]
        os.kill(worker.pid, signal.SIGKILL)
        killed.append(worker.pid)
    if what in ("kill", "killpg"):
        getattr(os, what)(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    part.LEAST_BYTES = part.MOST_BYTES = json_lines.BLOCK = 100_000
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    corpus.run(corpus.tokenize_job(tok), [sys.argv[1]], sys.argv[2], workers=2, progress=progress)
    assert what != "worker" or len({*killed}) == 2
"""


def _process(
    script: Path, data: Path, output: Path, *killed: str, stderr: int | None = None
) -> subprocess.Popen[bytes]:
    places = [str(Path(ff.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    command = [sys.executable, str(script), str(data), str(output), *killed]
    return subprocess.Popen(command, env=env, start_new_session=True, stderr=stderr)


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
def test_a_run_that_is_killed_goes_on(finished: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """Killed together with its workers, and without them."""
    script, data, whole = finished
    output = tmp_path / "out"
    done = 0
    for kill, size in (("killpg", "400000"), ("kill", "700000")):
        assert _process(script, data, output, kill, size).wait() == -signal.SIGKILL
        done, before = len(list(output.glob("parts/*.json"))), done
        assert before < done < len(list(whole.glob("parts/*.json")))
    assert _process(script, data, output).wait() == 0
    assert files_of(output) == files_of(whole)
    assert len(list(output.glob("rows/*"))) > 10


@pytest.mark.timing
def test_workers_that_are_killed_are_replaced(finished: tuple[Path, Path, Path], tmp_path: Path) -> None:
    script, data, whole = finished
    assert _process(script, data, tmp_path / "out", "worker", "300000").wait() == 0
    assert files_of(tmp_path / "out") == files_of(whole)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_ctrl_c_is_for_the_first_process_alone(finished: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """Sent to all, as a terminal does, while the workers import what they need."""
    script, data, _ = finished
    for wanted in (1, 2):
        process = _process(script, data, tmp_path / f"out{wanted}", stderr=subprocess.PIPE)
        workers: list[int] = []
        while len(workers) < wanted and process.poll() is None:
            workers = _children(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        told = process.communicate()[1].decode()
        assert told.count("Traceback") == 1 and told.rstrip().endswith("KeyboardInterrupt") and "spawn_main" not in told
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_a_large_task_waits_for_no_dead_worker(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    """A task that no pipe holds, for a worker that is killed while it starts."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n')
    [part] = plan_parts(find_sources([str(path)]))
    job = DyingJob(cl100k, keep=("a" * 4_000_000,))
    worker = processes._Worker(Task(job, None, None, "parquet", "all"))
    worker._process.kill()
    worker.give(part)
    with pytest.raises((EOFError, OSError)):
        worker.take()
    worker.end()


def test_a_part_whose_workers_always_die_is_given_up(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(corpus.TaskError, match=r"a\.jsonl: 3 worker processes died, .* \(exit code 9\)"):
        corpus.run(DyingJob(cl100k), [path], workers=2)
