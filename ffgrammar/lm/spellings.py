"""The token sequences that spell a text, or the beginning of one.

A `Spelling` stands for the sequences that differ only in their last token. Among the spellings of a text no sequence
begins another one, so their probabilities add up to that of the text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ffgrammar.api.compile import compose
from ffgrammar.api.parts import sequence, text
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.lm.opening import Opening
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Spelling", "all_spellings", "canonical_spellings", "shared_start"]

# How many spellings one text may have: each is a call of the model.
MAX_SPELLINGS = 4096


class Spelling(NamedTuple):
    """Token sequences that differ only in their last token.

    Attributes:
        kept: the ids before the last one.
        last: the ids that the last one may be, int32 [count].
    """

    kept: tuple[int, ...]
    last: NDArray[np.int32]


def canonical_spellings(tok: Tokenizer, opening: Opening, more: bytes, ends: bool) -> list[Spelling]:
    """How the tokenizer itself spells texts after the opening's fixed tokens.

    Args:
        tok: the tokenizer. Unless the text ends, its rules must be known.
        opening: the beginning of the text.
        more: what follows the opening's text.
        ends: whether the text ends there, with an end-of-text token. If not, anything follows; then the sequences are
            the coverings.

    Returns:
        The spellings; none if there are no bytes and anything follows.

    Raises:
        TokenizerError: the rules are not known, the text cannot be encoded, or no UTF-8 text begins with these bytes.
    """
    if ends:
        return [Spelling(tuple(tok.encode(opening.text + more)), np.array(tok.eos_token_ids, dtype=np.int32))]
    return [Spelling(one.kept, one.candidates) for one in opening.coverings(tok, more)]


def shared_start(tok: Tokenizer, opening: Opening, spellings: list[Spelling]) -> tuple[int, ...]:
    """The tokens that all spellings begin with and that lie inside the opening's text."""
    kept = [one.kept for one in spellings]
    first, last = min(kept, default=()), max(kept, default=())
    size = 0
    for count, (one, other) in enumerate(zip(first, last, strict=False)):
        size += len(tok.token_bytes(one))
        if one != other or size > len(opening.text):
            return first[:count]
    return first[: min(len(first), len(last))]


def all_spellings(tok: Tokenizer, start: tuple[int, ...], rest: bytes, ends: bool) -> list[Spelling]:
    """All token sequences that begin with `start` and then spell `rest`, canonical or not.

    Args:
        tok, ends: as for `canonical_spellings`.
        start: the tokens that all sequences begin with.
        rest: UTF-8 bytes that follow them, or the end of a character and UTF-8 after it.

    Raises:
        MatcherError: there are more than MAX_SPELLINGS.
    """
    eos = np.array(tok.eos_token_ids, dtype=np.int32)
    if not rest:
        return [Spelling(start, eos)] if ends else []
    found: list[Spelling] = []
    grammar = compose(sequence(rest) if ends else sequence(rest, text()), tok)
    waiting: list[tuple[tuple[int, ...], int, Matcher]] = [(start, 0, grammar.matcher())]
    while waiting:
        tokens, position, matcher = waiting.pop()
        allowed = matcher.allowed_token_ids()
        sizes = np.array([len(tok.token_bytes(token)) for token in allowed])
        inside = (sizes > 0) & (sizes + position < len(rest) + ends)
        if not ends and (sizes + position >= len(rest)).any():
            found.append(Spelling(tokens, allowed[sizes + position >= len(rest)]))
        for token, size in zip(allowed[inside].tolist(), sizes[inside].tolist(), strict=True):
            if position + size == len(rest):
                found.append(Spelling((*tokens, token), eos))
                continue
            ahead = matcher.fork()
            ahead.accept_token(token)
            waiting.append(((*tokens, token), position + size, ahead))
        if len(found) + len(waiting) > MAX_SPELLINGS:
            raise MatcherError(f"more than {MAX_SPELLINGS} token sequences spell {rest[:40]!r}")
    return found
