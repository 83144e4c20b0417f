"""ExLlamaV3's filter, by the installed package's own base class: the generator feeds tokens and rewinds them."""

from __future__ import annotations

import pytest
import torch
from servers.exllamav3_package import exllamav3_filters

import ffgrammar as ff

exllamav3_filters()


@pytest.fixture(scope="module")
def cl100k() -> ff.Tokenizer:
    return ff.Tokenizer.from_tiktoken("cl100k_base")


def _allowed(mask: torch.Tensor) -> set[int]:
    assert mask.dtype == torch.int32 and mask.shape[0] == 1
    return {int(token) for token in torch.nonzero((mask[0][:, None] >> torch.arange(32) & 1).flatten()).flatten()}


def test_a_text_and_a_rewind(cl100k: ff.Tokenizer) -> None:
    from ffgrammar.integrations.exllamav3 import GrammarFilter

    grammar = ff.compile_regex("(ab|ac)d", cl100k)
    constraint = GrammarFilter(None, grammar)
    matcher = grammar.matcher()
    a, b, c, d = (cl100k.encode(one)[0] for one in "abcd")
    eos = cl100k.eos_token_ids[0]
    masks = []
    for token in (a, b, d, eos):
        masks.append(_allowed(mask := constraint.get_next_logit_mask()))
        assert masks[-1] == set(matcher.allowed_token_ids().tolist())
        assert matcher.accept_token(token)
        assert constraint.feed(token) == (token == eos)
        assert _allowed(mask) == masks[-1]  # the mask that the generator has does not change
    assert constraint.is_completed() and not constraint.is_active
    constraint.rewind(3)
    assert constraint.is_active and _allowed(constraint.get_next_logit_mask()) == masks[1]
    assert not constraint.feed(c) and not constraint.is_completed()
    constraint.reset()
    assert _allowed(constraint.get_next_logit_mask()) == masks[0]
    with pytest.raises(ff.MatcherError, match="does not allow"):
        constraint.accept_token(d)


def test_a_trigger_and_a_prefix(cl100k: ff.Tokenizer) -> None:
    from ffgrammar.integrations.exllamav3 import GrammarFilter

    (a,), (b,) = cl100k.encode("a"), cl100k.encode("b")
    constraint = GrammarFilter(None, ff.compile_regex("ab*", cl100k), trigger_token=a, prefix_str="a")
    assert not constraint.is_active
    constraint.feed(b)
    assert not constraint.is_active
    constraint.feed(a)
    assert constraint.is_active and b in _allowed(constraint.get_next_logit_mask())
    constraint.feed(b)
    constraint.rewind(2)  # past the trigger
    assert not constraint.is_active
    with pytest.raises(ff.MatcherError, match="to begin with 'x'"):
        GrammarFilter(None, ff.compile_regex("ab*", cl100k), prefix_str="x")
