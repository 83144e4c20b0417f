"""Canonicality of a token sequence that grows, after each token, at a cost that does not grow with the text.

    tracker = CanonicalityTracker(tok)
    for token in sampled:
        verdict = tracker.push(token)    # "yes", "no" or "undecided"
    tracker.rollback(2)

A token costs about 0.15 ms on cl100k. `is_canonical` gives the same verdicts at the cost of the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import GrowingPrefix
from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.report import CanonicalityReport, begins_text, is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.normal_form import is_normal, start_of_last_boundary

__all__ = ["CanonicalityTracker"]

# Bytes after which reading begins anew at the last settled token.
MAX_BYTES = 512


class CanonicalityTracker:
    """Whether the tokens so far are the ones that the tokenizer itself would write, whatever follows.

    Verdicts are those of `is_canonical` with `complete=False`. A token costs as much as the few tokens that are not
    settled yet. (After bytes that no UTF-8 text has, a verdict costs as much as that of `is_canonical`.)

    Args:
        tok: the tokenizer; its rules must be known (`Tokenizer.canon`).

    Raises:
        TokenizerError: its rules are not known.
    """

    def __init__(self, tok: Tokenizer) -> None:
        expect("CanonicalityTracker: tok", tok, Tokenizer, "a Tokenizer")
        self._tok = tok
        self._rules = tok.rules("CanonicalityTracker")
        self._tokens: list[int] = []
        # After each token: the sequence, None where no text has the tokens so far; how many tokens are settled; and the
        # index of the token that the last one's text begins with (special tokens separate texts).
        self._sequences: list[CanonicalSequence | None] = [CanonicalSequence(self._rules)]
        self._settled = [0]
        self._starts = [0]
        # How many tokens there were when the sequence was first lost, and whether their text is not UTF-8.
        self._lost: tuple[int, bool] | None = None
        # The coverings of the end of the text, which begins with token `_read_from`. The tokens before `_read_to` have
        # been read.
        self._prefix: GrowingPrefix | None = None
        self._read_from = self._read_to = 0

    def push(self, token: int) -> str:
        """Go on with a token. Returns the verdict. Raises TokenizerError if the id is out of range."""
        special = self._tok.is_special(token)
        sequence = self._sequences[-1]
        start, settled = self._starts[-1], self._settled[-1]
        self._tokens.append(token)
        count = len(self._tokens)
        after: CanonicalSequence | None = None
        if sequence is not None and special:
            # (a text that ends inside a character is not whole by the rules, but its tokens may be the tokenizer's own)
            part = self._tokens[start:-1]
            if not part or sequence.is_whole or self._tok.encode(self._tok.decode(part)) == part:
                after = CanonicalSequence(self._rules)
                start = settled = count
        elif sequence is not None:
            after = sequence.copy()
            if not after.push(token) or not self._is_normal():
                after = None
        self._sequences.append(after)
        self._starts.append(start)
        if after is None:
            if self._lost is None:
                text = self._tok.decode(self._tokens[start:])
                self._lost = (count, not special and not begins_text(text))
        elif not special:
            settled = self._count_settled()
        self._settled.append(settled)
        return self.verdict

    def _is_normal(self) -> bool:
        """Whether the last token leaves the text in the tokenizer's normal form, which it was in before."""
        form = self._tok.normal_form
        if form is None or self._tok.token_bytes(self._tokens[-1]).isascii():
            return True
        first, size = self._starts[-1], 8
        while True:
            # (a character may be cut at either end)
            text = self._tok.decode(self._tokens[max(first, len(self._tokens) - size) :]).decode("utf-8", "ignore")
            last = max(0, len(text) - len(self._tok.token_bytes(self._tokens[-1])) - 1)
            boundary = start_of_last_boundary(text[:last])
            if boundary is not None or size >= len(self._tokens) - first:
                return is_normal(form, text[boundary or 0 :])
            size *= 4

    def _count_settled(self) -> int:
        """How many tokens no further text can change, now that there is one more."""
        settled, count = self._settled[-1], len(self._tokens)
        if self._prefix is None or self._read_to != count - 1 or self._read_from < self._starts[-1]:
            sequence = self._sequences[settled]
            assert sequence is not None
            self._prefix = GrowingPrefix(sequence)
            self._read_from = self._read_to = settled
        data = self._tok.decode(self._tokens[self._read_to :])
        self._prefix.read(data)
        self._read_to = count
        found = self._read_from + self._prefix.shared()
        if found > self._read_from and self._prefix.size > MAX_BYTES:
            self._prefix = None
        return min(found, count)

    def extend(self, tokens: Iterable[int]) -> str:
        """Go on with tokens. Returns the verdict after the last."""
        for token in tokens:
            self.push(token)
        return self.verdict

    def rollback(self, n: int) -> None:
        """Take back the last n tokens. Raises TokenizerError if there are fewer."""
        if not 0 <= n <= len(self._tokens):
            raise TokenizerError(f"cannot take back {n} tokens of {len(self._tokens)}")
        kept = len(self._tokens) - n
        del self._sequences[kept + 1 :], self._settled[kept + 1 :], self._starts[kept + 1 :], self._tokens[kept:]
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
        """The verdict, as in a `CanonicalityReport`: "yes", "no" or "undecided"."""
        if self._lost is not None:
            return self.report().verdict if self._lost[1] else "no"
        return "yes" if self._settled[-1] == len(self._tokens) else "undecided"

    @property
    def undecided(self) -> int:
        """How many of the last tokens more text can still change. It means nothing where the verdict is "no"."""
        settled = self._settled[-1] if self._lost is None else self.report().settled
        return max(0, len(self._tokens) - settled)

    def report(self) -> CanonicalityReport:
        """The full report: where the tokens differ from the tokenizer's own, and what these are. It costs as much as
        encoding the whole text."""
        return is_canonical(self._tok, self._tokens, complete=False)
