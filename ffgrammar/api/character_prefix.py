"""Generation of texts that begin with given characters, even if these end inside a token (character-prefix
conditioning).

If a prompt ends inside a word, its last token is one that the training texts rarely have there. The probability that a
model gives to texts that begin with the prompt's characters is a sum over the prompt's coverings
(`Tokenizer.coverings`): Vieira et al., "From Language Models over Tokens to Language Models over Characters"
(2412.03719). `CharacterPrefix` leads a generation along the coverings, token by token. Its `distribution` computes the
sum and the share of each covering.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import MatcherError, TokenizerError
from ffgrammar.engine.matcher.matcher import Matcher
from ffgrammar.tokens.canonical.coverings import coverings_after
from ffgrammar.tokens.canonical.sequence import CanonicalSequence
from ffgrammar.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ffgrammar.tokens.canonical.coverings import Covering

__all__ = ["CharacterPrefix", "PrefixContext", "PrefixDistribution"]

# A model: a function from n token sequences to the log probabilities of their next tokens, float [n, vocabulary].
LogProbabilities = Callable[[list[tuple[int, ...]]], Any]


class PrefixContext(NamedTuple):
    """One context of a distribution: the coverings that differ only in their last token.

    Attributes:
        kept: the token ids of these coverings without the last one; they lie inside the prefix.
        candidates: the ids that can be that last token, int32 [count], ascending.
        log_probabilities: for each candidate, the log probability of `kept` followed by this candidate, given the
            prefix: float64 [count].
    """

    kept: tuple[int, ...]
    candidates: NDArray[np.int32]
    log_probabilities: NDArray[np.float64]


class PrefixDistribution(NamedTuple):
    """The coverings of a prefix with a model's probabilities, given that the text begins with the prefix and is
    canonical.

    Attributes:
        contexts: one for each `kept`. The probabilities of all their candidates add up to 1.
        log_probability: the log probability of the prefix, summed over its coverings. If all coverings begin with the
            same tokens, it is conditional on these tokens.
        calls: how many token sequences the model was asked about.
    """

    contexts: list[PrefixContext]
    log_probability: float
    calls: int

    def sample(self, random: Any) -> tuple[int, ...]:
        """A covering, drawn with `random.random()` (of `random.Random` or `numpy.random.Generator`)."""
        import numpy as np

        weights = [float(np.exp(context.log_probabilities).sum()) for context in self.contexts]
        left = random.random() * sum(weights)
        for context, weight in zip(self.contexts, weights, strict=True):
            if left < weight or context is self.contexts[-1]:
                sums = np.exp(context.log_probabilities).cumsum()
                index = min(int(np.searchsorted(sums, left, side="right")), len(sums) - 1)
                return (*context.kept, int(context.candidates[index]))
            left -= weight
        raise MatcherError("the distribution has no contexts")


class CharacterPrefix:
    """Leads a generation along a prefix: until the prefix is covered, only tokens of its coverings may come.

    Args:
        tok: the tokenizer; its rules must be known (`Tokenizer.canon`).
        prefix: the characters that the text begins with. If it is given as bytes, it may end inside a character.
        matcher: a matcher of the grammar that the whole text must obey, still at the start of the text. It moves with
            each accepted token. Once the prefix is covered, the matcher alone decides which tokens may come.

    Raises:
        TokenizerError: no UTF-8 text begins with the prefix, the tokenizer's rules are not known, or the matcher's
            grammar is for another vocabulary.
        TypeError: an argument is of another type.
    """

    def __init__(self, tok: Tokenizer, prefix: str | bytes, matcher: Matcher | None = None) -> None:
        expect("CharacterPrefix: tok", tok, Tokenizer, "a Tokenizer")
        expect("CharacterPrefix: prefix", prefix, (str, bytes, bytearray, memoryview), "a str or bytes")
        expect("CharacterPrefix: matcher", matcher, (Matcher, type(None)), "a Matcher")
        if matcher is not None and matcher.engine.trie.vocab_size != tok.vocab_size:
            raise TokenizerError(f"CharacterPrefix: the matcher is of another vocabulary than {tok.name}")
        self._tok = tok
        self._rest = prefix.encode("utf-8", "surrogatepass") if isinstance(prefix, str) else bytes(prefix)
        self._sequence = CanonicalSequence(tok.rules("CharacterPrefix"))
        # This raises if no text begins with the prefix.
        tok.coverings(self._rest)
        self._matcher = matcher
        self._found: list[Covering] | None = None

    @property
    def rest(self) -> bytes:
        """The bytes of the prefix that no token covers yet."""
        return self._rest

    @property
    def is_covered(self) -> bool:
        """Whether the whole prefix is covered. Then every token that the matcher allows may come."""
        return not self._rest

    def coverings(self) -> list[Covering]:
        """The coverings of the rest. Their `kept` begins after the tokens so far."""
        if self._found is None:
            self._found = coverings_after(self._sequence, self._rest) if self._rest else []
        return self._found

    def fill_bitmask(self, bitmask: Any, index: int = 0) -> None:
        """Write the tokens that may come next into one row. Arguments and errors as for `Matcher.fill_bitmask`."""
        import numpy as np

        if self._matcher is not None:
            self._matcher.fill_bitmask(bitmask, index)
        rows = np.asarray(bitmask)
        words = (self._tok.vocab_size + 31) // 32
        if rows.ndim != 2 or rows.dtype != np.int32 or not 0 <= index < len(rows) or rows.shape[1] < words:
            raise MatcherError(f"bitmask must be int32 [batch, at least {words}] with a row {index}")
        row = rows[index].view(np.uint32)
        allowed = np.full(len(row), 0 if self._rest else 0xFFFFFFFF, dtype=np.uint32)
        for covering in self.coverings():
            if covering.kept:
                if self._matcher is not None and not len(self._allowed(covering)):
                    continue
                allowed[covering.kept[0] >> 5] |= np.uint32(1 << (covering.kept[0] & 31))
            else:
                allowed[:words] |= np.frombuffer(covering.bitmask, dtype="<u4")
        if self._matcher is not None:
            row &= allowed
        else:
            row[:] = allowed
            row[words:] = 0
            if self._tok.vocab_size % 32:
                row[words - 1] &= np.uint32((1 << self._tok.vocab_size % 32) - 1)

    def accept_token(self, token: int) -> bool:
        """Move by one token; False leaves everything as it was.

        Raises:
            TokenizerError: there is no such token id.
            LimitError: a bound of the matcher's grammar was reached.
        """
        if self._rest and not any(_begins(covering, token) for covering in self.coverings()):
            self._tok.token_bytes(token)
            return False
        if self._matcher is not None and not self._matcher.accept_token(token):
            return False
        self._sequence.push_any(token)
        self._rest = self._rest[len(self._tok.token_bytes(token)) :]
        self._found = None
        return True

    def distribution(self, log_probabilities: LogProbabilities, beam: int | None = None) -> PrefixDistribution:
        """A model's probabilities of the coverings of the rest, given that one of them comes.

        The shared tokens are those with which the kept tokens of all contexts begin; there may be none. The model is
        asked what follows the shared tokens. For each context it is also asked what follows each longer beginning of
        the kept tokens, up to all of them. So for the kept tokens (5, 6) and (5, 7, 8), the model is asked about (5),
        (5, 6), (5, 7) and (5, 7, 8). Without a beam it is asked in one batch, and with a beam in one batch for each
        length.

        Args:
            log_probabilities: the model: from n token sequences, which begin after the tokens so far, to the log
                probabilities of their next tokens, [n, vocabulary].
            beam: how many sequences of each length to follow: the most probable ones. Without it all are followed, and
                the result is exact.

        Raises:
            MatcherError: the prefix is covered, the grammar allows none of the coverings, or the beam is not positive.
            LimitError: a bound of the matcher's grammar was reached.
        """
        import numpy as np

        if not self._rest:
            raise MatcherError("distribution: the prefix is covered")
        if beam is not None and beam < 1:
            raise MatcherError(f"distribution: beam must be positive, not {beam}")
        allowed = [(covering, self._allowed(covering)) for covering in self.coverings()]
        allowed = [(covering, candidates) for covering, candidates in allowed if len(candidates)]
        if not allowed:
            raise MatcherError("distribution: the grammar allows no token sequence with the prefix")
        kept = [covering.kept for covering, _ in allowed]
        shared = _shared(kept)
        asked = _Asked(log_probabilities, shared, kept, beam)
        contexts = []
        for covering, candidates in allowed:
            weight = asked.weights.get(covering.kept)
            if weight is not None:
                row = asked.rows[covering.kept]
                contexts.append(PrefixContext(covering.kept, candidates, weight + row[candidates]))
        total = float(np.logaddexp.reduce(np.concatenate([context.log_probabilities for context in contexts])))
        contexts = [one._replace(log_probabilities=one.log_probabilities - total) for one in contexts]
        return PrefixDistribution(contexts, total, len(asked.rows))

    def _allowed(self, covering: Covering) -> NDArray[np.int32]:
        """The candidates of a covering that the matcher allows after the covering's kept tokens."""
        import numpy as np

        if self._matcher is None:
            return covering.candidates
        ahead = self._matcher.fork()
        if ahead.accept_tokens(covering.kept) < len(covering.kept):
            return covering.candidates[:0]
        return np.intersect1d(covering.candidates, ahead.allowed_token_ids())


class _Asked:
    """The model's answers.

    Attributes:
        rows: by token sequence, the log probabilities of the next token.
        weights: by token sequence, its log probability after the tokens that all contexts share.
    """

    def __init__(
        self, ask: LogProbabilities, shared: tuple[int, ...], kept: Sequence[tuple[int, ...]], beam: int | None
    ) -> None:
        import numpy as np

        self.rows: dict[tuple[int, ...], Any] = {}
        self.weights = {shared: 0.0}
        nodes = sorted({one[:size] for one in kept for size in range(len(shared), len(one) + 1)}, key=len)
        if beam is None:
            self.rows = dict(zip(nodes, np.asarray(ask(list(nodes)), dtype=np.float64), strict=True))
            for node in nodes[1:]:
                self.weights[node] = self.weights[node[:-1]] + float(self.rows[node[:-1]][node[-1]])
            return
        for size in range(len(shared), len(nodes[-1]) + 1):
            level = [node for node in nodes if len(node) == size and (node == shared or node[:-1] in self.rows)]
            for node in level:
                if node != shared:
                    self.weights[node] = self.weights[node[:-1]] + float(self.rows[node[:-1]][node[-1]])
            level = sorted(level, key=lambda node: -self.weights[node])
            for node in level[beam:]:
                del self.weights[node]
            if level:
                self.rows |= zip(level[:beam], np.asarray(ask(level[:beam]), dtype=np.float64), strict=True)


def _begins(covering: Covering, token: int) -> bool:
    if covering.kept:
        return covering.kept[0] == token
    mask = covering.bitmask
    return 0 <= token < 8 * len(mask) and bool(mask[token >> 3] >> (token & 7) & 1)


def _shared(kept: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The tokens that all sequences begin with."""
    first, last = min(kept), max(kept)
    count = 0
    while count < min(len(first), len(last)) and first[count] == last[count]:
        count += 1
    return first[:count]
