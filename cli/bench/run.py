"""The run: all schemas on all engines, which take turns.

Other load on the machine comes and goes; this way it falls on all engines alike. A turn has several schemas, because a
server runs one engine: if the engines took turns schema by schema, each would find the processor's caches full of what
the other has left.
"""

from __future__ import annotations

import faulthandler
import gc
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from types import FrameType

from .data import Schema
from .engines import Engine
from .walk import Result, run_schema

__all__ = ["guard", "guarded", "no_collection", "out_of_time_raises", "progress", "ready", "run"]

# A tokenizer is made this many times. The shortest time counts, because other load can only add to it.
LOADS = 3
# How many schemas an engine runs in its turn.
TURN = 20
WARM_UP = {"type": "string", "pattern": "^a"}


def ready(engines: Sequence[Engine]) -> dict[str, int]:
    """Load the engines. Returns, by name, the nanoseconds until each could encode a text and compile a schema."""
    best: dict[str, int] = {}
    for number in range(LOADS):
        for engine in engines:
            start = perf_counter_ns()
            engine.load()
            engine.encode("{}")
            spent = perf_counter_ns() - start
            best[engine.name] = min(spent, best.get(engine.name, spent))
            if number == 0:
                # Imports on first use must not count for the first schema. What is learned here is lost when the
                # tokenizer is made again.
                engine.fill(engine.matcher(engine.compile(WARM_UP)))
    return best


def run(
    engines: Sequence[Engine], schemas: Sequence[Schema], timeout: float, *, forced: bool
) -> dict[str, list[Result]]:
    """The results of each engine, by name, in the order of the schemas. The engines take turns at being first."""
    results: dict[str, list[Result]] = {engine.name: [] for engine in engines}
    with out_of_time_raises(), no_collection():
        for start in range(0, len(schemas), TURN):
            for place in range(len(engines)):
                engine = engines[(start // TURN + place) % len(engines)]
                for schema in schemas[start : start + TURN]:
                    results[engine.name].append(guarded(engine, schema, timeout, forced=forced))
                gc.collect()
            progress(start, len(schemas), schemas[start].id)
    progress(len(schemas), len(schemas), "")
    return results


def guarded(engine: Engine, schema: Schema, timeout: float, *, forced: bool) -> Result:
    """Run one schema. An exception counts as a crash, a timeout as a hang."""
    try:
        with guard(timeout):
            return run_schema(engine, schema, forced=forced)
    except TimeoutError as error:
        return Result(schema.id, "hang", str(error))
    except Exception as error:  # it must not end the run: it is the result
        return Result(schema.id, "crash", f"{type(error).__name__}: {error}")


@contextmanager
def guard(timeout: float) -> Iterator[None]:
    """Raise TimeoutError after so many seconds, under `out_of_time_raises`. A hang inside C code ends the process."""
    signal.setitimer(signal.ITIMER_REAL, timeout)
    faulthandler.dump_traceback_later(2 * timeout + 10, exit=True, file=2)  # sys.stderr may be no file
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def out_of_time_raises() -> Iterator[None]:
    """Raise TimeoutError when the timer of `guard` goes off."""
    before = signal.signal(signal.SIGALRM, _out_of_time)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError("out of time")


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect garbage between schemas, not in the middle of what is timed."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def progress(done: int, total: int, name: str) -> None:
    """Show progress in one line at a terminal, and nowhere else."""
    if sys.stderr.isatty():
        end = "\r\x1b[K" if done == total else ""
        print(f"\r\x1b[Kffgrammar: {done}/{total} {name[:60]}", end=end, file=sys.stderr, flush=True)
