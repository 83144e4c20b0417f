"""Writes how long the left parts of an embedded encoding's tokens are, so that they need not be found at run time:

    python -m ffgrammar.tokens.bpe.pack_lengths NAME OUT.bin

NAME is that of an encoding, such as cl100k_base, and OUT.bin belongs beside its vocabulary. The left part of a token is
the first of the two tokens of its last merge. As lengths, the left parts of cl100k take 28 KB and those of o200k 56 KB.
left_lengths.pyx turns them into the left parts again.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe.merges import Merges
from ffgrammar.tokens.vocabulary.embedded import ENCODINGS, load_trie
from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["left_lengths"]


def left_lengths(trie: TokenTrie) -> bytes:
    """For each token, how many bytes its left part has, or 0 if merging begins with the token. The tokens are sorted by
    their bytes. Ids are ranks.

    Raises:
        TokenizerError: merges do not make some token, or do not make it in the order of ranks.
    """
    merges = Merges(trie)
    lengths = bytearray()
    for token in trie.subtree(b""):
        parts = merges.parts(token)
        if parts == () or (parts and max(parts) >= token):
            raise TokenizerError(f"token {token} is not made by merges in the order of ranks")
        lengths.append(len(trie.token_bytes(parts[0])) if parts else 0)
    return bytes(lengths)


def main(arguments: list[str]) -> int:
    """Run the command. Returns the exit code."""
    if len(arguments) != 2 or arguments[0] not in ENCODINGS:
        print("usage: python -m ffgrammar.tokens.bpe.pack_lengths NAME OUT.bin", file=sys.stderr)
        return 2
    encoding = ENCODINGS[arguments[0]]
    trie = load_trie(encoding, 1 + max(encoding.special_tokens.values()))
    packed = zlib.compress(left_lengths(trie), 9)
    try:
        Path(arguments[1]).write_bytes(packed)
    except OSError as error:
        print(f"ffgrammar: {error}", file=sys.stderr)
        return 2
    print(f"{arguments[1]}: {len(packed)} bytes for {trie.token_count} tokens")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
