"""Coverings of prefixes that end inside a word, against the plain method: `python tests/long_checks coverings`.

The prefixes are those of the article on character-prefix conditioning, and the plain method is the article's, in plain
Python (oracle/character_prefix.py). Ours is `tok.coverings(prefix)`, with the `count` of each covering. `first` is its
time on a new tokenizer that has only made its rules, and `warm` its time when it is called again. The methods take
turns, and the figures are medians of all runs.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import ffgrammar as ff
from long_checks.documents import arguments
from oracle.character_prefix import VocabularyTrie, plain_coverings
from shared_data import ENCODINGS, dev_set, encoding

__all__ = ["NAME", "PREFIXES", "main", "vocabulary"]

NAME = "cl100k_base"
# For each prefix, what the article says: the texts that may be kept, each with the number of tokens that may follow it.
PREFIXES: dict[str, dict[str, int]] = {
    "I bought some apple": {
        "I bought some appl": 474,
        "I bought some app": 101,
        "I bought some ap": 1,
        "I bought some": 2,
    },
    "https:": {"https": 324},
    "userNa": {"userN": 2170, "user": 34, "": 1},
    "We found a hidden causali": {"We found a hidden causal": 1748, "We found a hidden caus": 17},
    "He introduced an intermediar": {
        "He introduced an intermedia": 52,
        "He introduced an intermedi": 215,
        "He introduced an": 1,
    },
    "indivi": {"indiv": 1885, "ind": 16, "": 1},
}
WARM = 50


def vocabulary(tok: ff.Tokenizer) -> VocabularyTrie:
    """The plain method's trie of all tokens that have bytes."""
    tokens = ((token, tok.token_bytes(token)) for token in range(tok.vocab_size))
    return VocabularyTrie((token, data) for token, data in tokens if data)


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = perf_counter()
    call()
    return perf_counter() - start


def counted(tok: ff.Tokenizer, prefix: str) -> dict[str, int]:
    """What is kept, and how many tokens may follow."""
    return {tok.decode(one.kept).decode(): one.count for one in tok.coverings(prefix)}


def counts(tok: ff.Tokenizer, prefix: str) -> list[int]:
    """What is timed."""
    return [one.count for one in tok.coverings(prefix)]


def main() -> int:
    """The script; the exit status is 1 if a token of the plain method is missing."""
    parser = arguments("coverings", __doc__)
    parser.add_argument("--runs", type=int, default=21, help="runs of both, in turns (21)")
    options = parser.parse_args()
    tiktoken_encoding = encoding(NAME, dev_set().parent.parent)
    pattern = ENCODINGS[NAME][0]
    tok = ff.Tokenizer.from_tiktoken(NAME)
    start = perf_counter()
    trie = vocabulary(tok)
    trie_made = (perf_counter() - start) * 1e3
    rules: list[float] = []
    plain: dict[str, list[float]] = {prefix: [] for prefix in PREFIXES}
    first: dict[str, list[float]] = {prefix: [] for prefix in PREFIXES}
    warm: dict[str, list[float]] = {prefix: [] for prefix in PREFIXES}
    for _ in range(options.runs):
        for prefix in PREFIXES:
            plain[prefix].append(seconds(lambda p=prefix: plain_coverings(tiktoken_encoding, pattern, trie, p)))  # type: ignore[misc]
            fresh = ff.Tokenizer.from_tiktoken(NAME)
            rules.append(seconds(lambda tok=fresh: tok.canon))  # type: ignore[misc]
            first[prefix].append(seconds(lambda tok=fresh, p=prefix: counts(tok, p)))  # type: ignore[misc]
            for _ in range(WARM):
                warm[prefix].append(seconds(lambda tok=fresh, p=prefix: counts(tok, p)))  # type: ignore[misc]
    print(f"{'prefix':30s}{'plain ms':>10s}{'first us':>10s}{'warm us':>10s}{'plain/first':>12s}{'plain/warm':>12s}")
    for prefix in PREFIXES:
        slow, once, again = (median(found[prefix]) for found in (plain, first, warm))
        times = f"{slow * 1e3:10.2f}{once * 1e6:10.0f}{again * 1e6:10.0f}"
        print(f"{prefix:30s}{times}{slow / once:12.0f}{slow / again:12.0f}")
    ready = median(rules) * 1e3
    print(f"once for all: the rules {ready:.0f} ms, the plain method's trie {trie_made:.0f} ms\n")
    print(f"{'kept':34s}{'the article':>12s}{'plain':>8s}{'ours':>8s}")
    missing = 0
    for prefix, known in PREFIXES.items():
        found = plain_coverings(tiktoken_encoding, pattern, trie, prefix)
        ours = {tok.decode(one.kept).decode(): {*one.candidates.tolist()} for one in tok.coverings(prefix)}
        for kept in sorted({*known, *found, *ours}, key=len, reverse=True):
            theirs, mine = found.get(kept, set()), ours.get(kept, set())
            print(f"{kept!r:34s}{known.get(kept, 0):12d}{len(theirs):8d}{len(mine):8d}")
            missing += len(theirs - mine)
    print(f"tokens of the plain method that are not among ours: {missing}")
    return 1 if missing else 0
