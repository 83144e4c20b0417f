"""A day's traffic of a server in small: `python tests/long_checks traffic`.

Requests of many schemas, a few of them often (Zipf's law), come to several threads. Each is compiled by the engine's
own compiler, and a valid document is walked along its masks. Each engine has a process of its own.

Threads wait for each other, and for other programs, so the time that a thread sees is mostly waiting. Its own processor
time is told beside it. An engine that refuses hard schemas has less to do, so both are also told for the requests that
all engines take.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, NamedTuple

import numpy as np

import ffgrammar as ff
from ffgrammar_cli.bench.data import compact, load_schemas
from ffgrammar_cli.bench.engines import ENGINES, Refused, available
from ffgrammar_cli.bench.memory import resident
from ffgrammar_cli.options import VocabularyName
from long_checks.documents import arguments
from shared_data import dev_set

# Tokens of a document at most.
LONGEST = 100
# How often the resident size is looked at.
LOOKS = 10
PERCENTILES = (50, 99, 99.9)
# The part of a day's report that is about each request.
COMPILED = "compiled"


class Request(NamedTuple):
    """A schema, and the tokens of a document."""

    schema: Any
    tokens: list[int]


class Compiled(NamedTuple):
    """The compilation of one request: seconds as its thread saw them, its processor time, and whether it was taken."""

    seconds: float
    cpu: float
    taken: bool


class Server:
    """An engine as a server uses it: compiled grammars are kept in what the engine has for that.

    Attributes:
        compile: from a schema to what `matcher` takes.
        matcher: a new matcher.
        fill: fills a bitmask of the calling thread.
        hits: requests whose grammar was kept, of all; None if the engine does not say.
    """

    def __init__(self, name: str, megabytes: int, threads: int) -> None:
        self._engine = engine = ENGINES[name](VocabularyName("cl100k_base"))
        engine.load()
        self._local = threading.local()
        self.matcher = engine.matcher
        self.accept = engine.accept
        self.compile: Callable[[Any], Any] = lambda schema: engine.compile(schema, compact=True)
        self.hits: Callable[[], float | None] = lambda: None
        self._fill: Callable[[Any, Any], None]
        inner: Any = engine
        if name == "ffgrammar":
            compiler = ff.Compiler(inner.tokenizer, cache_bytes=megabytes << 20)
            self.compile = lambda schema: compiler.compile(ff.compile_json_schema, schema, whitespace="compact")
            self.hits = lambda: _share(compiler.stats())
            self._fill = lambda matcher, bitmask: matcher.fill_bitmask(bitmask)
        elif name == "xgrammar":
            inner.compiler = inner.xgrammar.GrammarCompiler(inner.info, cache_limit_bytes=megabytes << 20)
            self._fill = lambda matcher, bitmask: matcher.fill_next_token_bitmask(inner.from_numpy(bitmask))
        else:
            self._fill = lambda matcher, bitmask: inner.fill_next(matcher, bitmask)

    def fill(self, matcher: Any) -> None:
        if not hasattr(self._local, "bitmask"):
            self._local.bitmask = self._engine.bitmask.copy()
        self._fill(matcher, self._local.bitmask)


def _share(stats: dict[str, int]) -> float:
    asked = stats["grammar_hits"] + stats["grammar_misses"] + stats["shared"]
    return (stats["grammar_hits"] + stats["shared"]) / asked


class Day:
    """The requests of a day, and what was measured.

    Attributes:
        compiled: the compilations of the requests by their numbers.
        masks, mask_cpu: seconds of each mask, as the thread saw them, and of its own processor time.
        rejected: documents that the engine's grammar does not accept.
        sizes: resident sizes in MB on the way.
    """

    def __init__(self, server: Server, requests: Sequence[Request]) -> None:
        self.server = server
        self.requests = requests
        self.compiled: dict[int, Compiled] = {}
        self.masks: list[float] = []
        self.mask_cpu: list[float] = []
        self.rejected = 0
        self.sizes: list[float] = []
        self._lock = threading.Lock()

    def serve(self, number: int) -> None:
        """Answer a request."""
        request = self.requests[number]
        start, spent = time.perf_counter(), time.thread_time()
        try:
            grammar = self.server.compile(request.schema)
        except (Refused, ff.FFGrammarError):
            grammar = None
        done = Compiled(time.perf_counter() - start, time.thread_time() - spent, grammar is not None)
        masks, cpu, is_whole = self._walk(grammar, request.tokens) if grammar is not None else ([], [], True)
        with self._lock:
            self.compiled[number] = done
            self.masks += masks
            self.mask_cpu += cpu
            self.rejected += not is_whole
            if len(self.compiled) * LOOKS // len(self.requests) > len(self.sizes):
                self.sizes.append(resident("VmRSS"))

    def _walk(self, grammar: Any, tokens: list[int]) -> tuple[list[float], list[float], bool]:
        matcher = self.server.matcher(grammar)
        masks, cpu = [], []
        for token in tokens:
            start, spent = time.perf_counter(), time.thread_time()
            self.server.fill(matcher)
            cpu.append(time.thread_time() - spent)
            masks.append(time.perf_counter() - start)
            if not self.server.accept(matcher, token):
                return masks, cpu, False
        return masks, cpu, True

    def report(self) -> dict[str, Any]:
        with self._lock:
            return {
                "requests": len(self.compiled),
                "refused": sum(not one.taken for one in self.compiled.values()),
                "documents not accepted": self.rejected,
                **_compilations(self.compiled.values(), ""),
                "masks": len(self.masks),
                "mask, p50/p99/p99.9/max us": _percentiles(self.masks, 1e6),
                "mask of processor time us": _percentiles(self.mask_cpu, 1e6),
                "hit rate": _shown(self.server.hits()),
                "processor seconds": round(time.process_time(), 1),
                "resident MB on the way": " ".join(f"{size:.0f}" for size in self.sizes),
            }


def _shown(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _percentiles(seconds: list[float], factor: float) -> str:
    if not seconds:
        return ""
    found = [*np.percentile(seconds, PERCENTILES), max(seconds)]
    return " / ".join(f"{value * factor:.{1 if value * factor >= 10 else 2}f}" for value in found)


def draw(options: Namespace) -> list[Request]:
    """The requests of a day. Schemas beyond those of the file are these as a property of another one."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    found: list[Request] = []
    for schema in load_schemas(dev_set()):
        valid = next((one.data for one in schema.instances if one.valid), None)
        found.append(Request(schema.schema, tok.encode(compact(valid))[:LONGEST] if valid is not None else []))
    plain = [one for one in found if isinstance(one.schema, dict) and "$ref" not in json.dumps(one.schema)]
    number = 0
    while len(found) < options.schemas:
        inner, name = plain[number % len(plain)], f"answer{number}"
        wrapped = {"type": "object", "properties": {name: inner.schema}, "required": [name]}
        found.append(Request(wrapped, [*tok.encode(f'{{"{name}":'), *inner.tokens][:LONGEST]))
        number += 1
    random = Random(options.seed)
    random.shuffle(found)
    found = found[: options.schemas]
    weights = [1 / rank**options.exponent for rank in range(1, len(found) + 1)]
    # Each schema comes at least once, if there are requests enough.
    drawn = [*found[: options.requests], *random.choices(found, weights, k=max(0, options.requests - len(found)))]
    random.shuffle(drawn)
    return drawn


def run(name: str, options: Namespace) -> Day:
    """The day of one engine, in this process."""
    requests = draw(options)
    day = Day(Server(name, options.megabytes, options.threads), requests)
    # (compiled code cannot be interrupted)
    watch = threading.Timer(options.seconds, lambda: (_print(day, False), os._exit(0)))
    watch.daemon = True
    watch.start()
    with ThreadPoolExecutor(options.threads) as pool:
        list(pool.map(day.serve, range(len(requests))))
    watch.cancel()
    return day


def _compilations(found: Iterable[Compiled], where: str) -> dict[str, str]:
    found = list(found)
    return {
        f"compile, p50/p99/p99.9/max ms{where}": _percentiles([one.seconds for one in found], 1e3),
        f"compile of processor time ms{where}": _percentiles([one.cpu for one in found], 1e3),
    }


def _add_shared(reports: dict[str, dict[str, Any]], compiled: dict[str, dict[int, Compiled]]) -> None:
    """Add the times of the requests that all engines have met and taken."""
    shared = set.intersection(*[{number for number, one in day.items() if one.taken} for day in compiled.values()])
    for name, day in compiled.items():
        found = _compilations([day[number] for number in shared], f", {len(shared)} that all take")
        reports[name] = {**reports[name], **found}


def _print(day: Day, is_whole: bool) -> None:
    print(json.dumps({**day.report(), "ended": is_whole, COMPILED: list(day.compiled.items())}), flush=True)


def main() -> int:
    """The script; the exit status is 1 if a day of ffgrammar does not end, or its memory grows."""
    parser = arguments("traffic", __doc__)
    parser.add_argument("--requests", type=int, default=10_000, help="how many (10,000)")
    parser.add_argument("--schemas", type=int, default=3000, help="how many different ones (3,000)")
    parser.add_argument("--exponent", type=float, default=1.0, help="of Zipf's law (1.0)")
    parser.add_argument("--threads", type=int, default=8, help="that serve requests (8)")
    parser.add_argument("--megabytes", type=int, default=256, help="of grammars that are kept (256)")
    parser.add_argument("--seconds", type=float, default=1200, help="after which an engine is stopped (1,200)")
    parser.add_argument("--growth", type=float, default=100, metavar="MB", help="in the second half, allowed (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
    parser.add_argument("--engine", action="append", choices=list(ENGINES), help="only this one; all by default")
    parser.add_argument("--here", action="store_true", help="in this process, as JSON")
    options = parser.parse_args()
    names = options.engine or [name for name in ENGINES if available(name)]
    if options.here:
        _print(run(names[-1], options), True)
        return 0
    reports: dict[str, dict[str, Any]] = {}
    compiled: dict[str, dict[int, Compiled]] = {}
    for name in names:
        command = [sys.executable, sys.argv[0], "traffic", *sys.argv[1:], "--engine", name, "--here"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        if found.returncode or not found.stdout:
            print(f"{name}: {found.stderr[-2000:]}")
            continue
        reports[name] = json.loads(found.stdout.splitlines()[-1])
        compiled[name] = {number: Compiled(*one) for number, one in reports[name].pop(COMPILED)}
    if len(reports) > 1:
        _add_shared(reports, compiled)
    lines = list(next(iter(reports.values()), {}))
    print("| | " + " | ".join(reports) + " |\n|---|" + "---|" * len(reports))
    for line in lines:
        print(f"| {line} | " + " | ".join(str(report[line]) for report in reports.values()) + " |")
    return _verdict(reports.get("ffgrammar"), options.growth)


def _verdict(report: dict[str, Any] | None, allowed: float) -> int:
    if report is None:
        return 0
    sizes = [float(size) for size in report["resident MB on the way"].split()]
    growth = sizes[-1] - sizes[len(sizes) // 2] if sizes else 0.0
    print(f"in the second half it grew by {growth:.0f} MB; {allowed:.0f} MB are allowed")
    return 0 if report["ended"] and growth <= allowed else 1
