"""Whether a grammar accepts a whole text, on the vocabulary of all single bytes: tokens make no difference here. And
vocabularies for oracles that know texts, and not what can be written."""

from __future__ import annotations

from typing import Any

from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["BYTES", "is_sentence", "writing_all"]

BYTES = Tokenizer.from_tokens([bytes([byte]) for byte in range(256)])


def writing_all(tok: Tokenizer) -> Tokenizer:
    """The tokenizer, as one that can write each byte: its grammars keep the texts that it cannot write."""
    tok._characters = (None,)
    return tok


def is_sentence(grammar: Any, text: str | bytes) -> bool:
    """Whether a compiled grammar accepts a text."""
    data = text.encode() if isinstance(text, str) else text
    matcher = grammar.matcher()
    return bool(matcher.accept_bytes(data) == len(data) and matcher.is_accepting())
