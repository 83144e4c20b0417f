"""Calls that are interrupted at random moments: `python tests/long_checks interruptions --count 10000`.

Hostile sources are compiled, and masks are made along their texts. A signal's handler raises at some moment. Then the
same matcher takes the rest of the steps, and its masks are compared with those of a grammar that was never interrupted.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from functools import partial

from interruptions import interrupted_after

import ffgrammar as ff
from hostile.sources import Hostile, compiled, sources

__all__ = ["main"]


class _Walk:
    """Masks and steps along a text, up to the first error of a limit."""

    def __init__(self, grammar: ff.Grammar, text: bytes) -> None:
        self.matcher = grammar.matcher()
        self.vocab_size = grammar.tokenizer.vocab_size
        self.text = text
        self.masks: list[bytes] = []

    def run(self) -> None:
        try:
            for byte in self.text[len(self.matcher.text_bytes) :]:
                bitmask = ff.allocate_bitmask(1, self.vocab_size)
                self.matcher.fill_bitmask(bitmask)
                del self.masks[len(self.matcher.text_bytes) :]
                self.masks.append(bitmask.tobytes())
                if not self.matcher.accept_bytes(bytes([byte])):
                    return
        except ff.LimitError:
            return


def _check(one: Hostile, tok: ff.Tokenizer, rng: random.Random, times: int) -> tuple[int, int]:
    """Interrupts a source's calls. Returns how often that came in time, and in how many walks something was wrong."""
    try:
        grammar = compiled(one, tok, ff.Limits.public())
    except ff.FFGrammarError:
        return sum(interrupted_after(rng.uniform(0, 0.01), partial(_refused, one, tok)) for _ in range(times)), 0
    expected = _Walk(grammar, one.text)
    begun = time.perf_counter()
    expected.run()
    whole = time.perf_counter() - begun
    stopped = wrong = 0
    for _ in range(times):
        stopped += interrupted_after(rng.uniform(0, 0.01), partial(compiled, one, tok, ff.Limits.public()))
        walk = _Walk(compiled(one, tok, ff.Limits.public()), one.text)
        stopped += interrupted_after(rng.uniform(0, whole * 1.2 + 0.0001), walk.run)
        walk.run()
        wrong += walk.masks != expected.masks
    return stopped, wrong


def _refused(one: Hostile, tok: ff.Tokenizer) -> None:
    try:
        compiled(one, tok, ff.Limits.public())
    except ff.FFGrammarError:
        return


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/long_checks interruptions", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many interruptions, about")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    rng = random.Random(options.seed)
    every = list(sources())
    rng.shuffle(every)
    stopped = wrong = 0
    while stopped < options.count:
        for one in every:
            more, bad = _check(one, tok, rng, 2)
            stopped += more
            wrong += bad
            if bad:
                print(f"wrong: {one.name}")
            if stopped >= options.count:
                break
    print(f"{stopped} interruptions, wrong walks: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
