"""A walk writes one run: from an opening it draws tokens until the run's text is complete.

The opening may end inside a token, so the first tokens are a covering of it: all coverings that the grammar allows are
weighed, and one of them is drawn (character-prefix conditioning). Then the tokens come one by one. Each is drawn from
the model's distribution, restricted to what the grammar allows. Tokens that must come are not drawn, and the model is
not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ffgrammar.api.compile import composed
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import Composable, sequence
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.lm.drawing import draw
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.program import Settings
from ffgrammar.lm.questions import Asking
from ffgrammar.lm.spellings import Spelling, canonical_spellings, shared_start
from ffgrammar.lm.trace import TracedToken, chosen_token
from ffgrammar.lm.weights import tempered, weigh
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Walk"]

# A text that does not end is not written for ever.
MAX_TOKENS = 1 << 16


class Walk:
    """The tokens of a run, as they are drawn: first `begin`, and then `step` until there are no more.

    Args:
        tokenizer: the vocabulary.
        opening: what the run continues.
        part: what is written.
        settings: how tokens are drawn.
        max_tokens: how many tokens may end after the opening, or None; not counting the one that has the last bytes of
            the opening and nothing else.
        trace: gets each token, unless it is None.
        following: how many bytes at the end of the part are not counted: 0 or 1.
        random: what draws.

    Attributes:
        tokens: all tokens of the text, without an end-of-text token.
        matcher: where the text is in the grammar. Its text begins `rest` bytes before the part.
        rest: how many bytes of the opening the matcher's text has.
        calls: how many token sequences the model was asked about.
        asked: for tokens that were drawn one by one, by their index: the model's log-probability.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        opening: Opening,
        part: Composable,
        settings: Settings,
        random: np.random.Generator,
        max_tokens: int | None = None,
        following: int = 0,
        trace: list[TracedToken] | None = None,
    ) -> None:
        self.tokenizer = tok = tokenizer
        self.settings = settings
        self.random = random if settings.temperature else None
        self.temperature = settings.temperature or 1.0
        self.calls = 0
        self.asked: dict[int, float] = {}
        self._trace = trace
        spellings = canonical_spellings(tok, opening, b"", False)
        start = shared_start(tok, opening, spellings)
        rest = opening.text[len(tok.decode(start)) :]
        self.rest = len(rest)
        self.tokens = [*opening.fixed, *start]
        self._grammar = composed(sequence(rest, part), tok)
        self._budget = None if max_tokens is None else max_tokens + following
        self._spellings = [Spelling(one.kept[len(start) :], one.last) for one in spellings]
        # Tokens that must come, last ones first.
        self._coming: list[int] = []
        self._drawn_after = len(self.tokens)
        if not rest:
            self.matcher = self._grammar.matcher(max_tokens=self._budget)

    def begin(self) -> Asking[None]:
        """Draw the tokens that reach the end of the opening.

        Raises:
            MatcherError: no text goes on there, or `max_tokens` is less than any needs.
        """
        if self.rest:
            yield from self._cover()
        self._drawn_after = len(self.tokens)

    def _cover(self) -> Asking[None]:
        budget = self._budget
        allowed: list[tuple[Spelling, Matcher]] = []
        for one in self._spellings:
            allowed += _allowed(self._grammar, self.rest, one, budget)
        if not allowed:
            raise MatcherError(
                "no text that the grammar allows goes on where the prompt ends"
                + ("" if budget is None else ", or max_tokens is less than it needs")
            )
        before = tuple(self.tokens)
        if len(allowed) == 1 and len(allowed[0][0].last) == 1:
            index, chosen = 0, 0
        else:
            weights = yield from weigh(before, [one.kept for one, _ in allowed], self.temperature)
            self.calls += weights.calls
            logs = [weights.of(one.kept) + weights.rows[one.kept][one.last] for one, _ in allowed]
            chosen = draw(np.concatenate(logs), self.settings.top_p, self.random)
            index = 0
            while chosen >= len(logs[index]):
                chosen -= len(logs[index])
                index += 1
        spelling, self.matcher = allowed[index]
        last = int(spelling.last[chosen])
        self.matcher.accept_token(last)
        self.tokens += [*spelling.kept, last]
        if self._trace is not None:
            self._trace += [TracedToken(token, "prompt") for token in (*spelling.kept, last)]

    def step(self) -> Asking[bool]:
        """Take one more token. Returns whether there was one. At the end the matcher is terminated, if there is an
        end-of-text token.

        Raises:
            MatcherError: nothing may follow, the model returned a wrong array, or it gives everything the probability
                0; or the text does not end.
            LimitError: a bound of the grammar was reached.
        """
        if self.matcher.is_terminated():
            return False
        if len(self.tokens) - self._drawn_after > MAX_TOKENS:
            raise MatcherError(f"the text has not ended after {MAX_TOKENS} tokens; give max_tokens")
        if not self._coming:
            self._coming = self.matcher.forced_tokens()[::-1]
            if self._trace is not None:
                self._trace += [TracedToken(token, "forced") for token in self._coming[::-1]]
            self._coming = self._coming or (yield from self._drawn())
        if not self._coming:
            return False
        token = self._coming.pop()
        if not self.matcher.accept_token(token):
            raise MatcherError("nothing may follow here: the grammar has a dead end")
        if self.matcher.is_terminated():
            return False
        self.tokens.append(token)
        return True

    def _drawn(self) -> Asking[list[int]]:
        """One token; none if the text has ended and there is no end-of-text token."""
        allowed = self.matcher.allowed_token_ids()
        if not len(allowed):
            if self.matcher.is_accepting():
                return []
            raise MatcherError("nothing may follow here: the grammar has a dead end")
        row = yield [tuple(self.tokens)]
        self.calls += 1
        logs = tempered(row, self.temperature)[0][allowed]
        token = int(allowed[draw(logs, self.settings.top_p, self.random)])
        self.asked[len(self.tokens)] = float(row[0][token])
        if self._trace is not None:
            self._trace.append(chosen_token(token, row[0], allowed))
        return [token]

    def ask_about(self, indices: Sequence[int]) -> Asking[None]:
        """Ask about tokens by their indices, unless `asked` has them."""
        missing = [index for index in indices if index not in self.asked]
        if missing:
            rows = yield [self.tokens[:index] for index in missing]
            self.calls += len(missing)
            self.asked |= {index: float(row[self.tokens[index]]) for index, row in zip(missing, rows, strict=True)}


def _allowed(grammar: Grammar, rest: int, spelling: Spelling, budget: int | None) -> Iterator[tuple[Spelling, Matcher]]:
    """Those of some spellings of `rest` bytes that the grammar allows, each with a matcher after `kept`.

    The tokens that lie inside the opening do not count against a budget. The last token does, unless it ends exactly
    where the opening ends: then it has a matcher with one token more.
    """
    tok = grammar.tokenizer
    kept, last = spelling
    cases = [last]
    if budget is not None:
        inside = rest - len(tok.decode(kept))
        exact = np.array([len(tok.token_bytes(token)) == inside for token in last])
        cases = [last[~exact], last[exact]]
    for more, candidates in enumerate(cases):
        if not len(candidates):
            continue
        try:
            matcher = grammar.matcher(max_tokens=None if budget is None else budget + len(kept) + more)
        except MatcherError:
            continue
        if matcher.accept_tokens(kept) == len(kept):
            may_come = np.zeros(tok.vocab_size, dtype=bool)
            may_come[matcher.allowed_token_ids()] = True
            found = candidates[may_come[candidates]]
            if len(found):
                yield Spelling(kept, found), matcher
