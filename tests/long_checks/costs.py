"""What each hostile source costs, in a process of its own: `python tests/long_checks costs --only cycles`.

A source is compiled, and masks are made along its text, and then along tokens that are chosen at random. A line says
the seconds of the compilation and of the slowest mask (time on the processor), the megabytes that the process grew by,
and how it ended. Sources that cost more than the bounds below are printed again at the end. The sources are those of
tests/hostile/sources.py and the variants of tests/hostile/variants.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import ffgrammar as ff
from hostile.sources import Hostile, compiled, sources
from hostile.variants import variants

__all__ = ["main"]

# The bounds for an answer, and for an error.
COMPILE_SECONDS, MASK_SECONDS, MEGABYTES, ERROR_SECONDS = 1.0, 0.05, 200, 5.1
# A process is ended after this many seconds on the processor.
MAX_SECONDS = 60
STEPS = 40


class Cost(NamedTuple):
    """What a source cost.

    Attributes:
        compiling, masking: seconds of the compilation, and of the slowest mask.
        megabytes: by how much the process grew.
        outcome: "answer", an error, or a text that begins with "wrong".
    """

    compiling: float
    masking: float
    megabytes: int
    outcome: str

    def is_high(self) -> bool:
        """Whether it is more than the bounds."""
        if self.outcome == "answer":
            most: tuple[float, float] = (COMPILE_SECONDS, MASK_SECONDS)
        else:
            most = (ERROR_SECONDS, MASK_SECONDS if self.outcome.startswith("LimitError in a mask") else 0.0)
        return self.compiling > most[0] or self.masking > most[1] or self.megabytes > MEGABYTES


def main() -> int:
    """Run them all. Returns 1 if one ends neither with an answer nor with a refusal."""
    parser = argparse.ArgumentParser(prog="python tests/long_checks costs", description=__doc__)
    parser.add_argument("--only", default="", help="only sources whose names contain this")
    parser.add_argument("--corpus", choices=["variants", "sources", "all"], default="all")
    parser.add_argument("--public", action="store_true", help="the bounds for strangers, not the default ones")
    args = parser.parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    limits = ff.Limits.public() if args.public else ff.Limits()
    for form, source in (("json", {"type": ["object", "string"]}), ("lark", 'start: "a" start "b" |'), ("regex", "a+")):
        _cost(Hostile("warm", form, source, b""), tok, limits)
    high = []
    wrong = 0
    for one in _corpus(args.corpus):
        if args.only not in one.name:
            continue
        cost = _in_a_process(one, tok, limits)
        line = f"{cost.compiling:7.3f} {cost.masking:7.4f} {cost.megabytes:5d}  {one.name}: {cost.outcome}"
        print(line, flush=True)
        if cost.is_high():
            high.append(line)
        wrong += cost.outcome.startswith("wrong")
    print(f"{len(high)} cost more than the bounds; wrong ends: {wrong}", *high, sep="\n")
    return 1 if wrong else 0


def _corpus(which: str) -> Iterator[Hostile]:
    if which != "variants":
        yield from sources()
    if which != "sources":
        yield from variants()


def _in_a_process(one: Hostile, tok: ff.Tokenizer, limits: ff.Limits) -> Cost:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS + 1))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        try:
            cost = _cost(one, tok, limits)
        except BaseException as error:
            cost = Cost(0, 0, 0, f"wrong: {type(error).__name__}: {error}")
        os.write(writing, json.dumps(cost).encode()[:60_000])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        found = pipe.read()
    _, status = os.waitpid(child, 0)
    return Cost(*json.loads(found)) if found else Cost(MAX_SECONDS, 0, 0, f"wrong: status {status}")


def _cost(one: Hostile, tok: ff.Tokenizer, limits: ff.Limits) -> Cost:
    before = _megabytes()
    begun = time.thread_time()
    try:
        grammar = compiled(one, tok, limits)
    except ff.FFGrammarError as error:
        return Cost(
            time.thread_time() - begun, 0.0, _megabytes() - before, f"{type(error).__name__}: {str(error)[:200]}"
        )
    compiling = time.thread_time() - begun
    masking, outcome = _walk(grammar.matcher(), tok, one.text)
    return Cost(compiling, masking, _megabytes() - before, outcome)


def _walk(matcher: ff.Matcher, tok: ff.Tokenizer, text: bytes) -> tuple[float, str]:
    """The seconds of the slowest mask along a text, and from there on along random tokens; and how it ended."""
    rng = random.Random(1)
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    tokens = tok.encode(text.decode())
    slowest = 0.0
    for step in range(len(tokens) + STEPS):
        begun = time.thread_time()
        try:
            matcher.fill_bitmask(bitmask)
        except ff.LimitError as error:
            return max(slowest, time.thread_time() - begun), f"LimitError in a mask: {str(error)[:200]}"
        slowest = max(slowest, time.thread_time() - begun)
        allowed = _allowed(bitmask, tok)
        token = tokens[step] if step < len(tokens) else None
        if token is None or token not in allowed:
            if not len(allowed):
                break
            token = int(rng.choice(allowed))
        if not matcher.accept_token(token):
            return slowest, f"wrong: token {token} is in the mask after {matcher.text_bytes!r}, but not accepted"
    return slowest, "answer"


def _allowed(bitmask: Any, tok: ff.Tokenizer) -> Any:
    """The allowed tokens, but those that end the text."""
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
    bits[list(tok.eos_token_ids)] = 0
    return np.flatnonzero(bits)


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
