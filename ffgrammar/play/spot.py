"""The place in a text that a request asks about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import FFGrammarError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.play.bounds import MAX_TOKENS
from ffgrammar.play.fields import Fields
from ffgrammar.play.sheet import tokens_of

__all__ = ["Spot", "find_spot"]


@dataclass(frozen=True)
class Spot:
    """A place in a text.

    Attributes:
        grammar: the grammar.
        tokens: the accepted tokens before the place.
        inside: bytes after them, if the place is inside a token.
        matcher: stands at the place. It allows all tokens that spell a text of the grammar.
        special: the special tokens before the place: offsets in bytes, and ids.
    """

    grammar: Grammar
    tokens: list[int]
    inside: bytes
    matcher: Matcher
    special: list[tuple[int, int]]

    @property
    def text(self) -> bytes:
        """The text before the place, without special tokens."""
        return self.matcher.text_bytes

    def canonical(self) -> tuple[Matcher | None, str]:
        """A matcher of canonical tokens at the place; or None, and why there is none."""
        try:
            matcher = self.grammar.matcher(canonical=True)
            accepted = matcher.accept_tokens(self.tokens)
            if accepted < len(self.tokens):
                return None, f"token {accepted} is not the tokenizer's own, so no canonical text goes on from here"
            matcher.accept_bytes(self.inside)
        except FFGrammarError as error:
            return None, str(error)
        return matcher, ""


def find_spot(grammar: Grammar, fields: Fields) -> Spot:
    """The place that a request names: `at`, so many tokens after the beginning, and `inside`, so many bytes after them.
    If the text is rejected before it, the place is where that happens.

    Raises:
        BadRequest: a field is wrong.
        LimitError: a bound of the grammar was reached.
    """
    tok = grammar.tokenizer
    tokens, _ = tokens_of(fields, tok)
    at = min(fields.number("at", 0, MAX_TOKENS, len(tokens)), len(tokens))
    size = fields.number("inside", 0, 1 << 20, 0)
    matcher = grammar.matcher()
    accepted = matcher.accept_tokens(tokens[:at])
    inside = b""
    if size and accepted == at < len(tokens):
        inside = tok.token_bytes(tokens[at])[:size]
        inside = inside[: matcher.accept_bytes(inside)]
    special: list[Any] = []
    offset = 0
    for token in tokens[:accepted]:
        data = tok.token_bytes(token)
        offset += len(data)
        if not data and token not in tok.eos_token_ids:
            special.append((offset, token))
    return Spot(grammar, tokens[:accepted], inside, matcher, special)
