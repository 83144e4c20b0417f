"""The encodings that ship with the package: their token bytes (data/*.bin), pre-tokenizer patterns and special tokens.

All of this is tiktoken's (MIT, see data/LICENSE), and tests compare it with tiktoken. Nothing here touches the network,
and tiktoken itself is not needed.
"""

from __future__ import annotations

import os
import zlib
from typing import NamedTuple

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["ENCODINGS", "MAGIC", "Encoding", "load_trie", "read_left_lengths", "read_packed"]

MAGIC = b"ffgvoc1\n"
DATA = os.path.join(os.path.dirname(__file__), "data")


class Encoding(NamedTuple):
    """What tiktoken publishes about an encoding, without the ranks.

    Attributes:
        data: stem of the file in data/ that holds the ranks.
        sha256: tiktoken's checksum of the rank file that the data were made from.
        pattern: splits a text into pre-tokens. No token reaches across the end of a pre-token.
        splitter: the name of the hand-written pre-tokenizer in `tokens/pretokenize/builtin.pyx` that does what the
            pattern says: a key of `SPLITTERS` in `tokens/bpe/builtin_encoder.pyx`.
        special_tokens: id by name.
        eos: names of the tokens that end a text unless the caller says otherwise.
    """

    data: str
    sha256: str
    pattern: str
    splitter: str
    special_tokens: dict[str, int]
    eos: tuple[str, ...]


CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"""
    r"""\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
HEAD = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
TAIL = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
O200K_PATTERN = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{HEAD}*{TAIL}+{CONTRACTION}?",
        rf"[^\r\n\p{{L}}\p{{N}}]?{HEAD}+{TAIL}*{CONTRACTION}?",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)
CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

ENCODINGS = {
    "cl100k_base": Encoding(
        data="cl100k_base",
        sha256=CL100K_SHA256,
        pattern=CL100K_PATTERN,
        splitter="cl100k",
        special_tokens={
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
        eos=("<|endoftext|>",),
    ),
    "o200k_base": Encoding(
        data="o200k_base",
        sha256=O200K_SHA256,
        pattern=O200K_PATTERN,
        splitter="o200k",
        special_tokens={"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
        eos=("<|endoftext|>",),
    ),
}


def read_packed(packed: bytes) -> tuple[bytes, int]:
    """(the front-coded form, how many tokens it has). pack.py describes the layout.

    Raises:
        TokenizerError: the data are damaged, or in the form of another version.
    """
    if packed[:8] != MAGIC or len(packed) < 12:
        raise TokenizerError("embedded vocabulary: not in the form that this version reads")
    try:
        raw = zlib.decompress(memoryview(packed)[12:])
    except zlib.error as error:
        raise TokenizerError(f"embedded vocabulary: {error}") from None
    return raw, int.from_bytes(packed[8:12], "little")


def load_trie(encoding: Encoding, vocab_size: int) -> TokenTrie:
    """The trie of an embedded encoding. Raises TokenizerError if its file cannot be read or is damaged."""
    raw, count = read_packed(_read_data(f"{encoding.data}.bin"))
    return TokenTrie.from_front_coded(raw, count, vocab_size)


def read_left_lengths(encoding: Encoding) -> bytes:
    """For each token of an embedded encoding, in byte order, how many bytes its left part has, or 0 if merging begins
    with the token. The left part is the first of the two tokens that merge into it (tokens/bpe/pack_lengths.py). Raises
    TokenizerError if the file cannot be read or is damaged."""
    try:
        return zlib.decompress(_read_data(f"{encoding.data}.lengths.bin"))
    except zlib.error as error:
        raise TokenizerError(f"embedded vocabulary: {error}") from None


def _read_data(name: str) -> bytes:
    path = os.path.join(DATA, name)
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise TokenizerError(f"embedded vocabulary: cannot read {path}: {error.strerror}") from None
