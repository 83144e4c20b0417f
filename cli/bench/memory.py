"""Memory of an engine, in a process of its own: megabytes above the process with its documents."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from ..options import VocabularyName
from ..show import complain
from .data import Schema
from .engines import ENGINES
from .run import WARM_UP, guarded, out_of_time_raises, progress

__all__ = ["measure"]

STATUS = Path("/proc/self/status")


def measure(
    names: Sequence[str], named: VocabularyName, schemas: Sequence[Schema], timeout: float, *, forced: bool
) -> dict[str, dict[str, float]]:
    """`tokenizer` and `peak` of each engine; without those that could not be measured."""
    if not STATUS.exists():
        complain("memory is left out: this system has no /proc")
        return {}
    found = {}
    for name in names:
        # Spawned, so that it starts with nothing of this process but its arguments.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            try:
                found[name] = pool.submit(_here, name, named, schemas, timeout, forced).result()
            except BrokenProcessPool:
                complain(f"memory of {name} is left out: its process ended before its time")
    return found


def _here(
    name: str, named: VocabularyName, schemas: Sequence[Schema], timeout: float, forced: bool
) -> dict[str, float]:
    """After the vocabulary is loaded, and at the peak of the run."""
    # What is imported late is no part of it, as in the times.
    engine = ENGINES[name](named)
    engine.load()
    engine.fill(engine.matcher(engine.compile(WARM_UP)))
    engine = ENGINES[name](named)
    _give_back()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    before = _resident("VmRSS")
    engine.load()
    engine.encode("{}")
    _give_back()
    loaded = _resident("VmRSS")
    with out_of_time_raises():
        for number, schema in enumerate(schemas):
            guarded(engine, schema, timeout, forced=forced)
            progress(number, len(schemas), f"memory of {name}")
    progress(len(schemas), len(schemas), "")
    return {"tokenizer": round(loaded - before, 1), "peak": round(_resident("VmHWM") - before, 1)}


def _give_back() -> None:
    """Frees what is not used any more, to the system where malloc can: the next step is not to find it free."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _resident(field: str) -> float:
    """A size of this process in megabytes; getrusage would count the parent's peak as well."""
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"no {field} in {STATUS}")
