"""MaskBench, engines side by side. Tables on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from bench.data import Schema, encoding, load_schemas, shared_dir
from bench.engines import ENGINES, Engine, available, make
from bench.masks import prove
from bench.report import ratios, summary, table
from bench.walk import Result, run_schema


def main() -> int:
    options = _arguments()
    shared = options.shared or shared_dir()
    if shared is None:
        print("bench: the shared data is not there (see FFGRAMMAR_SHARED)", file=sys.stderr)
        return 2
    chosen = options.engines.split(",") if options.engines else list(ENGINES)
    names = [name for name in chosen if available(name)]
    for name in chosen:
        if name not in names:
            print(f"bench: {name} is not installed, left out", file=sys.stderr)
    if not names:
        return 2
    schemas = load_schemas(
        shared / "maskbench" / "dev.jsonl.gz",
        limit=options.limit,
        sample=options.sample,
        seed=options.seed,
        only=options.only,
    )
    if options.child_memory:
        print(json.dumps(_memory_here(names[0], options.tokenizer, shared, schemas, options.timeout)))
        return 0
    engines = [make(name, options.tokenizer, shared) for name in names]
    if options.masks is not None:
        return prove(engines[0], schemas, encoding(options.tokenizer, shared).encode_ordinary, options.masks)
    results = _run(engines, schemas, options.tokenizer, shared, options.timeout, forced=not options.no_forced)
    report: dict[str, Any] = {
        "tokenizer": options.tokenizer,
        "schemas": len(schemas),
        "engines": {engine.name: {"version": engine.version, **summary(results[engine.name])} for engine in engines},
        "ratios": {
            f"{names[0]}/{peer}": ratios(results[names[0]], results[peer]) for peer in names[1:] if len(schemas) > 0
        },
    }
    if not options.no_memory:
        report["memory"] = {name: _memory_in_child(name, sys.argv[1:]) for name in names}
    print(table(report))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/bench", description=__doc__)
    parser.add_argument("--engines", help=f"comma separated, the first is divided by the others: {', '.join(ENGINES)}")
    parser.add_argument("--limit", type=int, help="only the first schemas")
    parser.add_argument("--sample", type=int, help="this many schemas at random")
    parser.add_argument("--seed", type=int, default=0, help="of --sample")
    parser.add_argument("--only", default="", help="only schemas with this in their id")
    parser.add_argument("--tokenizer", default="cl100k_base", choices=("cl100k_base", "o200k_base"))
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one schema on one engine")
    parser.add_argument("--no-forced", action="store_true", help="leave out forced tokens")
    parser.add_argument("--no-memory", action="store_true", help="leave out peak memory (a child process an engine)")
    parser.add_argument("--masks", type=int, metavar="N", help="instead: all masks along N documents by brute force")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all figures to a file")
    parser.add_argument("--shared", type=Path, help="the shared data's directory")
    parser.add_argument("--child-memory", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _run(
    engines: list[Engine], schemas: list[Schema], tokenizer: str, shared: Path, timeout: float, *, forced: bool
) -> dict[str, list[Result]]:
    """All schemas; the engines take turns, and the one that begins changes too."""
    encode = encoding(tokenizer, shared).encode_ordinary
    results: dict[str, list[Result]] = {engine.name: [] for engine in engines}
    signal.signal(signal.SIGALRM, _out_of_time)
    gc.collect()
    gc.disable()
    for number, schema in enumerate(schemas):
        for turn in range(len(engines)):
            engine = engines[(number + turn) % len(engines)]
            results[engine.name].append(_guarded(engine, schema, encode, timeout, forced))
        if number % 20 == 0:
            gc.collect()
            _progress(number, len(schemas), schema.id)
    gc.enable()
    _progress(len(schemas), len(schemas), "")
    return results


def _guarded(engine: Engine, schema: Schema, encode: Any, timeout: float, forced: bool) -> Result:
    """One schema; an exception is a crash, running out of time a hang. A hang inside C code ends the process."""
    signal.setitimer(signal.ITIMER_REAL, timeout)
    faulthandler.dump_traceback_later(2 * timeout + 10, exit=True)
    try:
        return run_schema(engine, schema, encode, forced=forced)
    except TimeoutError as error:
        return Result(schema.id, "hang", str(error))
    except Exception as error:  # whatever it is, it must not end the run: it is the result
        return Result(schema.id, "crash", f"{type(error).__name__}: {error}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError("out of time")


def _progress(done: int, total: int, name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[Kbench: {done}/{total} {name}", end="\n" if done == total else "", file=sys.stderr, flush=True)
    elif done % 200 == 0 or done == total:
        print(f"bench: {done}/{total} {name}", file=sys.stderr, flush=True)


def _memory_in_child(name: str, arguments: list[str]) -> dict[str, float]:
    command = [sys.executable, str(Path(__file__).parent), *arguments, "--engines", name, "--child-memory"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _memory_here(name: str, tokenizer: str, shared: Path, schemas: list[Schema], timeout: float) -> dict[str, float]:
    """Megabytes above the process with its documents: after the vocabulary is loaded, and at the peak of the run."""
    encode = encoding(tokenizer, shared).encode_ordinary
    encode("{}")
    gc.collect()
    before = _resident("VmRSS")
    engine = make(name, tokenizer, shared)
    gc.collect()
    loaded = _resident("VmRSS")
    signal.signal(signal.SIGALRM, _out_of_time)
    for number, schema in enumerate(schemas):
        _guarded(engine, schema, encode, timeout, True)
        if number % 200 == 0:
            print(f"bench: memory of {name}: {number}/{len(schemas)}", file=sys.stderr, flush=True)
    return {"tokenizer": loaded - before, "peak": _resident("VmHWM") - before}


def _resident(field: str) -> float:
    """A size of this process in megabytes; getrusage would count the parent's peak as well."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"no {field} in /proc/self/status")
