"""Which characters a vocabulary can write.

    characters(TokenTrie([b"a", b"\\xc3\\xa9", b"be"]))     # {b"a", b"\\xc3\\xa9", b"b", b"e"}

It is the characters inside of tokens, and the bytes that are tokens by themselves. A character that is only inside of
longer tokens cannot be written everywhere; here it counts all the same.
"""

from __future__ import annotations

from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["characters"]

# The bytes that UTF-8 has
UTF8_BYTES = [value for value in range(256) if value not in (0xC0, 0xC1) and value < 0xF5]


def characters(trie: TokenTrie) -> frozenset[bytes] | None:
    """The characters in UTF-8, and single bytes, that tokens are made of. None if each byte of UTF-8 is a token."""
    single = {bytes([value]) for value in range(256) if trie.id_of(bytes([value])) >= 0}
    if all(bytes([value]) in single for value in UTF8_BYTES):
        return None
    inside: set[str] = set()
    for token in range(trie.vocab_size):
        inside.update(trie.token_bytes(token).decode("utf-8", "ignore"))
    return frozenset(single | {character.encode() for character in inside})
