"""The opening of a text: tokens that stay, and the text after them, which may be tokenized again with what follows.

A prompt may end inside a token, and the tokens at its end depend on what follows. So an opening keeps text rather than
tokens, as far as the tokenizer's rules allow:

    Opening.read(tok, "I bought some app")      # no fixed tokens; the text b"I bought some app"
    Opening.read(tok, [*special, *ids])         # the tokens up to the last special one are fixed
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import NamedTuple

from ffgrammar.api.prompt import read_prompt
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import Covering, coverings_after
from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.special import Special

__all__ = ["Opening"]


class Opening(NamedTuple):
    """The beginning of a text.

    Attributes:
        fixed: token ids that stay as they are.
        text: the bytes after them. Together with what follows them they have the tokens that the tokenizer writes.
    """

    fixed: tuple[int, ...]
    text: bytes

    @classmethod
    def read(cls, tok: Tokenizer, prompt: str | bytes | Iterable[int], special: Special | None) -> Opening:
        """The opening that a prompt is.

        Of token ids, those after the last special token become text if they are what the tokenizer writes for their
        text. If the tokenizer's rules are not known (`Tokenizer.canon`), or it would change the text, or the text is
        not UTF-8, all tokens stay.

        Raises:
            TokenizerError: the prompt is neither text nor token ids, a token id is out of range, or `special` is
                neither "text" nor "allow" nor None.
        """
        read = read_prompt(tok, prompt, special, 3)
        if isinstance(read, str | bytes):
            try:
                data = read.encode() if isinstance(read, str) else read
            except UnicodeEncodeError:
                raise TokenizerError("a prompt cannot have half of a surrogate pair") from None
            return cls((), b"").then(tok, data)
        try:
            ids = [index(token) for token in read]
        except TypeError:
            raise TokenizerError(f"prompt: expected str, bytes or token ids, not {type(prompt).__name__}") from None
        return cls.of_tokens(tok, ids)

    @classmethod
    def of_tokens(cls, tok: Tokenizer, ids: list[int]) -> Opening:
        """The opening with these tokens. Raises TokenizerError if a token id is out of range."""
        start = after_special(tok, ids)
        text = tok.decode(ids[start:])
        if _is_kept(tok, text) and tok.encode(text) == ids[start:]:
            return cls(tuple(ids[:start]), text)
        return cls(tuple(ids), b"")

    def then(self, tok: Tokenizer, more: bytes) -> Opening:
        """The opening that goes on with some bytes. Raises TokenizerError if they cannot be encoded."""
        text = self.text + more
        if _is_kept(tok, text):
            return Opening(self.fixed, text)
        return Opening((*self.tokens(tok), *(tok.encode(more) if more else ())), b"")

    def tokens(self, tok: Tokenizer) -> tuple[int, ...]:
        """The tokens of the opening if the text ends here."""
        return (*self.fixed, *(tok.encode(self.text) if self.text else ()))

    def coverings(self, tok: Tokenizer, more: bytes = b"") -> list[Covering]:
        """The coverings of the text followed by `more`, after the fixed tokens. An empty text has none.

        Raises:
            TokenizerError: the rules are not known, or no UTF-8 text begins with these bytes.
        """
        data = self.text + more
        if not data:
            return []
        start = after_special(tok, self.fixed)
        if start == len(self.fixed):
            return tok.coverings(data)
        sequence = CanonicalSequence(tok.rules("coverings"))
        for token in self.fixed[start:]:
            sequence.push_any(token)
        # After tokens that no text goes on from, say after half a character, a text of its own begins.
        return coverings_after(sequence, data) or tok.coverings(data)


def after_special(tok: Tokenizer, ids: tuple[int, ...] | list[int]) -> int:
    """How many of the tokens come before the ordinary tokens at the end."""
    start = len(ids)
    while start and tok.token_bytes(ids[start - 1]):
        start -= 1
    return start


def _is_kept(tok: Tokenizer, text: bytes) -> bool:
    """Whether this is UTF-8, the tokenizer's rules are known, and it writes the text as it is."""
    if tok.canon is None:
        return False
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return tok.normal_form is None or tok.decode(tok.encode(text)) == text
