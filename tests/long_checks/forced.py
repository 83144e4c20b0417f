"""Forced tokens beside llguidance's published method: `python tests/long_checks forced --schemas 200`.

The valid documents of MaskBench schemas are walked by their canonical tokens. At each position both methods are asked
what is forced, and it must be what comes. The published method is plain Python on top of our matcher
(oracle/look_back.py), so both see the same forced bytes and the same documents. Spaced documents are walked on the
grammar that allows any white space, compact ones on the grammar that allows none.

A run is the sequence of tokens that is forced at a position, if any is. The share counts the tokens that were rightly
forced before their turn came.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import ffgrammar as ff
from long_checks.documents import ENCODING_NAMES, SPELLINGS, accepted_documents, arguments, evenly_spread
from long_checks.masks import vocabulary_tree
from oracle.look_back import LOOK_BACKS, looked_back
from oracle.masks import ByteTree

__all__ = ["Table", "main", "walk"]

OURS = "ours"


@dataclass
class Counts:
    """Counts of one method.

    Attributes:
        runs: runs.
        wrong: runs that are not canonical.
        documents: documents with such a run.
        forced: tokens rightly forced.
    """

    runs: int = 0
    wrong: int = 0
    documents: int = 0
    forced: int = 0


class Table:
    """The counts of all methods over the same documents."""

    def __init__(self) -> None:
        self.documents = 0
        self.tokens = 0
        self.ways = {name: Counts() for name in (*LOOK_BACKS, OURS)}

    def print(self, title: str) -> None:
        """The table."""
        print(f"{title}: {self.documents} documents, {self.tokens} tokens")
        print(f"  {'look-back':24s}{'runs':>8s}{'not canonical':>20s}{'documents with such':>22s}{'share forced':>15s}")
        for name, counts in self.ways.items():
            wrong = f"{counts.wrong} ({counts.wrong / max(1, counts.runs):.2%})"
            share = counts.forced / max(1, self.tokens)
            print(f"  {name:24s}{counts.runs:8d}{wrong:>20s}{counts.documents:22d}{share:15.2%}")
        print(flush=True)


def walk(tok: ff.Tokenizer, tree: ByteTree, matcher: Any, tokens: list[int], table: Table) -> None:
    """One document, which the matcher accepts."""
    table.documents += 1
    table.tokens += len(tokens)
    covered = dict.fromkeys(table.ways, 0)
    wrong = set()
    for place, token in enumerate(tokens):
        found = looked_back(tok, tree, matcher, tokens[:place])
        found[OURS] = matcher.forced_tokens()
        for name, forced in found.items():
            if not forced:
                continue
            counts = table.ways[name]
            counts.runs += 1
            if forced != tokens[place : place + len(forced)]:
                counts.wrong += 1
                wrong.add(name)
                continue
            end = place + len(forced)
            counts.forced += max(0, end - max(covered[name], place))
            covered[name] = max(covered[name], end)
        assert matcher.accept_token(token)
    for name in wrong:
        table.ways[name].documents += 1


def main() -> int:
    """The script; the exit status is 1 if ours forced what did not come."""
    options = arguments("forced", __doc__, schemas=True, encodings=True).parse_args()
    schemas = evenly_spread(options.schemas)
    wrong = 0
    for encoding_name in options.encoding or ENCODING_NAMES:
        tok = ff.Tokenizer.from_tiktoken(encoding_name)
        tree = vocabulary_tree(tok)
        tables = {spelling: Table() for spelling in SPELLINGS}
        start = perf_counter()
        for number, schema in enumerate(schemas, 1):
            for spelling, table in tables.items():
                for grammar, tokens in accepted_documents(schema, tok, spelling):
                    walk(tok, tree, grammar.matcher(), tokens, table)
            if number % 50 == 0:
                seconds = perf_counter() - start
                print(f"long_checks: {number}/{len(schemas)}, {seconds:.0f} s", file=sys.stderr, flush=True)
        for spelling, table in tables.items():
            table.print(f"{encoding_name}, {spelling}, {len(schemas)} schemas")
            wrong += table.ways[OURS].wrong
    return 1 if wrong else 0
