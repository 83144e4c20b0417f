"""Token healing, done exactly: a prompt is cut back so that what is generated after it joins it as the model expects.

A prompt's last tokens are the tokenizer's own only for a text that ends there: `"name":` ends in the token `":`, but
where a string follows, the model has mostly seen `":"`. So the prompt is cut back to those of its tokens that stay
the same whatever follows, and the tokens that come next spell the rest of its characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ffgrammar.api.compile import compile_regex
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.prompt import read_prompt
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.special import Special

__all__ = ["Healing", "heal"]

ANY_TEXT = r"(?s:.*)"


class Healing(NamedTuple):
    """A prompt that was cut back.

    Attributes:
        tokens: token ids to give to the model.
        taken_back: the token ids of the prompt that come after `tokens`.
        rest: the bytes of `taken_back`, which the next tokens must spell.
        matcher: its masks first allow only tokens that spell `rest`. The last of these tokens may go on beyond `rest`.
            What follows `rest` obeys the grammar.
    """

    tokens: tuple[int, ...]
    taken_back: tuple[int, ...]
    rest: bytes
    matcher: Matcher


def heal(
    tok: Tokenizer,
    prompt: str | bytes | Iterable[int],
    grammar: Grammar | None = None,
    *,
    canonical: bool = False,
    special: Special | None = None,
) -> Healing:
    """Cut a prompt back to those of its tokens that are the same whatever follows.

    Args:
        tok: the tokenizer; its rules must be known (`Tokenizer.canon`).
        prompt: the text of the prompt, or its token ids. Only ids after the last special token can be taken back. If
            these ids are not what the tokenizer makes of their text, none is taken back.
        grammar: the grammar of what follows the prompt. If it is not given, any text may follow.
        canonical, special: as for `Grammar.matcher`.

    Raises:
        TokenizerError: the tokenizer's rules are not known, a token id is out of range, no UTF-8 text begins with the
            prompt, no sentence of the grammar can follow it, the grammar is for another vocabulary, or `special` is
            a str other than "allow" and "text".
        UnsupportedError: rules of the grammar have special tokens, and the tokenizer normalizes.
        LimitError: a bound of the grammar was reached.
        TypeError: an argument is of another type.
    """
    expect("heal: tok", tok, Tokenizer, "a Tokenizer")
    expect("heal: prompt", prompt, Iterable, "a str, bytes or token ids")
    expect("heal: grammar", grammar, (Grammar, type(None)), "a Grammar")
    if grammar is None:
        grammar = compile_regex(ANY_TEXT, tok)
    elif grammar.tokenizer.fingerprint != tok.fingerprint:
        raise TokenizerError(f"heal: the grammar is compiled for another vocabulary than {tok.name}")
    read = read_prompt(tok, prompt, special, 2)
    text = read if isinstance(read, str | bytes) else list(read)
    matcher = grammar.matcher(canonical=canonical, prompt=text, special="text")
    tokens = matcher.prompt_tokens
    whole = text if isinstance(text, list) else tok.encode(text)
    return Healing(tokens, tuple(whole[len(tokens) :]), matcher.prompt_rest, matcher)
