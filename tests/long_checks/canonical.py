"""Canonical masks beside plain ones: `python tests/long_checks canonical --schemas 200`.

The valid documents of MaskBench schemas are walked by their canonical tokens, on a plain matcher and on a canonical
one. For each token, first the one and then the other makes its mask and accepts the token. The token must be in the
canonical mask, and the canonical mask must be part of the plain one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import ffgrammar as ff
from ffgrammar_cli.bench.engines import FFGrammar
from ffgrammar_cli.bench.report import figures
from ffgrammar_cli.bench.walk import timed_step
from ffgrammar_cli.options import VocabularyName
from long_checks.documents import ENCODING_NAMES, SPELLINGS, accepted_documents, arguments, evenly_spread

__all__ = ["main"]


@dataclass
class Times:
    """Nanoseconds between masks, to fill one and to accept a token, and counts."""

    plain: list[int] = field(default_factory=list)
    canonical: list[int] = field(default_factory=list)
    documents: int = 0
    refused: int = 0
    plain_tokens: int = 0
    canonical_tokens: int = 0

    def print(self, title: str) -> None:
        """The table, in microseconds."""
        print(f"{title}: {self.documents} documents, {len(self.plain)} masks")
        rows = {"plain": figures(self.plain), "canonical": figures(self.canonical)}
        print(f"  {'us a token':12s}" + "".join(f"{name:>10s}" for name in rows["plain"]))
        for name, row in rows.items():
            print(f"  {name:12s}" + "".join(f"{value:10.1f}" for value in row.values()))
        share = self.canonical_tokens / max(1, self.plain_tokens)
        print(f"  of the tokens that the plain masks allow {share:.1%} are canonical")
        print(f"  canonical tokens that were not allowed: {self.refused}", flush=True)


def bits(bitmask: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> int:
    """How many tokens a mask allows."""
    return int(np.bitwise_count(bitmask.view(np.uint32)).sum())


def walk(engine: FFGrammar, grammar: ff.Grammar, tokens: list[int], times: Times) -> None:
    """One document, which the grammar accepts."""
    plain, canonical = grammar.matcher(), grammar.matcher(canonical=True)
    times.documents += 1
    for token in tokens:
        spent = timed_step(engine, plain, token)
        assert spent is not None
        mask = engine.bitmask.copy()
        times.plain.append(spent)
        spent = timed_step(engine, canonical, token)
        if spent is None:
            times.refused += 1
            return
        times.canonical.append(spent)
        assert not (engine.bitmask & ~mask).any()
        times.plain_tokens += bits(mask)
        times.canonical_tokens += bits(engine.bitmask)


def main() -> int:
    """The script; the exit status is 1 if a canonical token was not allowed."""
    parser = arguments("canonical", __doc__, schemas=True, encodings=True)
    parser.add_argument("--tokenizer", action="append", default=[], metavar="FILE", help="the file of a tokenizer")
    options = parser.parse_args()
    schemas = evenly_spread(options.schemas)
    refused = 0
    encodings = options.encoding or ([] if options.tokenizer else ENCODING_NAMES)
    for encoding_name in [*encodings, *options.tokenizer]:
        engine = FFGrammar(VocabularyName(encoding_name))
        engine.load()
        for spelling in SPELLINGS:
            times = Times()
            for schema in schemas:
                for grammar, tokens in accepted_documents(schema, engine.tokenizer, spelling):
                    walk(engine, grammar, tokens, times)
            times.print(f"{encoding_name}, {spelling}, {len(schemas)} schemas")
            refused += times.refused
    return 1 if refused else 0
