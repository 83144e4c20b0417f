"""Rates of the columns beside other packages, in CPU time and in one run: python -m clusters.rates [MEGABYTES].

The texts are Python's library and the packages that are installed. The two sides of a comparison take turns.
"""

from __future__ import annotations

import json
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy

import ffgrammar as ff
from ffgrammar.engine.columns.forced import forced_column
from ffgrammar.engine.columns.validate import validate_column
from ffgrammar.tokens.columns.check import ColumnCheck
from ffgrammar.tokens.columns.encode import ColumnEncoder

ROUNDS = 3
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
        "status": {"enum": ["active", "inactive"]},
    },
    "required": ["name", "age", "tags", "status"],
    "additionalProperties": False,
}


def texts(size: int) -> Iterator[str]:
    """Texts of this machine, about this many bytes of them."""
    paths = sysconfig.get_paths()
    for folder in (paths["stdlib"], paths["purelib"]):
        for path in sorted(Path(folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8", errors="replace")
            size -= len(text)
            if size < 0:
                return
            yield text


def answers(count: int) -> list[str]:
    """What a model may have answered, under SCHEMA."""
    rng = random.Random(1)
    return [
        json.dumps(
            {
                "name": f"Ada {number}",
                "age": rng.randint(0, 99),
                "tags": ["engine", "note"] * rng.randint(0, 2),
                "status": rng.choice(["active", "inactive"]),
            }
        )
        for number in range(count)
    ]


def flat(rows: list[Any], kind: Any) -> tuple[Any, Any, Any]:
    """(offsets, values, skipped), as columns take them."""
    parts = [numpy.frombuffer(row, kind) if isinstance(row, bytes) else numpy.array(row, kind) for row in rows]
    offsets = numpy.cumsum([0, *map(len, rows)], dtype=numpy.int64)
    return offsets, numpy.concatenate(parts), numpy.zeros(len(rows), dtype=numpy.uint8)


def compare(what: str, amount: float, unit: str, sides: dict[str, Callable[[], Any]]) -> None:
    """Print the best rate of each side, a CPU second, and the ratio to the first one."""
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(ROUNDS):
        for name, call in sides.items():
            start = process_time()
            call()
            best[name] = min(best[name], process_time() - start)
    first = next(iter(best.values()))
    for name, seconds in best.items():
        print(f"{what}\t{name}\t{amount / seconds:,.2f} {unit} a CPU second\t{seconds / first:.2f} times the CPU time")


def main() -> None:
    """All comparisons."""
    import jsonschema
    import jsonschema_rs
    import tiktoken

    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    plain = list(texts(int(float(sys.argv[1]) if len(sys.argv) > 1 else 30) * 1_000_000))
    rows = [text.encode() for text in plain]
    ids = [tok.encode(text) for text in plain]
    count = sum(map(len, ids)) / 1e6
    ranks = {tok.token_bytes(token): token for token in range(tok.vocab_size) if tok.token_bytes(token)}
    pattern = (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    )
    peer = tiktoken.Encoding("cl100k", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    assert peer.encode_ordinary(plain[0]) == ids[0]
    id_column, text_column = flat(ids, numpy.int32), flat(rows, numpy.uint8)
    check, encoder = ColumnCheck(tok), ColumnEncoder(tok)
    in_threads = {"tiktoken encodes, two threads": lambda: peer.encode_ordinary_batch(plain, num_threads=2)}
    compare("check", count, "million tokens", {"column": lambda: check.rows(*id_column), **in_threads})
    compare("tokenize", count, "million tokens", {"column": lambda: encoder.rows(*text_column), **in_threads})
    print(f"bytes a token\t{sum(map(len, rows)) / 1e6 / count:.2f}")

    documents = answers(20_000)
    column = flat([document.encode() for document in documents], numpy.uint8)
    grammar = ff.compile_json_schema(SCHEMA, tok)
    python, rust = jsonschema.Draft202012Validator(SCHEMA), jsonschema_rs.validator_for(SCHEMA)
    sides = {
        "column": lambda: validate_column(grammar._engine, *column),
        "jsonschema": lambda: [python.is_valid(json.loads(one)) for one in documents],
        "jsonschema-rs": lambda: [rust.is_valid(json.loads(one)) for one in documents],
    }
    compare("validate", len(documents) / 1e3, "thousand documents", sides)
    print(f"bytes a document\t{len(column[1]) / len(documents):.1f}")
    offsets, tokens, _ = encoder.rows(*column)
    rules = tok.rules("rates")
    counted = {"column": lambda: forced_column(grammar._engine, rules, offsets, tokens, column[2])}
    compare("forced", len(tokens) / 1e6, "million tokens", counted)


if __name__ == "__main__":
    main()
