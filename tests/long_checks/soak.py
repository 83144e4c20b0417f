"""Whether memory grows: `python tests/long_checks soak`.

Random tokens are taken along grammars of MaskBench schemas, which are compiled, dropped and compiled again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from random import Random
from statistics import mean
from typing import Any

import numpy as np

import ffgrammar as ff
from ffgrammar_cli.bench.data import load_schemas
from ffgrammar_cli.bench.memory import resident
from long_checks.documents import arguments
from shared_data import dev_set

# Grammars alive at a time, and tokens of one text.
ALIVE = 16
LONGEST = 300
# How often the resident size is looked at.
LOOKS = 100
# Random tokens seldom end a string; these do, and go on to the next key.
ENDS = [b'"', b'",', b'"}', b"}", b"]", b":", b",", b"1", b"{", b"["]


class Soak:
    """Random walks along the grammars of schemas.

    Attributes:
        tokens: accepted so far.
        compiled: grammars compiled so far.
        refused: schemas that are not compiled.
    """

    def __init__(self, schemas: list[Any], tokenizer: ff.Tokenizer, seed: int) -> None:
        self.schemas = schemas
        self.tokenizer = tokenizer
        self.random = Random(seed)
        self.bitmask = ff.allocate_bitmask(1, tokenizer.vocab_size)
        self.ends = [tokenizer.encode(text)[0] for text in ENDS]
        self.alive: OrderedDict[int, ff.Grammar] = OrderedDict()
        self.refused: set[int] = set()
        self.tokens = 0
        self.compiled = 0

    def grammar(self) -> ff.Grammar | None:
        """The grammar of a random schema; None if it does not compile. The least recently used one is dropped."""
        chosen = self.random.randrange(len(self.schemas))
        if chosen in self.refused:
            return None
        if chosen not in self.alive:
            try:
                self.alive[chosen] = ff.compile_json_schema(self.schemas[chosen], self.tokenizer)
            except ff.FFGrammarError:
                self.refused.add(chosen)
                return None
            self.compiled += 1
            if len(self.alive) > ALIVE:
                self.alive.popitem(last=False)
        self.alive.move_to_end(chosen)
        return self.alive[chosen]

    def walk(self, matcher: ff.Matcher) -> None:
        """Take a random text, with steps back and forks on the way."""
        for _ in range(self.random.randrange(LONGEST)):
            if matcher.is_terminated():
                return
            chance = self.random.random()
            if chance < 0.02:
                matcher.rollback(self.random.randint(0, min(8, matcher.num_steps)))
            elif chance < 0.04:
                matcher = matcher.fork()
            elif chance < 0.05:
                matcher.forced_tokens()
            if chance < 0.4 and matcher.accept_token(self.random.choice(self.ends)):
                self.tokens += 1
                continue
            token = self.allowed(matcher)
            if token is None:
                return
            assert matcher.accept_token(token), f"{token} is in the mask, but not accepted"
            self.tokens += 1

    def allowed(self, matcher: ff.Matcher) -> int | None:
        """A random token of the mask: a random bit of a random word."""
        matcher.fill_bitmask(self.bitmask)
        words = np.flatnonzero(self.bitmask[0])
        if not len(words):
            return None
        word = int(self.random.choice(words))
        bits = int(self.bitmask[0, word]) & 0xFFFFFFFF
        return 32 * word + self.random.choice([bit for bit in range(32) if bits >> bit & 1])


def main() -> int:
    """The script; the exit status is 1 if memory grew by more than the bound."""
    parser = arguments("soak", __doc__)
    parser.add_argument("tokens", type=int, nargs="?", default=10_000_000, help="how many (10,000,000)")
    parser.add_argument("--schemas", type=int, metavar="N", help="only the first N schemas")
    parser.add_argument("--seed", type=int, default=0, help="of the random tokens (0)")
    parser.add_argument("--bound", type=float, default=50.0, metavar="MB", help="the growth that is allowed (50)")
    options = parser.parse_args()
    schemas = [schema.schema for schema in load_schemas(dev_set(), limit=options.schemas)]
    soak = Soak(schemas, ff.Tokenizer.from_tiktoken("cl100k_base"), options.seed)
    sizes: list[float] = []
    start = time.perf_counter()
    while len(sizes) < LOOKS:
        while soak.tokens < options.tokens * (len(sizes) + 1) / LOOKS:
            grammar = soak.grammar()
            if grammar is not None:
                soak.walk(grammar.matcher())
        sizes.append(resident("VmRSS"))
        seconds = time.perf_counter() - start
        print(
            f"{soak.tokens:>12,} tokens {soak.compiled:>8,} grammars {seconds:>7.0f} s {sizes[-1]:>8.1f} MB", flush=True
        )
    # Means: a single size depends on which grammars happen to be alive.
    tenth = LOOKS // 10
    growth = mean(sizes[-tenth:]) - mean(sizes[tenth : 2 * tenth])
    print(f"after the first tenth it grew by {growth:.1f} MB; {options.bound:.0f} MB are allowed")
    return 1 if growth > options.bound else 0
