"""Reads a `tiktoken.Encoding` object through its public face. tiktoken is not imported: the object is enough."""

from __future__ import annotations

import contextlib
from typing import Any

from ffgrammar.core.errors import TokenizerError

__all__ = ["TiktokenEncoder", "read_encoding"]


class TiktokenEncoder:
    """Encodes with a `tiktoken.Encoding`, names of special tokens as ordinary text."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self._splitter: Any = None

    def encode(self, data: str | bytes) -> list[int]:
        try:
            if isinstance(data, bytes):
                try:
                    data = data.decode("utf-8")
                except UnicodeDecodeError:
                    # Only this method knows how tiktoken itself treats wrong UTF-8.
                    return list(self._encoding._encode_bytes(data))
            return list(self._encoding.encode_ordinary(data))
        except BaseException as error:
            # A panic of its Rust code (a long run of spaces exhausts its regex stack) is a BaseException.
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise TokenizerError(f"tiktoken could not encode the text: {error}") from error
            raise

    def piece_ends(self, data: bytes) -> list[int] | None:
        """By the `regex` package where it is installed; its Unicode version may differ from tiktoken's."""
        if self._splitter is None:
            try:
                import regex

                self._splitter = regex.compile(self._encoding._pat_str)
            except (ImportError, AttributeError):
                return None
        text = data.decode("utf-8")
        ends, chars, count = [], 0, 0
        for match in self._splitter.finditer(text):
            count += len(text[chars : match.end()].encode())
            chars = match.end()
            ends.append(count)
        return ends


def read_encoding(encoding: Any) -> tuple[list[bytes | None], dict[str, int], str, TiktokenEncoder]:
    """(tokens by id, special tokens, name, encoder) of a `tiktoken.Encoding`.

    Raises:
        TokenizerError: it is something else.
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
    special_ids = set(special_tokens.values())
    tokens: list[bytes | None] = [None] * size
    for token in range(size):
        if token in special_ids:
            continue
        with contextlib.suppress(KeyError):  # a hole
            tokens[token] = token_of(token)
    return tokens, special_tokens, name, TiktokenEncoder(encoding)
