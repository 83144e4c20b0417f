"""The tokens of a text that grows at its end, or is cut there.

encoder = IncrementalEncoder(tok)
encoder.append("Hello wor")
encoder.append("ld")
encoder.tokens()                 # as tok.encode("Hello world")
"""

from __future__ import annotations

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import settled_tokens
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["IncrementalEncoder"]


class IncrementalEncoder:
    """Encodes a text as it grows: what no further text can change is encoded once.

    Appending encodes the new text and the pre-token or two that were not settled yet; cutting costs next to nothing.
    Where the tokenizer's rules are not known (`Tokenizer.canon`), or its pre-tokenizer cuts pre-tokens again, `tokens`
    encodes the whole text.

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
        # After each time that something was settled: bytes settled, tokens settled, bytes of the text then.
        self._marks = [(0, 0, 0)]

    def append(self, data: str | bytes) -> None:
        """Append a text; bytes may end inside a character."""
        expect("append: data", data, (str, bytes, bytearray, memoryview), "a str or bytes")
        if isinstance(data, str):
            # (surrogates as `Tokenizer.encode` reads them)
            data = data.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        self._text += data
        if self._rules is None:
            return
        settled = self._marks[-1][0]
        try:
            tokens, size = settled_tokens(self._rules, bytes(self._text[settled:]))
        except TokenizerError:
            # no text has these bytes: nothing is settled any more
            return
        if size:
            self._tokens += tokens
            self._marks.append((settled + size, len(self._tokens), len(self._text)))

    def truncate(self, size: int) -> None:
        """Cut the text after its first `size` bytes. Raises TokenizerError if it has fewer."""
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
        """How many tokens are known to stay the same whatever follows."""
        return len(self._tokens)

    def tokens(self) -> list[int]:
        """The ids of the text, as `Tokenizer.encode` gives them. Raises TokenizerError like that."""
        rest = bytes(self._text[self._marks[-1][0] :])
        try:
            rest.decode()
        except UnicodeDecodeError:
            # (a wrong byte changes how the pre-tokens before it are encoded)
            return self._tok.encode(self.text)
        return self._tokens + self._tok.encode(rest)
