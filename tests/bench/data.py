"""The MaskBench schemas and the reference tokenizer, from the shared directory."""

from __future__ import annotations

import base64
import gzip
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tiktoken

__all__ = ["Instance", "Schema", "compact", "encoding", "load_schemas", "shared_dir", "spaced"]

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


@dataclass(frozen=True)
class Instance:
    """A JSON document and whether it is valid."""

    valid: bool
    data: Any


@dataclass(frozen=True)
class Schema:
    """One line of the data set."""

    id: str
    schema: Any
    instances: tuple[Instance, ...]


def shared_dir() -> Path | None:
    """Where the shared data is: $FFGRAMMAR_SHARED, else `shared` beside the project; None if there is neither."""
    named = os.environ.get("FFGRAMMAR_SHARED")
    path = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    return path if path.is_dir() else None


def load_schemas(
    path: Path, *, limit: int | None = None, sample: int | None = None, seed: int = 0, only: str = ""
) -> list[Schema]:
    """The schemas of a .jsonl.gz file: those with `only` in their id, then the first `limit`, or `sample` at random."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    schemas = [
        Schema(record["id"], record["schema"], tuple(Instance(t["valid"], t["data"]) for t in record["tests"]))
        for record in records
        if only in record["id"]
    ]
    if sample is not None and sample < len(schemas):
        chosen = sorted(random.Random(seed).sample(range(len(schemas)), sample))
        schemas = [schemas[index] for index in chosen]
    return schemas[:limit]


def spaced(data: Any) -> str:
    """The usual spelling of a document: json.dumps with a space after `,` and `:`."""
    return json.dumps(data, ensure_ascii=False)


def compact(data: Any) -> str:
    """The same without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def encoding(name: str, shared: Path) -> tiktoken.Encoding:
    """tiktoken's encoding of that name, from the rank table in the shared directory."""
    import tiktoken

    pattern, special_tokens = ENCODINGS[name]
    lines = (shared / "tokenizers" / f"{name}.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)
