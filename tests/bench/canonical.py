"""Canonical masks beside plain ones: `python tests/bench canonical --schemas 200`.

The valid documents of MaskBench schemas are walked by their canonical tokens, on a plain matcher and on a canonical one
in turns; each is asked for its mask before each token, and moved. The next token must be in the canonical mask, and
that one must be part of the plain one.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import numpy as np

import ffgrammar as ff
from bench.shared import dev_set
from ffgrammar_cli.bench.data import compact, load_schemas, spaced

__all__ = ["main"]

NAMES = ("cl100k_base", "o200k_base")
SPELLINGS = {"spaced": (spaced, "flexible"), "compact": (compact, "compact")}
SHARES = (50, 90, 99, 99.9)


class Times:
    """Microseconds between masks: to fill one and to accept a token."""

    def __init__(self) -> None:
        self.plain: list[float] = []
        self.canonical: list[float] = []
        self.documents = 0
        self.refused = 0
        self.tokens_out = 0
        self.tokens_in = 0

    def print(self, title: str) -> None:
        """A table."""
        print(f"{title}: {self.documents} documents, {len(self.plain)} masks")
        print(f"  {'us a token':12s}{'average':>10s}" + "".join(f"{f'p{share}':>10s}" for share in SHARES))
        for name, values in (("plain", self.plain), ("canonical", self.canonical)):
            shown = "".join(f"{np.percentile(values, share):10.1f}" for share in SHARES)
            print(f"  {name:12s}{np.mean(values):10.1f}{shown}")
        left = self.tokens_in / max(1, self.tokens_out)
        print(f"  of the tokens that the plain masks allow {left:.1%} are canonical")
        print(f"  canonical tokens that were not allowed: {self.refused}", flush=True)


def timed(matcher: Any, bitmask: Any, token: int, times: list[float]) -> bool:
    start = perf_counter()
    matcher.fill_bitmask(bitmask)
    filled = perf_counter()
    allowed = bool(bitmask[0, token >> 5] >> (token & 31) & 1)
    again = perf_counter()
    accepted = matcher.accept_token(token)
    times.append(1e6 * (perf_counter() - again + filled - start))
    return allowed and accepted


def walk(tok: ff.Tokenizer, grammar: ff.Grammar, tokens: list[int], times: Times) -> None:
    """One document, which the grammar accepts."""
    plain, canonical = grammar.matcher(), grammar.matcher(canonical=True)
    mask, other = ff.allocate_bitmask(1, tok.vocab_size), ff.allocate_bitmask(1, tok.vocab_size)
    times.documents += 1
    for token in tokens:
        assert timed(plain, mask, token, times.plain)
        if not timed(canonical, other, token, times.canonical):
            times.refused += 1
            return
        assert not (other & ~mask).any()
        times.tokens_out += int(np.bitwise_count(mask.view(np.uint32)).sum())
        times.tokens_in += int(np.bitwise_count(other.view(np.uint32)).sum())


def main() -> int:
    """The script; the exit status is 1 if a canonical token was not allowed."""
    parser = argparse.ArgumentParser(prog="python tests/bench canonical", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--schemas", type=int, default=200, help="so many of them, evenly spread (200)")
    parser.add_argument("--encoding", choices=NAMES, action="append", help="one of them; both if not given")
    arguments = parser.parse_args()
    every = load_schemas(dev_set())
    count = min(arguments.schemas, len(every))
    refused = 0
    for encoding_name in arguments.encoding or NAMES:
        tok = ff.Tokenizer.from_tiktoken(encoding_name)
        for name, (spell, whitespace) in SPELLINGS.items():
            times = Times()
            for number in range(count):
                schema = every[number * len(every) // count]
                try:
                    grammar = ff.compile_json_schema(schema.schema, tok, whitespace=whitespace)
                except ff.FFGrammarError:
                    continue
                for instance in schema.instances:
                    tokens = tok.encode(spell(instance.data)) if instance.valid else []
                    if tokens and grammar.matcher().validate_tokens(tokens) == len(tokens):
                        walk(tok, grammar, tokens, times)
            times.print(f"{encoding_name}, {name}, {count} schemas")
            refused += times.refused
    return 1 if refused else 0
