"""Budgets by trying every sequence of tokens, shortest first, on plain matchers."""

from __future__ import annotations

from typing import Any

__all__ = ["fewest", "within"]


def _plain(matcher: Any) -> tuple[list[int], bool]:
    """The tokens that a plain matcher allows, without end-of-text tokens, and whether the text is a sentence."""
    allowed = []
    for token in matcher.allowed_token_ids().tolist():
        fork = matcher.fork()
        assert fork.accept_token(token)
        if not fork.is_terminated():
            allowed.append(token)
    return allowed, matcher.is_accepting()


def _text(matcher: Any, special: frozenset[int]) -> tuple[bytes, tuple[int, ...]]:
    """What decides how a text goes on: its bytes, and the special tokens between them."""
    tokens = tuple(token if token in special else -1 for token in matcher.tokens() if token is not None)
    return matcher.text_bytes, tokens if any(token >= 0 for token in tokens) else ()


def fewest(matcher: Any, special: frozenset[int], most: int) -> int | None:
    """How many tokens complete the text of a plain matcher; None if `most` do not."""
    level = [matcher]
    seen = {_text(matcher, special)}
    for count in range(most + 1):
        if any(place.is_accepting() for place in level):
            return count
        following = []
        for place in level if count < most else []:
            for token in _plain(place)[0]:
                fork = place.fork()
                fork.accept_token(token)
                if _text(fork, special) not in seen:
                    seen.add(_text(fork, special))
                    following.append(fork)
        level = following
    return None


def within(matcher: Any, special: frozenset[int], left: int, eos: frozenset[int]) -> set[int]:
    """The tokens after which a plain matcher's text can be completed with what is then left."""
    allowed, sentence = _plain(matcher)
    found = set(eos) if sentence else set()
    for token in allowed if left > 0 else []:
        fork = matcher.fork()
        fork.accept_token(token)
        if fewest(fork, special, left - 1) is not None:
            found.add(token)
    return found
