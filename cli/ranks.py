"""A vocabulary from a rank file of tiktoken. Each line is a token in base64 and its rank, which is its id."""

from __future__ import annotations

import base64
import binascii
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from .files import read_input
from .options import EMBEDDED

if TYPE_CHECKING:
    from ffgrammar import Tokenizer

    from .options import VocabularyName

__all__ = ["load_rank_file"]

MAX_IDS = 1 << 24


def _ranks(path: str) -> dict[bytes, int]:
    ranks = {}
    for number, line in enumerate(read_input(path).splitlines(), 1):
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise click.ClickException(f"{path}, line {number}: not a token in base64 and a rank") from error
    if not ranks:
        raise click.ClickException(f"{path}: no tokens")
    if min(ranks.values()) < 0 or max(ranks.values()) >= MAX_IDS:
        raise click.ClickException(f"{path}: ranks must be from 0 to {MAX_IDS - 1}")
    return ranks


def load_rank_file(named: VocabularyName) -> Tokenizer:
    """The vocabulary of a rank file.

    A rank file says neither how the tokenizer splits text nor which tokens end a text. If the file has the name and the
    tokens of an embedded vocabulary, both are known. Otherwise --pattern says the first and --eos the second. Without
    --pattern nothing can be encoded, but masks need no encoding.
    """
    from ffgrammar import Tokenizer

    ranks = _ranks(named.name)
    name = PurePath(named.name).stem
    if name in EMBEDDED and named.pattern is None:
        embedded = Tokenizer.from_tiktoken(name, eos_token_ids=named.eos)
        if all(embedded.token_bytes(rank) == token for token, rank in ranks.items()):
            return embedded
        raise click.ClickException(f"{named.name}: this is not {name}; say how it splits text with --pattern")
    if named.pattern is not None:
        import tiktoken

        encoding = tiktoken.Encoding(name, pat_str=named.pattern, mergeable_ranks=ranks, special_tokens={})
        return Tokenizer.from_tiktoken(encoding, eos_token_ids=named.eos or ())
    tokens: list[bytes | None] = [None] * (1 + max(ranks.values()))
    for token, rank in ranks.items():
        tokens[rank] = token
    return Tokenizer.from_tokens(tokens, eos_token_id=named.eos, name=name)
