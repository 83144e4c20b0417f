"""Grammars in genlm-control, and language models over bytes.

llm = PromptedLLM(model, prompt_ids)
product = llm * GrammarPotential(grammar, llm.vocab)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.recent import Recent
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.tokens.tokenizer import Tokenizer

try:
    from genlm.backend.tokenization import Token
    from genlm.control import Potential
except ImportError as error:
    raise ImportError("ffgrammar.integrations.genlm needs genlm-control: pip install 'ffgrammar[genlm]'") from error

__all__ = ["CanonicalByteLM", "GrammarPotential"]

# How many places in texts are kept.
MAX_PLACES = 512
# How many answers of the model are kept.
MAX_ANSWERS = 4096


class GrammarPotential(Potential):  # type: ignore[misc]
    """Weight 1 for each text of a grammar and for each beginning of one, and 0 for all others.

    Args:
        grammar: the grammar.
        vocabulary: the tokens of the other potential: those of genlm (`llm.vocab`), or bytes that are tokens of the
            grammar's tokenizer. None: all tokens of this tokenizer that have a text.

    Raises:
        TokenizerError: a token of the vocabulary is no token of the grammar's tokenizer.
    """

    def __init__(self, grammar: Grammar, vocabulary: Sequence[Any] | None = None) -> None:
        tok = grammar.tokenizer
        if vocabulary is None:
            ends = set(tok.eos_token_ids)
            ids = [token for token in range(tok.vocab_size) if token not in ends and tok.token_bytes(token)]
            vocabulary = [Token(token, tok.token_bytes(token)) for token in ids]
        super().__init__(list(vocabulary))
        self._ids = {token: _id_of(token, tok) for token in self.vocab}
        self._places_of = np.full(tok.vocab_size, -1, np.int64)
        self._places_of[list(self._ids.values())] = np.arange(len(self.vocab))
        self._places_of[list(tok.eos_token_ids)] = -1
        self._start = grammar.matcher()
        self._matchers: Recent[tuple[int, ...], Matcher | None] = Recent(MAX_PLACES)

    async def complete(self, context: Sequence[Any]) -> float:
        """0 if the context is a text of the grammar, else -inf. Raises LimitError: a bound was reached."""
        matcher = self._matcher(context)
        return 0.0 if matcher is not None and matcher.is_accepting() else -math.inf

    async def prefix(self, context: Sequence[Any]) -> float:
        """0 if a text of the grammar begins with the context, else -inf. Raises LimitError: a bound was reached."""
        return 0.0 if self._matcher(context) is not None else -math.inf

    async def sparse_logw_next(self, context: Sequence[Any]) -> tuple[NDArray[np.int64], float, float]:
        """The tokens that may come next, their weight, and that of the end.

        Raises:
            ValueError: no text of the grammar begins with the context.
            LimitError: a bound was reached.
        """
        matcher = self._matcher(context)
        if matcher is None:
            raise ValueError(f"no text of the grammar begins with {context!r}")
        places = self._places_of[matcher.allowed_token_ids()]
        return places[places >= 0], 0.0, 0.0 if matcher.is_accepting() else -math.inf

    def _matcher(self, context: Sequence[Any]) -> Matcher | None:
        """A matcher after a context; None if the grammar does not allow it."""
        ids = tuple([self._ids[token] for token in context])
        known = len(ids)
        while ids[:known] not in self._matchers and known:
            known -= 1
        matcher: Matcher | None = self._matchers.get(ids[:known], self._start if not known else None)
        if known < len(ids) and matcher is not None:
            matcher = matcher.fork()
            if matcher.accept_tokens(ids[known:]) < len(ids) - known:
                matcher = None
        self._matchers[ids] = matcher
        return matcher


def _id_of(token: Any, tok: Tokenizer) -> int:
    if isinstance(token, Token):
        found = int(token.token_id)
        # (genlm knows special tokens by their names, which are no text here)
        if found < tok.vocab_size and (tok.is_special(found) or tok.token_bytes(found) == bytes(token)):
            return found
    elif isinstance(token, bytes):
        found = tok.trie.id_of(token)
        if found >= 0:
            return found
    raise TokenizerError(f"{token!r} is no token of the grammar's tokenizer {tok.name}: compile the grammar for it")


class CanonicalByteLM(Potential):  # type: ignore[misc]
    """A language model over bytes: a model over tokens, summed over all canonical token sequences, exactly.

    The weight of a beginning is the sum over its coverings: the canonical sequences of tokens of which the last one
    reaches its end (`Tokenizer.coverings`). The weight of a whole text is that of its one canonical sequence.
    `genlm.bytes` instead follows a beam of all sequences, canonical or not.

    Args:
        llm: the model, as of `genlm.backend`.
        tok: its tokenizer; its rules must be known (`Tokenizer.canon`).
        prompt_ids: the tokens before the text.

    Raises:
        TokenizerError: the tokenizer's rules are not known.
    """

    def __init__(self, llm: Any, tok: Tokenizer, prompt_ids: Sequence[int] = ()) -> None:
        super().__init__([bytes([byte]) for byte in range(256)])
        tok.rules("CanonicalByteLM")
        self._llm = llm
        self._tok = tok
        self._prompt = list(prompt_ids)
        self._rows: Recent[tuple[int, ...], Any] = Recent(MAX_ANSWERS)

    async def complete(self, context: Sequence[bytes]) -> float:
        """The log weight of a text."""
        data = b"".join(context)
        try:
            data.decode()
        except UnicodeDecodeError:
            return -math.inf
        ids = tuple(self._tok.encode(data))
        ends = [float((await self._row(ids))[token]) for token in self._tok.eos_token_ids]
        return await self._weight(ids) + float(np.logaddexp.reduce(ends))

    async def prefix(self, context: Sequence[bytes]) -> float:
        """The log weight of all texts with this beginning."""
        data = b"".join(context)
        if not data:
            return 0.0
        try:
            coverings = self._tok.coverings(data)
        except TokenizerError:  # no UTF-8 text begins so
            return -math.inf
        weights = [-math.inf]
        for covering in coverings:
            row = await self._row(covering.kept)
            weights.append(await self._weight(covering.kept) + float(np.logaddexp.reduce(row[covering.candidates])))
        return float(np.logaddexp.reduce(weights))

    async def _weight(self, ids: tuple[int, ...]) -> float:
        """The log probability that the model writes some tokens."""
        weight = 0.0
        for place, token in enumerate(ids):
            weight += float((await self._row(ids[:place]))[token])
        return weight

    async def _row(self, ids: tuple[int, ...]) -> NDArray[np.float64]:
        """The log probabilities of the token after some others."""
        row: NDArray[np.float64] | None = self._rows.get(ids)
        if row is None:
            found = await self._llm.next_token_logprobs([*self._prompt, *ids])
            row = np.asarray(found.float().cpu().numpy() if hasattr(found, "cpu") else found, np.float64)
            self._rows[ids] = row
        return row
