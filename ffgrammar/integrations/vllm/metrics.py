"""What is counted and measured: in vLLM's names, with the package that vLLM uses, prometheus_client.

    vllm:ffgrammar_compile_seconds          how long a grammar took, from the request to its matcher
    vllm:ffgrammar_mask_seconds             how long a step waited for the masks of all its requests
    vllm:ffgrammar_requests                 grammars by kind and by whether they compiled
    vllm:ffgrammar_forced_tokens            tokens that were drafted because a grammar forces them
    vllm:ffgrammar_forced_tokens_accepted   how many of these the model wrote

The engine may run in another process than the one that is asked for metrics. Then its figures go through files, as
those of several API servers do.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from prometheus_client import REGISTRY, Counter, Histogram, multiprocess, values

__all__ = ["Metrics", "collect_from_engines"]

# A folder that processes share: the variable of prometheus_client, and one of our own for engines only.
_SHARED = "PROMETHEUS_MULTIPROC_DIR"
_FOLDER = "FFGRAMMAR_METRICS_DIR"
_BUCKETS = tuple(base * 10.0**power for power in range(-6, 1) for base in (1, 2, 5))
_made: list[Any] = []
_folder: tempfile.TemporaryDirectory[str] | None = None
_owner: int | None = None


def collect_from_engines() -> None:
    """Let this process tell the figures of the engines that it starts. Processes that it starts do nothing here."""
    global _folder, _owner
    if _SHARED in os.environ or multiprocessing.parent_process() is not None:
        return
    _folder = tempfile.TemporaryDirectory(prefix="ffgrammar-metrics-")
    _owner = os.getpid()
    os.environ[_FOLDER] = _folder.name
    multiprocess.MultiProcessCollector(REGISTRY, _folder.name)


def _share() -> None:
    """Write the figures of this process to files, if another one tells them."""
    folder = os.environ.get(_SHARED) or os.environ.get(_FOLDER)
    if folder and _owner != os.getpid():
        os.environ[_SHARED] = folder
        values.ValueClass = values.MultiProcessValue()


class Metrics:
    """The metrics of one engine. Those of an earlier engine in the same process go away."""

    def __init__(self) -> None:
        _share()
        while _made:
            # (vLLM unregisters all metrics of its own when it makes an engine)
            with suppress(KeyError):
                REGISTRY.unregister(_made.pop())
        self._compile = self._add(Histogram, "compile_seconds", "Time to compile a grammar.", buckets=_BUCKETS)
        self._mask = self._add(Histogram, "mask_seconds", "Time of the masks of one step.", buckets=_BUCKETS)
        self._requests = self._add(Counter, "requests", "Grammars that were asked for.", ["kind", "outcome"])
        self.forced = self._add(Counter, "forced_tokens", "Tokens drafted because a grammar forces them.")
        self.accepted = self._add(Counter, "forced_tokens_accepted", "Forced tokens that the model wrote.")

    def _add(self, kind: type[Any], name: str, *rest: Any, **options: Any) -> Any:
        found = kind(f"vllm:ffgrammar_{name}", *rest, **options)
        _made.append(found)
        return found

    @contextmanager
    def compilation(self, kind: str) -> Iterator[None]:
        """Count and measure one compilation."""
        begin = time.perf_counter()
        outcome = "refused"
        try:
            yield
            outcome = "compiled"
        finally:
            self._compile.observe(time.perf_counter() - begin)
            self._requests.labels(kind, outcome).inc()

    @contextmanager
    def masks(self) -> Iterator[None]:
        """Measure the masks of one step."""
        begin = time.perf_counter()
        yield
        self._mask.observe(time.perf_counter() - begin)
