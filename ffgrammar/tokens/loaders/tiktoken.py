"""Reads a `tiktoken.Encoding` object, for encodings that are not embedded. tiktoken is not imported: the public methods
of the object give the bytes of each token.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.encoders import TiktokenEncoder

__all__ = ["read_encoding"]


def read_encoding(encoding: Any) -> tuple[list[bytes | None], dict[str, int], str, TiktokenEncoder]:
    """(tokens by id, special tokens, name, encoder) of a `tiktoken.Encoding`.

    Raises:
        TokenizerError: `encoding` is something else, or Mistral's tekken without its special tokens.
    """
    try:
        special_tokens = {name: encoding.encode_single_token(name) for name in sorted(encoding.special_tokens_set)}
        size = encoding.n_vocab
        token_of = encoding.decode_single_token_bytes
        name = encoding.name
    except AttributeError:
        raise TokenizerError(
            "from_tiktoken: expected the name of an embedded encoding or a tiktoken.Encoding, "
            f"not {type(encoding).__name__}"
        ) from None
    if not special_tokens and "tekken" in name:
        raise TokenizerError(
            f"{name}: the ids of this encoding are not the model's, which begin after the special tokens; pass the "
            "tekken.json that it was made from"
        )
    special_ids = set(special_tokens.values())
    tokens: list[bytes | None] = [None] * size
    for token in range(size):
        if token in special_ids:
            continue
        with contextlib.suppress(KeyError):  # a hole
            tokens[token] = token_of(token)
    return tokens, special_tokens, name, TiktokenEncoder(encoding)
