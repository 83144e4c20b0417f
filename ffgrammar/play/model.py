"""What a language model says: the next tokens with their probabilities, texts that it goes on with, a choice.

One thread at a time asks the model.
"""

from __future__ import annotations

from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.lm.drawing import draw
from ffgrammar.lm.model import Model
from ffgrammar.lm.score import score
from ffgrammar.lm.trace import TracedToken, chosen_token
from ffgrammar.lm.weights import tempered
from ffgrammar.play.bounds import MAX_FORKS, MAX_LISTED, MAX_OPTIONS, MAX_STEPS
from ffgrammar.play.fields import Fields
from ffgrammar.play.spot import Spot

__all__ = ["ModelFace"]

# How long a model may write for one answer.
SECONDS = 20.0


class ModelFace:
    """A language model, as the page asks it.

    Args:
        model: the model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._lock = Lock()

    def next(self, spot: Spot, fields: Fields) -> dict[str, Any]:
        """The most probable next tokens at a place, allowed or not, and how much probability is allowed.

        Raises:
            MatcherError: the model returned a wrong array.
            LimitError: a bound of the grammar was reached.
        """
        with self._lock:
            row = self.model.log_probs([self._before(spot, fields)])[0]
        allowed = np.zeros(len(row), dtype=bool)
        allowed[spot.matcher.allowed_token_ids()] = True
        best = np.argsort(-row, kind="stable")
        may_come = best[allowed[best]][:MAX_LISTED]
        others = best[~allowed[best]][: MAX_LISTED // 4]
        return {
            "mass": float(np.exp(row[allowed]).sum()),
            "count": int(allowed.sum()),
            "allowed": [self._row(int(one), float(row[one])) for one in may_come],
            "refused": [self._row(int(one), float(row[one])) for one in others],
        }

    def write(self, spot: Spot, fields: Fields) -> dict[str, Any]:
        """Texts that the model goes on with at a place: `forks` of them, each with at most `steps` tokens.

        Raises:
            MatcherError, LimitError: as `next`.
        """
        steps, forks = fields.number("steps", 1, MAX_STEPS, 1), fields.number("forks", 1, MAX_FORKS, 1)
        temperature = fields.real("temperature", 0.0, 10.0, 0.0)
        seed = fields.number("seed", 0, 1 << 53, 0)
        before = self._before(spot, fields)
        until = perf_counter() + SECONDS
        found = []
        for number in range(forks):
            random = np.random.default_rng([seed, number]) if temperature else None
            with self._lock:
                found.append(self._written(spot.matcher.fork(), before, steps, random, temperature, until))
        return {"forks": found}

    def select(self, fields: Fields) -> dict[str, Any]:
        """The exact probability of each option after a prompt, and how the tokenizer spells it.

        Raises:
            GrammarError: two options are equal, or there are none.
            TokenizerError: the tokenizer's rules are not known.
            MatcherError: the model returned a wrong array.
        """
        options = fields.texts("options", MAX_OPTIONS)
        prompt, then = fields.text("prompt", ""), fields.text("then", "", 1000)
        with self._lock:
            found = score(self.model, prompt, options, then=then, special="text")
        encode = self.model.tokenizer.encode
        rows = [
            {
                "option": option,
                "probability": float(np.exp(log_prob)),
                "tokens": [self.model.tokenizer.visible_token(one) for one in encode(option)],
            }
            for option, log_prob in zip(found.options, found.log_probs.tolist(), strict=True)
        ]
        return {"rows": rows, "best": found.best, "calls": found.calls}

    def _before(self, spot: Spot, fields: Fields) -> list[int]:
        """The tokens before a place: those of the prompt, and those of the text."""
        tok = self.model.tokenizer
        return [*tok.encode(fields.text("prompt", ""), special="text"), *spot.tokens]

    def _written(
        self,
        matcher: Matcher,
        before: list[int],
        steps: int,
        random: np.random.Generator | None,
        temperature: float,
        until: float,
    ) -> dict[str, Any]:
        trace: list[TracedToken] = []
        while len(trace) < steps and not matcher.is_terminated() and perf_counter() < until:
            coming = [TracedToken(one, "forced") for one in matcher.forced_tokens()]
            coming = coming or self._drawn(matcher, [*before, *(one.token for one in trace)], random, temperature)
            if not coming:
                break
            for one in coming:
                matcher.accept_token(one.token)
            trace += coming
        logs = [one.log_prob for one in trace if one.log_prob is not None]
        return {
            "tokens": [self._traced(one) for one in trace],
            "log_prob": sum(logs),
            "ended": matcher.is_terminated(),
        }

    def _drawn(
        self, matcher: Matcher, before: list[int], random: np.random.Generator | None, temperature: float
    ) -> list[TracedToken]:
        """One token; none if the text has ended and there is no end-of-text token."""
        allowed: NDArray[np.int32] = matcher.allowed_token_ids()
        if not len(allowed):
            if matcher.is_accepting():
                return []
            raise MatcherError("nothing may follow here: the grammar has a dead end")
        row = self.model.log_probs([before])[0]
        logs = tempered(row[None], temperature or 1.0)[0][allowed]
        return [chosen_token(int(allowed[draw(logs, 1.0, random)]), row, allowed)]

    def _row(self, token: int, log_prob: float) -> dict[str, Any]:
        return {
            "token": token,
            "text": self.model.tokenizer.visible_token(token),
            "probability": float(np.exp(log_prob)),
        }

    def _traced(self, one: TracedToken) -> dict[str, Any]:
        found: dict[str, Any] = {
            "token": one.token,
            "text": self.model.tokenizer.visible_token(one.token),
            "kind": one.kind,
            "probability": None if one.log_prob is None else float(np.exp(one.log_prob)),
            "others": [self._row(*other) for other in one.others],
        }
        return found | {"refused": None if one.refused is None else self._row(*one.refused)}
