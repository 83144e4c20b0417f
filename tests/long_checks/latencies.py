"""How long others wait beside the worst sources: `python tests/long_checks latencies`.

- *known masks*: one thread compiles hostile sources and makes their masks, and another one fills masks that are known;
- *idle*: some threads compile new schemas, and a thread that does nothing but sleep says how late it wakes;
- *two*: the time that two threads take for as many new schemas each as one thread takes alone;
- *Ctrl-C*: how late calls of each kind are interrupted;
- *budgets*: how late `Limits(seconds=0.05)` ends a call.

Waits are measured by the clock, so they mean little on a machine with other work. So the load is printed, too, and the
waits of a thread beside threads that only count: that is what the machine and Python cost.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from interruptions import interrupted_after

import ffgrammar as ff
from hostile.sources import Hostile, compiled, sources

__all__ = ["main"]

WORST = ("look-aheads", "pairs", "primes", "conditions", "cycles", "skips", "words", "listed", "in each other")


def _percentiles(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    marks = (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999))
    found = ", ".join(f"{name} {ordered[int(len(ordered) * part)] * 1000:.3f}" for name, part in marks)
    return f"{found}, longest {ordered[-1] * 1000:.1f} ms ({len(ordered)} times)"


def _tell_late(what: str, late: list[tuple[float, str]]) -> None:
    """Print by how many seconds calls ended late, and the name of the latest one."""
    if not late:
        print(f"{what}: no call took that long")
        return
    print(f"{what}: {_percentiles([seconds for seconds, _ in late])}; the latest: {max(late)[1]}")


def _worst() -> list[Hostile]:
    return [one for one in sources() if any(word in one.name for word in WORST)]


def _beside(work: Callable[[], Any], threads: int, seconds: float, step: Callable[[], float]) -> list[float]:
    """What `step` returns, as often as there is time for, while threads do some work."""
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            work()

    workers = [threading.Thread(target=run) for _ in range(threads)]
    for worker in workers:
        worker.start()
    found = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        found.append(step())
    over.set()
    for worker in workers:
        worker.join()
    return found


def _late() -> float:
    """By how many seconds a sleep of a millisecond ends too late."""
    begun = time.perf_counter()
    time.sleep(0.001)
    return time.perf_counter() - begun - 0.001


def _count() -> None:
    for _ in range(100_000):
        pass


class _New:
    """Compiles a new schema at each call."""

    def __init__(self, tok: ff.Tokenizer) -> None:
        self._tok = tok
        self._number = 0

    def schema(self, number: int) -> dict[str, Any]:
        keys = {
            f"k{number}_{at}": {"type": "string", "maxLength": at + 5, "pattern": f"^[a-z{at}]*$"} for at in range(40)
        }
        return {"type": "object", "properties": keys, "required": list(keys)[:20], "additionalProperties": False}

    def __call__(self) -> None:
        self._number += 1
        ff.compile_json_schema(self.schema(self._number), self._tok)


class _Worst:
    """Compiles the next of the worst sources at each call, and makes the masks along its text."""

    def __init__(self, tok: ff.Tokenizer) -> None:
        self._tok = tok
        self._every = _worst()
        self._at = 0
        self._bitmask = ff.allocate_bitmask(1, tok.vocab_size)

    def __call__(self) -> None:
        self._at += 1
        _walk(self._every[self._at % len(self._every)], self._tok, self._bitmask, ff.Limits())


def _walk(one: Hostile, tok: ff.Tokenizer, bitmask: Any, limits: ff.Limits) -> None:
    try:
        matcher = compiled(one, tok, limits).matcher()
        for token in tok.encode(one.text.decode()):
            matcher.fill_bitmask(bitmask)
            if not matcher.accept_token(token):
                return
    except ff.FFGrammarError:
        return


def _known(tok: ff.Tokenizer) -> Callable[[], float]:
    """A function that fills a known mask, and returns the seconds that it took."""
    matcher = ff.compile_json_schema({"type": "object"}, tok).matcher()
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    matcher.fill_bitmask(bitmask)

    def step() -> float:
        begun = time.perf_counter()
        matcher.fill_bitmask(bitmask)
        return time.perf_counter() - begun

    return step


def _two(tok: ff.Tokenizer, seconds: float) -> None:
    """Schemas a second of one thread, and of two. The two turns alternate, because other work comes and goes."""
    rates: dict[int, float] = {1: 0.0, 2: 0.0}
    new = _New(tok)
    for _ in range(4):
        for threads in rates:
            counts = [0] * threads
            end = time.perf_counter() + seconds / 8

            def run(number: int, counts: list[int] = counts, end: float = end) -> None:
                while time.perf_counter() < end:
                    ff.compile_json_schema(new.schema(os.getpid() + time.perf_counter_ns()), tok)
                    counts[number] += 1

            workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            rates[threads] += sum(counts)
    print(f"two: {rates[2] / rates[1]:.2f} times as many schemas with two threads as with one")


def _interrupted(tok: ff.Tokenizer) -> None:
    """How late an exception of a signal's handler ends calls."""
    calls: dict[str, Callable[[], Any]] = {one.name: _call(one, tok) for one in _worst()}
    text = "a b" * 3_000_000
    calls["encode"] = lambda: tok.encode(text)
    calls["enum"] = lambda: ff.compile_json_schema({"enum": [f"v{at}" for at in range(300_000)]}, tok)
    late = []
    for name, call in calls.items():
        begun = time.perf_counter()
        if interrupted_after(0.02, call):
            late.append((time.perf_counter() - begun - 0.02, name))
    _tell_late("Ctrl-C", late)


def _call(one: Hostile, tok: ff.Tokenizer) -> Callable[[], None]:
    return lambda: _walk(one, tok, ff.allocate_bitmask(1, tok.vocab_size), ff.Limits())


def _budgets(tok: ff.Tokenizer) -> None:
    """How late calls end that have 50 ms."""
    limits = ff.Limits(seconds=0.05)
    late = []
    for one in _worst():
        try:
            begun = time.perf_counter()
            matcher = compiled(one, tok, limits).matcher()
            for token in tok.encode(one.text.decode()):
                begun = time.perf_counter()
                matcher.fill_bitmask(ff.allocate_bitmask(1, tok.vocab_size))
                if not matcher.accept_token(token):
                    break
        except ff.LimitError as error:
            if error.limit == "seconds":
                late.append((time.perf_counter() - begun - 0.05, one.name))
        except ff.FFGrammarError:
            continue
    _tell_late("budgets", late)


def main() -> int:
    """Measure all."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks latencies", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="how long each part takes")
    parser.add_argument("--threads", type=int, default=8, help="how many threads compile beside an idle one")
    args = parser.parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    known = _known(tok)
    print(f"load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, step in (("known masks", known), ("idle", _late)):
        work = _Worst(tok) if step is known else _New(tok)
        threads = 1 if step is known else args.threads
        print(f"{name}, alone: {_percentiles(_beside(_count, 0, args.seconds / 4, step))}")
        print(f"{name}, beside counting: {_percentiles(_beside(_count, threads, args.seconds / 4, step))}")
        print(f"{name}: {_percentiles(_beside(work, threads, args.seconds, step))}", flush=True)
    _two(tok, args.seconds)
    _interrupted(tok)
    _budgets(tok)
    return 0
