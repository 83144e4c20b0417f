"""The compact form of a vocabulary that the package embeds, and the command that writes it:

    python -m ffgrammar.tokens.vocabulary.pack IN.tiktoken OUT.bin

Layout: the 8 bytes MAGIC, the number n of tokens as little-endian uint32, then one zlib stream. It has the tokens in
*front-coded form*:

    n bytes      how many bytes the token shares with the token before it (tokens are in byte order)
    n bytes      how many further bytes the token has
    3 n bytes    the ids: all low bytes, all middle bytes, all high bytes
    the rest     the bytes that are not shared, one token after the other

Tokens are in byte order so that a trie can be built without sorting. Bytes of one kind stand together because they
compress better like this.
"""

from __future__ import annotations

import base64
import binascii
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.embedded import MAGIC, read_packed

__all__ = ["front_code", "pack", "read_rank_file", "unpack"]

MAX_TOKEN_BYTES = 255
MAX_ID = (1 << 24) - 33


def read_rank_file(text: bytes) -> list[bytes]:
    """The tokens by rank, from the text of a .tiktoken file. Each line is "base64 rank". Ranks count up from 0.

    Raises:
        TokenizerError: a line does not have this form. The message has the number of the line.
    """
    tokens = []
    for number, line in enumerate(text.splitlines()):
        try:
            encoded, rank = line.split()
            token = base64.b64decode(encoded, validate=True)
        except (ValueError, binascii.Error):
            raise TokenizerError(f"rank file, line {number + 1}: expected 'base64 rank'") from None
        if rank != b"%d" % number:
            raise TokenizerError(f"rank file, line {number + 1}: expected rank {number}, found {rank!r}")
        tokens.append(token)
    return tokens


def front_code(tokens: Iterable[tuple[bytes, int]]) -> tuple[bytes, int]:
    """(the front-coded form of (bytes, id) pairs, how many pairs there are).

    Raises:
        TokenizerError: a token is empty or longer than 255 bytes, two tokens are equal, or an id is out of range.
    """
    shared, rest, ids, suffixes = bytearray(), bytearray(), [], bytearray()
    before = b""
    for token, number in sorted(tokens):
        if not 0 < len(token) <= MAX_TOKEN_BYTES:
            raise TokenizerError(f"token {number} has {len(token)} bytes; the packed form holds 1 to {MAX_TOKEN_BYTES}")
        if token == before:
            raise TokenizerError(f"token {number} is there twice: {token!r}")
        if not 0 <= number <= MAX_ID:
            raise TokenizerError(f"id {number} is out of range")
        common = 0
        while common < min(len(before), len(token)) and before[common] == token[common]:
            common += 1
        shared.append(common)
        rest.append(len(token) - common)
        suffixes += token[common:]
        ids.append(number)
        before = token
    planes = bytes((number >> shift) & 0xFF for shift in (0, 8, 16) for number in ids)
    return bytes(shared + rest) + planes + bytes(suffixes), len(ids)


def pack(rank_file: bytes) -> bytes:
    """The content of the OUT.bin for the content of a .tiktoken file. Raises TokenizerError if the file cannot be
    packed, or if `unpack` could not rebuild it."""
    tokens = read_rank_file(rank_file)
    raw, count = front_code((token, rank) for rank, token in enumerate(tokens))
    packed = MAGIC + count.to_bytes(4, "little") + zlib.compress(raw, 9)
    if unpack(packed) != rank_file:
        raise TokenizerError("rank file: not in the plain form (spacing, line ends), so it could not be rebuilt")
    return packed


def unpack(packed: bytes) -> bytes:
    """The content of the .tiktoken file that `pack` was given."""
    raw, count = read_packed(packed)
    tokens = [b""] * count
    low, middle, high = (raw[(2 + plane) * count : (3 + plane) * count] for plane in range(3))
    at, before = 5 * count, b""
    for k in range(count):
        more = raw[count + k]
        before = before[: raw[k]] + raw[at : at + more]
        at += more
        tokens[low[k] | middle[k] << 8 | high[k] << 16] = before
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


def main(arguments: list[str]) -> int:
    """Run the command. Returns the exit code."""
    if len(arguments) != 2:
        print("usage: python -m ffgrammar.tokens.vocabulary.pack IN.tiktoken OUT.bin", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    try:
        packed = pack(source.read_bytes())
        target.write_bytes(packed)
    except (OSError, TokenizerError) as error:
        print(f"ffgrammar: {error}", file=sys.stderr)
        return 2
    print(f"{target}: {len(packed)} bytes, {source.stat().st_size} before")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
