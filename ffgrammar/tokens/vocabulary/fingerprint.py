"""The fingerprint of a vocabulary: tokenizers with the same one have the same masks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["fingerprint"]


def fingerprint(trie: TokenTrie, special_tokens: Mapping[str, int], eos_token_ids: Iterable[int]) -> str:
    """64 hex digits, made of all that a mask depends on: bytes, ids, special tokens, EOS ids, vocab_size."""
    blob, offsets = trie.bytes_and_offsets()
    digest = hashlib.sha256(b"ffgrammar vocabulary 1\n")
    for part in (
        repr(trie.vocab_size).encode(),
        offsets,
        blob,
        repr(sorted((number, text) for text, number in special_tokens.items())).encode(),
        repr(sorted(eos_token_ids)).encode(),
    ):
        # Each part is preceded by its length, so that no two different lists of parts give the same bytes.
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()
