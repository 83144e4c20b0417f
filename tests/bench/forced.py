"""Forced tokens beside llguidance's published method: `python tests/bench forced --schemas 200`.

The valid documents of MaskBench schemas are walked by their canonical tokens, and at each position both are asked what
is forced: it must be what comes. The method is on ours in plain Python (oracle/look_back.py), so the forced bytes are
the same, and so are the documents. Spaced documents are walked on the grammar that allows any white space, compact ones
on the grammar that allows none.

A run is what is forced at a position, if anything is. The share is that of the tokens that were rightly forced before
their turn came.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import ffgrammar as ff
from bench.masks import vocabulary_tree
from bench.shared import dev_set
from ffgrammar_cli.bench.data import Schema, compact, load_schemas, spaced
from oracle.look_back import LOOK_BACKS, looked_back
from oracle.masks import ByteTree

__all__ = ["Table", "main", "walk"]

NAMES = ("cl100k_base", "o200k_base")
SPELLINGS = {"spaced": (spaced, "flexible"), "compact": (compact, "compact")}
OURS = "ours"


@dataclass
class Counts:
    """Of one way: runs, those that are not canonical, documents with such, tokens rightly forced."""

    runs: int = 0
    wrong: int = 0
    documents: int = 0
    forced: int = 0


class Table:
    """The counts of all ways over the same documents."""

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


def walk_schema(tok: ff.Tokenizer, tree: ByteTree, schema: Schema, tables: dict[str, Table]) -> None:
    """The valid documents of a schema in all spellings; those that the grammar does not accept are left out."""
    for name, (spell, whitespace) in SPELLINGS.items():
        try:
            grammar = ff.compile_json_schema(schema.schema, tok, whitespace=whitespace)
        except ff.FFGrammarError:
            return
        for instance in schema.instances:
            if instance.valid:
                tokens = tok.encode(spell(instance.data))
                # (its keys may come in another order than the schema's)
                if grammar.matcher().validate_tokens(tokens) == len(tokens):
                    walk(tok, tree, grammar.matcher(), tokens, tables[name])


def main() -> int:
    """The script; the exit status is 1 if ours forced what did not come."""
    parser = argparse.ArgumentParser(prog="python tests/bench forced", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--schemas", type=int, default=200, help="so many of them, evenly spread (200)")
    parser.add_argument("--encoding", choices=NAMES, action="append", help="one of them; both if not given")
    arguments = parser.parse_args()
    every = load_schemas(dev_set())
    count = min(arguments.schemas, len(every))
    schemas = [every[number * len(every) // count] for number in range(count)]
    wrong = 0
    for encoding_name in arguments.encoding or NAMES:
        tok = ff.Tokenizer.from_tiktoken(encoding_name)
        tree = vocabulary_tree(tok)
        tables = {name: Table() for name in SPELLINGS}
        start = perf_counter()
        for number, schema in enumerate(schemas, 1):
            walk_schema(tok, tree, schema, tables)
            if number % 50 == 0:
                print(f"bench: {number}/{count}, {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        for name, table in tables.items():
            table.print(f"{encoding_name}, {name}, {count} schemas")
            wrong += table.ways[OURS].wrong
    return 1 if wrong else 0
