"""Forced tokens as drafts.

Under speculation vLLM asks the model in one step about a token and about those that were drafted after it. What a
grammar forces is the best draft there is: its mask has no other token (spelling.py), so the model takes it. Where bytes
are forced, but no token, their usual spelling is a good guess: after a key comes `":"`, unless the value's first
characters are spelled together with it. The model has the last word on all drafts that are not forced. So the texts are
those that it writes without drafts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vllm.v1.structured_output.utils import strip_speculative_padding

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.integrations.vllm.backend import FFGrammarGrammar
from ffgrammar.integrations.vllm.spelling import forced_tokens

__all__ = ["ForcedTokensOnly", "with_forced_tokens"]

_Spell = Callable[[bytes], list[int]]

# The ways of drafting whose tokens come from no distribution. With the others, the model weighs a drafted token by its
# probability in the draft, which a forced token does not have.
_METHODS = ("ngram", "suffix", "custom_class")
# The most bytes that are spelled for one guess. More would not fit into the drafts of a step.
_MAX_GUESSED = 256


class ForcedTokensOnly:
    """A drafter without drafts: forced tokens come alone.

    --speculative-config '{"method": "custom_class", "num_speculative_tokens": 8,
                           "model": "ffgrammar.integrations.vllm.drafts.ForcedTokensOnly"}'
    """

    def __init__(self, vllm_config: Any) -> None:
        pass

    def load_model(self, *args: Any, **options: Any) -> None:
        """There is no model."""

    def propose(self, sampled_token_ids: list[list[int]], *args: Any, **options: Any) -> list[list[int]]:
        """No drafts, for each request."""
        return [[] for _ in sampled_token_ids]


def with_forced_tokens(manager: Any, request: Any, drafted: list[int]) -> list[int] | None:
    """The drafts of a request for its next step, with what its grammar forces.

    Args:
        manager: the engine's `StructuredOutputManager`.
        request: the request.
        drafted: what was drafted without the grammar.

    Returns:
        The drafts: what is forced; then what was drafted and is allowed, or else what is guessed; then what is forced
        after that, and so on. None if the server's settings do not allow further drafts, or the answer has not begun.
    """
    config = manager.vllm_config
    speculation = config.speculative_config
    if (
        speculation is None
        or speculation.method not in _METHODS
        or config.scheduler_config.async_scheduling  # (drafts are then fixed before their grammar is asked)
        or not request.use_structured_output
    ):
        return None
    tokens = strip_speculative_padding(drafted)
    if manager._get_constraint_bounds(request, tokens).grammar_start > 0:
        return None
    grammar = request.structured_output_request.grammar
    if not isinstance(grammar, FFGrammarGrammar) or grammar.is_terminated():
        return None
    room = speculation.num_speculative_tokens
    # (one more than there is room for, since the mask after the last draft is asked for, too)
    spell = manager.backend.vocabulary.encode
    grammar.drafts = _drafts(grammar.matcher.fork(), tokens, room + 1, spell)
    found = grammar.drafts[:room]
    grammar.drafted = len(found)
    manager.backend.metrics.forced.inc(sum([is_forced for _, is_forced in found]))
    return [token for token, _ in found]


def _drafts(matcher: Matcher, tokens: list[int], room: int, spell: _Spell) -> list[tuple[int, bool]]:
    """At most `room` drafts, and for each whether it is forced. The matcher moves along them."""
    drafts: list[tuple[int, bool]] = []
    waiting = tokens[::-1]
    while len(drafts) < room and not matcher.is_terminated():
        if forced := forced_tokens(matcher):
            for token in forced[: room - len(drafts)]:
                if waiting and waiting.pop() != token:
                    waiting.clear()
                drafts.append((token, True))
            matcher.accept_tokens(forced)
        elif waiting and matcher.validate_tokens(waiting[-1:]):
            drafts.append((waiting.pop(), False))
            matcher.accept_token(drafts[-1][0])
        elif guessed := _guessed(matcher, spell):
            waiting = guessed[::-1]
        else:
            break
    return drafts


def _guessed(matcher: Matcher, spell: _Spell) -> list[int]:
    """The usual tokens of the bytes that must come. There are none for a single byte, or if a bound is reached."""
    try:
        data = matcher.forced_bytes()[:_MAX_GUESSED]
        # (a single byte that is forced as no token is mostly the beginning of a longer token)
        tokens = spell(data) if len(data) > 1 else []
        return tokens[: matcher.validate_tokens(tokens)]
    except FFGrammarError:
        return []
