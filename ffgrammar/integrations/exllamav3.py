"""Grammars in ExLlamaV3.

job = Job(input_ids=ids, max_new_tokens=80, filters=[GrammarFilter(tokenizer, grammar)])
"""

from __future__ import annotations

from typing import Any

from ffgrammar.api.bitmask import allocate_bitmask
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.matcher.matcher import Matcher

try:
    import torch
    from exllamav3.generator.filter.filter import Filter
except ImportError as error:
    raise ImportError("ffgrammar.integrations.exllamav3 needs ExLlamaV3: pip install 'ffgrammar[exllamav3]'") from error

__all__ = ["GrammarFilter"]


class GrammarFilter(Filter):  # type: ignore[misc]
    """Lets a text have only the tokens that its grammar allows.

    Args:
        tokenizer: the tokenizer of ExLlamaV3.
        grammar: the grammar, or a matcher at the place where the text begins; it is not moved.
        trigger_token: the token after which the text begins; None: it begins at once.
        prefix_str: the beginning of the text, if the prompt has it already.
        eos_after_completed: whether the generator ends when the text has ended.

    Raises:
        MatcherError: the grammar does not allow `prefix_str`.
    """

    def __init__(
        self,
        tokenizer: Any,
        grammar: Grammar | Matcher,
        trigger_token: int | None = None,
        prefix_str: str | None = None,
        eos_after_completed: bool = True,
    ) -> None:
        super().__init__(tokenizer, trigger_token, prefix_str, eos_after_completed)
        self._start = grammar.matcher() if isinstance(grammar, Grammar) else grammar.fork()
        prefix = (prefix_str or "").encode()
        if self._start.accept_bytes(prefix) < len(prefix):
            raise MatcherError(f"the grammar does not allow the text to begin with {prefix_str!r}")
        self._matcher = self._start.fork()
        self._mask = torch.from_numpy(allocate_bitmask(1, self._start.engine.tokenizer.vocab_size))

    def reset(self) -> None:
        """Begin anew."""
        self._matcher = self._start.fork()

    def accept_token(self, token: int) -> None:
        """Go on by a token. Raises MatcherError: it is not allowed."""
        if not self._matcher.accept_token(token):
            raise MatcherError(f"the grammar does not allow the token {token}")

    def rollback_tokens(self, num_tokens: int) -> bool:
        """Take the last tokens back."""
        self._matcher.rollback(num_tokens)
        return True

    def get_next_logit_mask(self) -> torch.Tensor:
        """The tokens that may come next, int32 [1, words]. Raises LimitError: a bound was reached."""
        # (a copy: the generator may still read the last mask)
        self._matcher.fill_bitmask(self._mask)
        return self._mask.clone()

    def is_completed(self) -> bool:
        """Whether the text has ended."""
        return self._matcher.is_terminated()
