"""Coverings of a prefix by the plain method: try every token that begins with a suffix of the last word, and encode.

This is the method of the "Character Prefix Conditioning" articles. The pre-tokenizer's pattern finds the last word.
Each suffix of this word, from the shortest to the whole word, is looked up in a trie of the vocabulary. A token that
begins with the suffix replaces the suffix in the word. The token is a candidate if the tokenizer encodes the changed
word as the tokens of the part before the suffix, and then this token. The method looks at the last word only, and
encodes it as if nothing followed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import regex

__all__ = ["VocabularyTrie", "plain_coverings"]


class VocabularyTrie:
    """The tokens of a vocabulary by their bytes."""

    __slots__ = ("children", "tokens")

    def __init__(self, tokens: Iterable[tuple[int, bytes]] = ()) -> None:
        self.children: dict[int, VocabularyTrie] = {}
        self.tokens: list[tuple[int, bytes]] = []
        for token, data in tokens:
            node = self
            for byte in data:
                child = node.children.get(byte)
                if child is None:
                    child = node.children[byte] = VocabularyTrie()
                node = child
            node.tokens.append((token, data))

    def under(self, start: bytes) -> list[tuple[int, bytes]]:
        """The tokens that begin with some bytes."""
        node: VocabularyTrie | None = self
        for byte in start:
            if node is not None:
                node = node.children.get(byte)
        found = []
        waiting = [] if node is None else [node]
        while waiting:
            node = waiting.pop()
            found += node.tokens
            waiting += node.children.values()
        return found


def plain_coverings(encoding: Any, pattern: str, trie: VocabularyTrie, prefix: str) -> dict[str, set[int]]:
    """The coverings that the method finds. A key is a part of the prefix that is kept, as text; its value is the set of
    tokens that may cover the rest.

    Args:
        encoding: a tiktoken encoding.
        pattern: its pattern, which the regex package reads.
        trie: its tokens.
        prefix: it must not be empty.
    """
    word = regex.findall(pattern, prefix)[-1]
    before = prefix[: len(prefix) - len(word)]
    found: dict[str, set[int]] = {}
    for place in reversed(range(len(word))):
        kept = encoding.encode_ordinary(word[:place])
        for token, data in trie.under(word[place:].encode()):
            try:
                changed = word[:place] + data.decode()
            except UnicodeDecodeError:
                continue  # the token ends inside a character, so there is no changed word to encode
            if encoding.encode_ordinary(changed) == [*kept, token]:
                found.setdefault(before + word[:place], set()).add(token)
    return found
