"""The shared data of tests and long checks: where it is, and tiktoken's encodings from the rank tables in it."""

from __future__ import annotations

import base64
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

__all__ = ["dev_set", "encoding", "shared_dir"]

# tiktoken's own definitions; tiktoken.get_encoding would fetch the ranks from a network.
ENCODINGS: dict[str, tuple[str, dict[str, int]]] = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
        r"|\s+(?!\S)|\s",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
}


def shared_dir() -> Path | None:
    """The folder of the shared data: $FFGRAMMAR_SHARED, else `shared` beside the project; None if neither is there."""
    named = os.environ.get("FFGRAMMAR_SHARED")
    path = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    return path if (path / "maskbench").is_dir() or (path / "tokenizers").is_dir() else None


def dev_set() -> Path:
    """The development set of MaskBench; without it the program ends."""
    shared = shared_dir()
    if shared is None:
        raise SystemExit("the shared data is not there (see FFGRAMMAR_SHARED)")
    return shared / "maskbench" / "dev.jsonl.gz"


@cache
def encoding(name: str, shared: Path) -> tiktoken.Encoding:
    """tiktoken's encoding of a name, from the rank table in the shared folder; made once, as it takes a second."""
    import tiktoken

    pattern, special_tokens = ENCODINGS[name]
    lines = (shared / "tokenizers" / f"{name}.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)
