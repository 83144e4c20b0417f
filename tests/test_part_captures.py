"""Captures of compositions: what they are, and random ones beside the enumeration of all readings."""

from __future__ import annotations

import pickle
import random

import pytest

import ffgrammar as ff
from oracle.compositions import SPECIAL, Composition, Symbols
from oracle.part_captures import Readings, TooMany
from oracle.parts import Parts, vocabulary


class Judge:
    """The two programs on one composition."""

    def __init__(self, rng: random.Random) -> None:
        self.tok = vocabulary(rng)
        parts = Parts(rng, self.tok, captured=45)
        self.part = ff.sequence(parts.part(3))
        self.grammar = ff.compose(self.part, self.tok)
        self.oracle = Composition(self.part, parts.grammars)
        self.special = set(self.tok.special_tokens.values()) - set(self.tok.eos_token_ids)

    def check(self, matcher: ff.Matcher) -> bool:
        """Compare the captures of a text. Returns whether it could be compared."""
        ended = matcher.is_terminated()
        text: Symbols = ()
        offsets = [0]
        for token in matcher.tokens()[: -1 if ended else None]:
            assert token is not None
            text += (token + SPECIAL,) if token in self.special else tuple(self.tok.token_bytes(token))
        for symbol in text:
            offsets.append(offsets[-1] + (symbol < SPECIAL))
        try:
            wanted = Readings(self.oracle, text, sorted(self.special)).best(ended)
        except TooMany:
            return False
        expected = [(name, offsets[begin], None if end is None else offsets[end]) for name, begin, end in wanted]
        found = matcher.captures()
        assert [(one.name, one.start, one.end) for one in found] == expected, (text, bytes(matcher.text_bytes))
        assert all(one.text == matcher.text_bytes[one.start : one.end] for one in found)
        return True


def follow(rng: random.Random, steps: int) -> tuple[int, int]:
    """Walk through a random composition, with steps taken back and forks. Returns how many texts were compared, and how
    many had captures."""
    judge = Judge(rng)
    matchers = [judge.grammar.matcher(), pickle.loads(pickle.dumps(judge.grammar)).matcher()]
    compared = captured = 0
    for _ in range(steps):
        number = rng.randrange(len(matchers))
        matcher = matchers[number]
        if rng.random() < 0.25 and matcher.num_steps:
            matcher.rollback(rng.randint(1, matcher.num_steps))
        elif rng.random() < 0.2:
            matchers[number] = matcher.fork()
        elif not matcher.is_terminated() and len(matcher.text_bytes) < 9:
            allowed = matcher.allowed_token_ids().tolist()
            if allowed:
                assert matcher.accept_token(rng.choice(allowed))
        if rng.random() < 0.8 and judge.check(matchers[number]):
            compared += 1
            captured += bool(matchers[number].captures())
    return compared, captured


@pytest.mark.parametrize("seed", range(60))
def test_captures_are_those_of_the_definition(seed: int) -> None:
    follow(random.Random(seed), 14)
