"""The text as tokens, each with why it is there; and how many tokens might have come in its place.

A walk follows a list of tokens. When the list changes, the walk goes back to where it changed, so a letter at the end
of a long text costs little. A walk over 2,000 tokens takes some 10 ms.
"""

from __future__ import annotations

from time import perf_counter, perf_counter_ns

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import LimitError
from ffgrammar.core.prefixes import common_size
from ffgrammar.play.masks import MaskBuffer

__all__ = ["Walk"]

# How many tokens are followed between two looks at the clock.
ROUND = 64


class Walk:
    """Follows tokens under a grammar.

    Args:
        grammar: the grammar.

    Attributes:
        tokens: the tokens that it was last asked to follow.
        forced: for each accepted token, whether nothing else could come.
        allowed: before each accepted token and after the last one, how many tokens might come.
        micros: for the same places, how long the mask took, in microseconds.
        stopped: why the walk ended early: a bound of the grammar, or the time. None if it did not.
        ends: whether the text might end after the last accepted token.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._matcher = grammar.matcher()
        self._buffer = MaskBuffer(grammar.tokenizer.vocab_size)
        self.tokens: list[int] = []
        self.forced: list[bool] = []
        self.allowed: list[int] = []
        self.micros: list[float] = []
        self.stopped: str | None = None
        self.ends = False

    @property
    def accepted(self) -> int:
        """How many of the tokens were accepted."""
        return len(self.forced)

    def follow(self, tokens: list[int], seconds: float) -> int:
        """Follow a list of tokens, as far as the grammar accepts them.

        Args:
            tokens: the tokens.
            seconds: after this time the walk ends.

        Returns:
            How many tokens at the beginning are as they were in the last walk, with all that is known of them.
        """
        kept = common_size(self.tokens[: self.accepted], tokens)
        if self.accepted > kept:
            self._matcher.rollback(self.accepted - kept)
        # (the mask before a token does not depend on it)
        del self.forced[kept:], self.allowed[kept + 1 :], self.micros[kept + 1 :]
        self.tokens = tokens
        self.stopped = None
        try:
            self._go_on(perf_counter() + seconds)
            self.ends = self._matcher.is_accepting() or self._matcher.is_terminated()
        except LimitError as error:
            self.stopped = str(error)
            self.ends = False
        return kept

    def _go_on(self, until: float) -> None:
        matcher, coming = self._matcher, list[int]()
        while True:
            at = len(self.forced)
            self._measure()
            if at == len(self.tokens):
                return
            if at % ROUND == ROUND - 1 and perf_counter() > until:
                self.stopped = "the text takes too long to follow"
                return
            if not coming:
                coming = matcher.forced_tokens()[::-1]
            token = self.tokens[at]
            if not matcher.accept_token(token):
                return
            is_forced = bool(coming) and coming.pop() == token
            if not is_forced:
                coming = []
            self.forced.append(is_forced)

    def _measure(self) -> None:
        """Note the mask where the matcher stands."""
        if len(self.allowed) > len(self.forced):
            return
        start = perf_counter_ns()
        self._buffer.fill(self._matcher)
        spent = perf_counter_ns() - start
        self.allowed.append(self._buffer.mask().bit_count())
        self.micros.append(round(spent / 1000, 2))
