"""Slow and plain counterparts of the tokens floor."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from itertools import pairwise


def read_ranks(rank_file: bytes) -> dict[bytes, int]:
    """The ranks of a .tiktoken file."""
    lines = (line.split() for line in rank_file.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def merge_pretoken(ranks: dict[bytes, int], pretoken: bytes) -> list[int]:
    """Byte-pair encoding as it is defined: merge the leftmost pair of the lowest rank until none is left."""
    if pretoken in ranks:
        return [ranks[pretoken]]
    parts = [pretoken[i : i + 1] for i in range(len(pretoken))]
    while True:
        pairs = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not pairs:
            return [ranks[part] for part in parts]
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def tokens_under(tokens: Sequence[bytes], prefix: bytes) -> list[int]:
    """The ids of tokens of 1 to 1,024 bytes that start with `prefix`, in byte order; the lowest id of equal tokens."""
    lowest: dict[bytes, int] = {}
    for number, token in enumerate(tokens):
        if 0 < len(token) <= 1024 and token.startswith(prefix):
            lowest.setdefault(token, number)
    return [lowest[token] for token in sorted(lowest)]


def node_total(tokens: Sequence[bytes]) -> int:
    """Nodes of the trie: one for each different prefix, the empty one (the root) included."""
    fit = [token for token in tokens if len(token) <= 1024]
    return len({token[:end] for token in fit for end in range(len(token) + 1)} | {b""})
