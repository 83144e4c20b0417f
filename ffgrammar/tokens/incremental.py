"""The tokens of a text that grows at its end, or is cut there.

encoder = IncrementalEncoder(tok)
encoder.append("Hello wor")
encoder.append("ld")
encoder.tokens()                 # what tok.encode("Hello world") gives
"""

from __future__ import annotations

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import settled_tokens
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["IncrementalEncoder"]


class IncrementalEncoder:
    """Encodes a text as it grows. Tokens are *settled* if no further text can change them. The part of the text whose
    tokens are settled is encoded once.

    `append` encodes the pre-tokens that the new text settles. `tokens` encodes the pre-token or two that are not
    settled yet. `truncate` costs next to nothing. If the tokenizer's rules are not known (`Tokenizer.canon` is None),
    or if its pre-tokenizer cuts pre-tokens again by further patterns, `tokens` encodes the whole text.

    Args:
        tok: the tokenizer; it must be able to encode.
    """

    def __init__(self, tok: Tokenizer) -> None:
        expect("IncrementalEncoder: tok", tok, Tokenizer, "a Tokenizer")
        self._tok = tok
        rules = tok.canon
        self._rules = None if rules is None or rules.pretokens.is_composed else rules
        self._text = bytearray()
        self._tokens: list[int] = []
        # One entry for the empty text, and one for each time that pre-tokens became settled: how many bytes and how
        # many tokens were settled from then on, and how many bytes the text had at that time.
        self._marks = [(0, 0, 0)]

    def append(self, data: str | bytes) -> None:
        """Append a text. Bytes may end inside a character."""
        expect("append: data", data, (str, bytes, bytearray, memoryview), "a str or bytes")
        if isinstance(data, str):
            # (as `Tokenizer.encode` reads surrogates: a pair becomes its character, a lone one U+FFFD)
            data = data.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        self._text += data
        if self._rules is None:
            return
        settled = self._marks[-1][0]
        try:
            tokens, size = settled_tokens(self._rules, bytes(self._text[settled:]))
        except TokenizerError:
            # (the bytes are not UTF-8, say: then nothing more is settled)
            return
        if size:
            self._tokens += tokens
            self._marks.append((settled + size, len(self._tokens), len(self._text)))

    def truncate(self, size: int) -> None:
        """Cut the text after its first `size` bytes. Raises TokenizerError if the text is shorter, or if `size`
        is negative."""
        if not 0 <= size <= len(self._text):
            raise TokenizerError(f"cannot cut a text of {len(self._text)} bytes to {size}")
        del self._text[size:]
        while self._marks[-1][2] > size:
            self._marks.pop()
        del self._tokens[self._marks[-1][1] :]

    @property
    def text(self) -> bytes:
        """The text so far."""
        return bytes(self._text)

    @property
    def settled(self) -> int:
        """How many tokens are known to stay the same, whatever text follows."""
        return len(self._tokens)

    def tokens(self) -> list[int]:
        """The ids of the text, as `Tokenizer.encode` gives them. Raises TokenizerError where that method does."""
        rest = bytes(self._text[self._marks[-1][0] :])
        try:
            rest.decode()
        except UnicodeDecodeError:
            # (a byte that is not UTF-8 can change how the pre-tokens before it are encoded, even settled ones)
            return self._tok.encode(self.text)
        return self._tokens + self._tok.encode(rest)
