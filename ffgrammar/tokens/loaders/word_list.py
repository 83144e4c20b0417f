r"""Word lists: the vocabularies of RWKV. A line has an id, the token as a Python literal, and how many bytes it has:

    257 '\t\t' 2
    258 b'\xe4\xb8' 2

At each place of a text the longest token counts, and nothing is merged (tokens/vocabulary/longest_match.pyx). So
whether a token is right may depend on many tokens after it. Rules such as those of BPE models cannot say that, so a
tokenizer of this kind has none.
"""

from __future__ import annotations

import ast
from pathlib import Path

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.longest_match import LongestMatch
from ffgrammar.tokens.vocabulary.trie import MAX_VOCAB_SIZE, TokenTrie

__all__ = ["END_OF_TEXT", "NO_RULES", "WordEncoder", "read_word_list"]

# The id that ends a text. It is not in the list.
END_OF_TEXT = 0
NO_RULES = "the longest token counts at each place, so a token may depend on many after it"


def read_word_list(path: Path, data: bytes) -> list[bytes | None]:
    """The tokens by id, None where an id has none.

    Args:
        path: for messages.
        data: what is in the file.

    Raises:
        TokenizerError: a line is damaged, or two lines have the same id. The message names the line.
    """
    found: dict[int, bytes] = {}
    # (str.splitlines would also cut at U+2028 and the like, and a token may be such a character)
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        try:
            token, _, rest = line.decode("utf-8").partition(" ")
            literal, _, size = rest.rpartition(" ")
            text = ast.literal_eval(literal)
            text = text.encode("utf-8") if isinstance(text, str) else text
            if not isinstance(text, bytes) or len(text) != int(size) or not 0 <= int(token) < MAX_VOCAB_SIZE:
                raise ValueError
        except (MemoryError, RecursionError, SyntaxError, ValueError):
            raise TokenizerError(f"{path}, line {number}: not an id, a token and how many bytes it has") from None
        if found.setdefault(int(token), text) is not text:
            raise TokenizerError(f"{path}, line {number}: the id {int(token)} is there twice")
    tokens: list[bytes | None] = [None] * (1 + max(found))
    for token_id, text in found.items():
        tokens[token_id] = text
    return tokens


class WordEncoder:
    """Encodes with the tokens of a word list."""

    _match: LongestMatch

    def bind_trie(self, trie: TokenTrie) -> None:
        """Take the vocabulary's trie, before anything is encoded. Raises TokenizerError if a token is too long for
        it."""
        self._match = LongestMatch(trie)

    def encode(self, data: str | bytes) -> list[int]:
        """The ids of a text. Raises TokenizerError if no token begins at some place of it."""
        return self._match.encode(data)

    def pretoken_ends(self, data: bytes) -> None:
        """None: there are no pre-tokens."""
        return
