"""The border between a prompt and what is generated after it (token healing, done exactly).

A prompt's last tokens are the tokenizer's own only for a text that ends there: `"name":` ends in the token `":`, but
where a string follows the model has mostly seen `":"`. So the prompt is cut back to the tokens that it has in every
text that may become of it, and the rest of its characters is left to be spelled by what comes next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ffgrammar.api.compile import compile_regex
from ffgrammar.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    from ffgrammar.api.grammar import Grammar
    from ffgrammar.engine.canonical_matcher import CanonicalMatcher

__all__ = ["Healing", "heal"]

ANY_TEXT = r"(?s:.*)"


class Healing(NamedTuple):
    """A prompt that was cut back.

    Attributes:
        tokens: token ids to give to the model.
        taken_back: token ids that the prompt's own encoding has after these.
        rest: the bytes of these, which the next tokens spell.
        matcher: its masks lead along the rest, and on under the grammar.
    """

    tokens: tuple[int, ...]
    taken_back: tuple[int, ...]
    rest: bytes
    matcher: CanonicalMatcher


def heal(tok: Tokenizer, prompt: str | bytes, grammar: Grammar | None = None, *, canonical: bool = False) -> Healing:
    """Cut a prompt back to the tokens that it has whatever follows.

    Args:
        tok: the tokenizer; its rules must be known (`Tokenizer.canon`).
        prompt: the text before; names of special tokens in it are ordinary text.
        grammar: what follows; any text if not given.
        canonical: as for `Grammar.matcher`.

    Raises:
        TokenizerError: the tokenizer's rules are not known, or no UTF-8 text begins with the prompt.
    """
    if grammar is None:
        grammar = compile_regex(ANY_TEXT, tok)
    matcher = grammar.matcher(canonical=canonical, prompt=prompt)
    tokens: tuple[int, ...] = matcher.prompt_tokens
    return Healing(tokens, tuple(tok.encode(prompt)[len(tokens) :]), matcher.prompt_rest, matcher)
