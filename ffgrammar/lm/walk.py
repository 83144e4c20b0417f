"""A walk writes one run: from an opening it draws tokens until the run's text is complete.

The opening may end inside a token, so the first tokens are a covering of it: all coverings that the grammar allows are
weighed, and one of them is drawn (character-prefix conditioning). Then the tokens come one by one. Each is drawn from
the model's distribution, restricted to what the grammar allows. Tokens that must come are not drawn, and the model is
not asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ffgrammar.api.compile import compose
from ffgrammar.api.grammar import Grammar
from ffgrammar.api.parts import Composable, sequence
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.lm.checked_model import CheckedModel
from ffgrammar.lm.drawing import draw
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.program import Settings
from ffgrammar.lm.spellings import Spelling, canonical_spellings, shared_start
from ffgrammar.lm.weights import Weights, tempered

__all__ = ["Walk"]

# A text that does not end is not written for ever.
MAX_TOKENS = 1 << 16


class Walk:
    """The tokens of a run, as they are drawn.

    Args:
        model: the model.
        opening: what the run continues.
        part: what is written.
        settings: how tokens are drawn.
        max_tokens: how many tokens may end after the opening, or None; not counting the one that has the last bytes of
            the opening and nothing else.
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
        model: CheckedModel,
        opening: Opening,
        part: Composable,
        settings: Settings,
        random: np.random.Generator,
        max_tokens: int | None = None,
        following: int = 0,
    ) -> None:
        self.model = model
        self.settings = settings
        self.random = random if settings.temperature else None
        self.temperature = settings.temperature or 1.0
        self.calls = 0
        self.asked: dict[int, float] = {}
        tok = model.tokenizer
        spellings = canonical_spellings(tok, opening, b"", False)
        start = shared_start(tok, opening, spellings)
        rest = opening.text[len(tok.decode(start)) :]
        self.rest = len(rest)
        self.tokens = [*opening.fixed, *start]
        grammar = compose(sequence(rest, part), tok)
        budget = None if max_tokens is None else max_tokens + following
        if rest:
            inner = [Spelling(one.kept[len(start) :], one.last) for one in spellings]
            self._cover(grammar, rest, inner, budget)
        else:
            self.matcher = grammar.matcher(max_tokens=budget)

    def _cover(self, grammar: Grammar, rest: bytes, spellings: list[Spelling], budget: int | None) -> None:
        """Draw the tokens that reach the end of the opening."""
        allowed: list[tuple[Spelling, Matcher]] = []
        for one in spellings:
            allowed += _allowed(self.model, grammar, len(rest), one, budget)
        if not allowed:
            raise MatcherError(
                "no text that the grammar allows goes on where the prompt ends"
                + ("" if budget is None else ", or max_tokens is less than it needs")
            )
        before = tuple(self.tokens)
        if len(allowed) == 1 and len(allowed[0][0].last) == 1:
            index, chosen = 0, 0
        else:
            weights = Weights(self.model, before, [one.kept for one, _ in allowed], self.temperature)
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

    def steps(self) -> Iterator[None]:
        """Draw what is left, and stop after each token. At the end the matcher is terminated, if there is an
        end-of-text token.

        Raises:
            MatcherError: nothing may follow, the model returned a wrong array, or it gives everything the probability
                0; or the text does not end.
            LimitError: a bound of the grammar was reached.
        """
        start = len(self.tokens)
        yield
        while not self.matcher.is_terminated():
            if len(self.tokens) - start > MAX_TOKENS:
                raise MatcherError(f"the text has not ended after {MAX_TOKENS} tokens; give max_tokens")
            tokens = self.matcher.forced_tokens() or self._drawn()
            if not tokens:
                return
            for token in tokens:
                if not self.matcher.accept_token(token):
                    raise MatcherError("nothing may follow here: the grammar has a dead end")
                if not self.matcher.is_terminated():
                    self.tokens.append(token)
                    yield

    def _drawn(self) -> list[int]:
        """One token; none if the text has ended and there is no end-of-text token."""
        allowed = self.matcher.allowed_token_ids()
        if not len(allowed):
            if self.matcher.is_accepting():
                return []
            raise MatcherError("nothing may follow here: the grammar has a dead end")
        row = self.model.log_probs([self.tokens])
        self.calls += 1
        logs = tempered(row, self.temperature)[0][allowed]
        token = int(allowed[draw(logs, self.settings.top_p, self.random)])
        self.asked[len(self.tokens)] = float(row[0][token])
        return [token]


def _allowed(
    model: CheckedModel, grammar: Grammar, rest: int, spelling: Spelling, budget: int | None
) -> Iterator[tuple[Spelling, Matcher]]:
    """Those of some spellings of `rest` bytes that the grammar allows, each with a matcher after `kept`.

    The tokens that lie inside the opening do not count against a budget. The last token does, unless it ends exactly
    where the opening ends: then it has a matcher with one token more.
    """
    tok = model.tokenizer
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
