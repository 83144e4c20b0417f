"""The spelling of what a grammar forces.

Where a grammar leaves no choice of text, a mask still leaves a choice of tokens: `name` is one token, or `n` and `ame`.
The masks of this backend have the tokenizer's own spelling there, and no other. No text is lost, and the model reads
what it has learned from. Since this does not depend on drafts, no answer does.
"""

from __future__ import annotations

from typing import Any

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.engine.matcher.matcher import Matcher

__all__ = ["forced_tokens", "only_forced", "spelling_along"]


def forced_tokens(matcher: Matcher) -> list[int]:
    """The tokens that must come; none if a bound is reached."""
    try:
        return matcher.forced_tokens()
    except FFGrammarError:
        return []


def only_forced(row: Any, token: int | None) -> None:
    """Leave one token of a mask, if it is in there.

    Args:
        row: the mask, int32 [words], numpy.
        token: the token; None leaves the mask as it is.
    """
    if token is not None and row[token >> 5] >> (token & 31) & 1:
        bit = row[token >> 5] & row.dtype.type(-(1 << 31) if token & 31 == 31 else 1 << (token & 31))
        row[:] = 0
        row[token >> 5] = bit


def spelling_along(matcher: Matcher, tokens: list[int]) -> list[int | None]:
    """Before each of some tokens, and after the last, the token that must come there; None where there is a choice.

    The matcher does not move. The tokens are allowed one after another.
    """
    found: list[int | None] = []
    further = matcher if not tokens else matcher.fork()
    for number in range(len(tokens) + 1):
        forced = [] if further.is_terminated() else forced_tokens(further)
        found.append(forced[0] if forced else None)
        if number < len(tokens):
            further.accept_token(tokens[number])
    return found
