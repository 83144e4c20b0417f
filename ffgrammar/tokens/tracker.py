"""Canonicality of a token sequence that grows: told after each token, at a cost that does not grow with the text."""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import GrowingPrefix
from ffgrammar.tokens.canonical.rules import CanonicalSequence
from ffgrammar.tokens.report import CanonicalityReport, begins_text, is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["CanonicalityTracker"]

# Bytes after which reading begins anew at the last settled token.
MAX_BYTES = 512


class CanonicalityTracker:
    """Whether the tokens so far are the ones that the tokenizer itself would write, whatever follows.

    Verdicts are those of `is_canonical` with `complete=False`. A token costs what the tokens that are not settled yet
    do, which are a few. (After bytes that no UTF-8 text has, a verdict costs what `is_canonical` does.)

    Args:
        tok: the tokenizer; its rules must be known (`Tokenizer.canon`).

    Raises:
        TokenizerError: they are not.
    """

    def __init__(self, tok: Tokenizer) -> None:
        expect("CanonicalityTracker: tok", tok, Tokenizer, "a Tokenizer")
        self._tok = tok
        self._rules = tok.rules("CanonicalityTracker")
        self._tokens: list[int] = []
        # After each token: where it leads, None where no text has the tokens so far; how many tokens are settled; which
        # token the text began with that the last one is in (special tokens part texts).
        self._chains: list[CanonicalSequence | None] = [CanonicalSequence(self._rules)]
        self._settled = [0]
        self._starts = [0]
        # The first place that has no chain, and whether its text is not UTF-8.
        self._lost: tuple[int, bool] | None = None
        # What covers the end of the text: read from one token up to another.
        self._prefix: GrowingPrefix | None = None
        self._read_from = self._read_to = 0

    def push(self, token: int) -> str:
        """Go on with a token; the verdict then. Raises TokenizerError if the id is out of range."""
        special = self._tok.is_special(token)
        chain = self._chains[-1]
        start, settled = self._starts[-1], self._settled[-1]
        self._tokens.append(token)
        count = len(self._tokens)
        after: CanonicalSequence | None = None
        if chain is not None and special:
            # (a text that ends inside a character is not whole by the rules, but may be what the tokenizer makes of it)
            part = self._tokens[start:-1]
            if not part or chain.is_whole or self._tok.encode(self._tok.decode(part)) == part:
                after = CanonicalSequence(self._rules)
                start = settled = count
        elif chain is not None:
            after = chain.copy()
            if not after.push(token):
                after = None
        self._chains.append(after)
        self._starts.append(start)
        if after is None:
            if self._lost is None:
                text = self._tok.decode(self._tokens[start:])
                self._lost = (count, not special and not begins_text(text))
        elif not special:
            settled = self._count_settled()
        self._settled.append(settled)
        return self.verdict

    def _count_settled(self) -> int:
        """How many tokens nothing that follows can change, now that there is one more."""
        settled, count = self._settled[-1], len(self._tokens)
        if self._prefix is None or self._read_to != count - 1 or self._read_from < self._starts[-1]:
            chain = self._chains[settled]
            assert chain is not None
            self._prefix = GrowingPrefix(chain)
            self._read_from = self._read_to = settled
        data = self._tok.decode(self._tokens[self._read_to :])
        self._prefix.read(data)
        self._read_to = count
        found = self._read_from + self._prefix.shared()
        if found > self._read_from and self._prefix.size > MAX_BYTES:
            self._prefix = None
        return min(found, count)

    def extend(self, tokens: Iterable[int]) -> str:
        """Go on with tokens; the verdict after the last."""
        for token in tokens:
            self.push(token)
        return self.verdict

    def rollback(self, n: int) -> None:
        """Take back the last n tokens. Raises TokenizerError if there are fewer."""
        if not 0 <= n <= len(self._tokens):
            raise TokenizerError(f"cannot take back {n} tokens of {len(self._tokens)}")
        kept = len(self._tokens) - n
        del self._chains[kept + 1 :], self._settled[kept + 1 :], self._starts[kept + 1 :], self._tokens[kept:]
        if self._read_to > kept:
            self._prefix = None
        if self._lost is not None and self._lost[0] > kept:
            self._lost = None

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens so far."""
        return tuple(self._tokens)

    @property
    def verdict(self) -> str:
        """As that of a `CanonicalityReport`: "yes", "no" or "undecided"."""
        if self._lost is not None:
            return self.report().verdict if self._lost[1] else "no"
        return "yes" if self._settled[-1] == len(self._tokens) else "undecided"

    @property
    def undecided(self) -> int:
        """How many of the last tokens more text can still change; of no meaning where the verdict is "no"."""
        settled = self._settled[-1] if self._lost is None else self.report().settled
        return max(0, len(self._tokens) - settled)

    def report(self) -> CanonicalityReport:
        """All about it: where the tokens differ from the tokenizer's own, and what these are. Costs what the text
        does."""
        return is_canonical(self._tok, self._tokens, complete=False)
