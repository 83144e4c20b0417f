"""Grammars in onnxruntime-genai: a loop in which the model reads all forced tokens in one pass.

generator = og.Generator(model, params)
generator.append_tokens(prompt)
tokens = list(generate(generator, grammar))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ffgrammar.api.bitmask import allocate_bitmask
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.apply import apply_bitmask
from ffgrammar.engine.matcher.matcher import Matcher

__all__ = ["generate"]


def generate(generator: Any, grammar: Grammar | Matcher, max_tokens: int = 256) -> Iterator[int]:
    """The tokens of a text under a grammar, one by one.

    Args:
        generator: an `onnxruntime_genai.Generator` of one text, to which the prompt was appended. Its own parameters
            say how tokens are chosen.
        grammar: the grammar, or a matcher at the place where the text begins; it is not moved.
        max_tokens: how many tokens there are at most.

    Raises:
        MatcherError: the generator chooses a token that is not allowed.
        LimitError: a bound of the grammar was reached.
    """
    matcher = grammar.matcher() if isinstance(grammar, Grammar) else grammar.fork()
    bitmask = allocate_bitmask(1, matcher.engine.tokenizer.vocab_size)
    left = max_tokens
    while left > 0 and not matcher.is_terminated():
        forced = matcher.forced_tokens()[:left]
        if forced:
            generator.append_tokens(np.array([forced], np.int32))
            matcher.accept_tokens(forced)
            yield from forced
            left -= len(forced)
            continue
        scores = np.array(generator.get_logits(), np.float32)
        matcher.fill_bitmask(bitmask)
        apply_bitmask(scores.reshape(-1, scores.shape[-1])[-1:], bitmask)
        generator.set_logits(scores)
        generator.generate_next_token()
        token = int(generator.get_next_tokens()[0])
        if not matcher.accept_token(token):
            raise MatcherError(f"the generator has chosen the token {token}, which the grammar does not allow")
        yield token
        left -= 1
