"""What the long checks share: their arguments, and the documents that they walk along."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator

import ffgrammar as ff
from ffgrammar_cli.bench.data import Schema, compact, load_schemas, spaced
from shared_data import dev_set

__all__ = ["ENCODING_NAMES", "SPELLINGS", "accepted_documents", "arguments", "evenly_spread"]

ENCODING_NAMES = ("cl100k_base", "o200k_base")
# How a document is written, and the whitespace of the grammar that it is walked on.
SPELLINGS = {"spaced": (spaced, "flexible"), "compact": (compact, "compact")}


def arguments(name: str, description: str | None, *, schemas: bool = False, encodings: bool = False) -> ArgumentParser:
    """A parser for the arguments of a check; `description` is its module's docstring.

    Args:
        name: of the check.
        schemas: whether it takes --schemas.
        encodings: whether it takes --encoding.
    """
    parser = ArgumentParser(prog=f"python tests/long_checks {name}", description=(description or "").splitlines()[0])
    if schemas:
        parser.add_argument("--schemas", type=int, default=200, help="how many, evenly spread over MaskBench's (200)")
    if encodings:
        parser.add_argument(
            "--encoding", choices=ENCODING_NAMES, action="append", help="only this one; both by default"
        )
    return parser


def evenly_spread(count: int) -> list[Schema]:
    """Schemas of MaskBench's development set, evenly spread over it."""
    every = load_schemas(dev_set())
    count = min(count, len(every))
    return [every[number * len(every) // count] for number in range(count)]


def accepted_documents(schema: Schema, tok: ff.Tokenizer, spelling: str) -> Iterator[tuple[ff.Grammar, list[int]]]:
    """The grammar of a schema and the tokens of its valid documents, in a spelling of SPELLINGS.

    Left out are schemas that do not compile, and documents that the grammar does not accept: their keys may come in
    another order than the schema's.
    """
    spell, whitespace = SPELLINGS[spelling]
    try:
        grammar = ff.compile_json_schema(schema.schema, tok, whitespace=whitespace)
    except ff.FFGrammarError:
        return
    for instance in schema.instances:
        tokens = tok.encode(spell(instance.data)) if instance.valid else []
        if tokens and grammar.matcher().validate_tokens(tokens) == len(tokens):
            yield grammar, tokens
