"""How much memory an engine takes, measured in a process of its own.

There are two figures: the size after the vocabulary is loaded, and the peak of a run over all schemas. Both are in
megabytes, and leave out what the process held before the vocabulary was loaded, such as modules and documents.
"""

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

__all__ = ["measure", "resident"]

STATUS = Path("/proc/self/status")


def measure(
    names: Sequence[str], named: VocabularyName, schemas: Sequence[Schema], timeout: float, *, forced: bool
) -> dict[str, dict[str, float]]:
    """Megabytes by engine and then by `tokenizer` and `peak`; engines that could not be measured are left out."""
    if not STATUS.exists():
        complain("memory is left out: this system has no /proc")
        return {}
    found = {}
    for name in names:
        # The process is spawned, so that it starts with nothing of this one but the arguments.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            try:
                found[name] = pool.submit(_here, name, named, schemas, timeout, forced).result()
            except BrokenProcessPool:
                complain(f"memory of {name} is left out: its process ended before its time")
    return found


def _here(
    name: str, named: VocabularyName, schemas: Sequence[Schema], timeout: float, forced: bool
) -> dict[str, float]:
    """The figures of one engine, measured in this process."""
    # One mask is made before anything is measured, so that imports on first use do not count.
    engine = ENGINES[name](named)
    engine.load()
    engine.fill(engine.matcher(engine.compile(WARM_UP)))
    engine = ENGINES[name](named)
    _trim_heap()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    before = resident("VmRSS")
    engine.load()
    engine.encode("{}")
    _trim_heap()
    loaded = resident("VmRSS")
    with out_of_time_raises():
        for number, schema in enumerate(schemas):
            guarded(engine, schema, timeout, forced=forced)
            progress(number, len(schemas), f"memory of {name}")
    progress(len(schemas), len(schemas), "")
    return {"tokenizer": round(loaded - before, 1), "peak": round(resident("VmHWM") - before, 1)}


def _trim_heap() -> None:
    """Return unused memory to the system, where malloc can. Otherwise the next step could use it uncounted."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def resident(field: str) -> float:
    """A size of this process in megabytes, by its name in /proc/self/status: VmRSS (now) or VmHWM (at the peak).

    (getrusage would count the parent's peak as well.)

    Raises:
        OSError: the system does not tell.
    """
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise OSError(f"no {field} in {STATUS}")
