"""Which characters the tokens of a vocabulary are made of.

    characters(TokenTrie([b"a", b"\\xc3\\xa9", b"be"]))     # {b"a", b"b", b"e", b"\\xc3\\xa9"}

These are the bytes that are tokens, the bytes of tokens that begin or end inside a character, and the characters that
stand inside of tokens. A character or byte that only stands inside of longer tokens cannot be written everywhere. It
counts all the same: what stands beside it is not known here. Special tokens do not count.
"""

from __future__ import annotations

from ffgrammar.tokens.vocabulary.trie import TokenTrie

__all__ = ["characters"]


def characters(trie: TokenTrie) -> frozenset[bytes] | None:
    """The bytes that are tokens, and those of tokens that are no UTF-8. Also each character inside a token, in UTF-8,
    unless these bytes can spell it. None if each of the 256 bytes is a token: then all texts can be written."""
    single = {bytes([value]) for value in range(256) if trie.id_of(bytes([value])) >= 0}
    if len(single) == 256:
        return None
    inside: set[str] = set()
    for token in range(trie.vocab_size):
        text = trie.token_bytes(token)
        try:
            inside.update(text.decode())
        except UnicodeDecodeError:
            single.update(bytes([value]) for value in text)
    spelled = {text for text in map(str.encode, inside) if any(bytes([value]) not in single for value in text)}
    return frozenset(single | spelled)
