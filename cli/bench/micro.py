"""What single calls of ffgrammar cost, as seen from Python: nanoseconds, the best of several runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from ..options import VocabularyName
from ..sources import load_tokenizer

if TYPE_CHECKING:
    from ffgrammar import Grammar, Tokenizer

__all__ = ["measure", "table"]

RUNS = 7
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "tags": {"items": {"type": "string"}}},
        "required": ["id", "name"],
        "additionalProperties": False,
    },
}
TEXT = json.dumps(
    [{"id": number, "name": f"The name of number {number}", "tags": ["a tag", "another"]} for number in range(20)]
)
LABELS = {
    "tokenizer_ready": "tokenizer made, from its data",
    "trie_node": "a node of the trie, in a full walk inside a string, nothing kept",
    "trie_nodes": "  nodes of that walk",
    "cached_mask": "fill_bitmask, kept masks along a document",
    "accept_token": "accept_token, along a document",
    "rollback": "rollback(1)",
    "fork": "fork, at the end of a document",
    "encode": "encode, a token of a document",
    "is_canonical": "is_canonical, a token of a document",
    "tracker_push": "CanonicalityTracker.push, along a document",
}


def measure(named: VocabularyName) -> dict[str, float]:
    """Nanoseconds by the names in LABELS; `trie_nodes` is a count."""
    from ffgrammar import compile_json_schema

    ready, tokenizer = _best(lambda: load_tokenizer(named))
    nodes, node = _walk(load_tokenizer(named))
    grammar = compile_json_schema(SCHEMA, tokenizer)
    found = {"tokenizer_ready": ready, "trie_node": node, "trie_nodes": nodes}
    return {name: round(value, 2) for name, value in (found | _calls(grammar) | _checks(tokenizer)).items()}


def _walk(tokenizer: Tokenizer) -> tuple[int, float]:
    """How many nodes a full walk visits, and the nanoseconds for each. Nothing is kept of earlier masks."""
    from ffgrammar import Limits, allocate_bitmask, compile_json_schema

    tokenizer.partition_bytes = 0
    grammar = compile_json_schema({"type": "string"}, tokenizer, limits=Limits(mask_bytes=0))
    bitmask = allocate_bitmask(1, tokenizer.vocab_size)
    start, inside = grammar.matcher(), grammar.matcher()
    inside.accept_bytes(b'"a')

    def forget() -> None:
        # The engine keeps the last mask until another one is asked for.
        start.fill_bitmask(bitmask)

    inside.fill_bitmask(bitmask)  # fills the lexer's table
    forget()
    before = grammar.stats()["nodes_walked"]
    inside.fill_bitmask(bitmask)
    nodes = grammar.stats()["nodes_walked"] - before
    spent, _ = _best(lambda: inside.fill_bitmask(bitmask), forget)
    return nodes, spent / nodes


def _calls(grammar: Grammar) -> dict[str, float]:
    """The nanoseconds that each call takes, on a grammar that has seen the document before."""
    from ffgrammar import allocate_bitmask

    tokens = grammar.tokenizer.encode(TEXT)
    bitmask = allocate_bitmask(1, grammar.tokenizer.vocab_size)
    matcher = grammar.matcher()
    places = []
    for token in tokens:
        places.append(matcher.fork())
        matcher.fill_bitmask(bitmask)
        matcher.accept_token(token)

    def fill() -> None:
        for place in places:
            place.fill_bitmask(bitmask)

    def accept() -> None:
        matcher.reset()
        for token in tokens:
            matcher.accept_token(token)

    def rollback() -> None:
        for _ in tokens:
            matcher.rollback(1)

    def fork() -> None:
        for _ in tokens:
            matcher.fork()

    found: dict[str, float] = {}
    # In this order: forks are made where `accept` leaves the matcher, at the end of the document.
    for name, call, prepare in (
        ("cached_mask", fill, None),
        ("accept_token", accept, None),
        ("fork", fork, None),
        ("rollback", rollback, accept),
    ):
        found[name] = _best(call, prepare)[0] / len(tokens)
    return found


def _checks(tokenizer: Tokenizer) -> dict[str, float]:
    """The nanoseconds that encoding and the checks of canonicality take for a token of the document. What the tokenizer
    cannot do is left out."""
    from ffgrammar import CanonicalityTracker, is_canonical

    if not tokenizer.can_encode:
        return {}
    tokens = tokenizer.encode(TEXT)
    calls: dict[str, Callable[[], Any]] = {
        "encode": lambda: tokenizer.encode(TEXT),
        "is_canonical": lambda: is_canonical(tokenizer, tokens),
    }
    if tokenizer.canon is not None:
        calls["tracker_push"] = lambda: CanonicalityTracker(tokenizer).extend(tokens)
    return {name: _best(call)[0] / len(tokens) for name, call in calls.items()}


def _best(call: Callable[[], Any], prepare: Callable[[], Any] | None = None) -> tuple[int, Any]:
    """The shortest time of several runs, and what the call returned."""
    best = None
    for _ in range(RUNS):
        if prepare is not None:
            prepare()
        start = perf_counter_ns()
        value = call()
        spent = perf_counter_ns() - start
        best = spent if best is None else min(best, spent)
    assert best is not None
    return best, value


def table(found: dict[str, float]) -> list[str]:
    """The figures as lines for a terminal."""
    rows = (f"{label:<70}{round(found[name], 1):>14,}" for name, label in LABELS.items() if name in found)
    return ["", f"{'single calls, ns':<70}", *rows]
