"""`score`: how probable a model finds each of several texts after a prompt.

A model gives probabilities to tokens. The probability of characters is a sum over the token sequences that spell them:
Vieira et al., "From Language Models over Tokens to Language Models over Characters" (2412.03719). So the result does
not depend on where the prompt's last token ends, and options with more tokens are not at a disadvantage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import GrammarError, MatcherError, TokenizerError
from ffgrammar.lm.checked_model import CheckedModel
from ffgrammar.lm.opening import Opening
from ffgrammar.lm.questions import Asking, answered
from ffgrammar.lm.spellings import Spelling, all_spellings, canonical_spellings, shared_start
from ffgrammar.lm.weights import total, weigh
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary.special import Special

__all__ = ["Scores", "read_options", "score", "score_after"]


@dataclass(frozen=True)
class Scores:
    """The probabilities of options, given that one of them comes.

    Attributes:
        options: the options, in the order given.
        log_probs: the natural logarithm of the probability of each, float64 [options]. The probabilities add up to 1.
        calls: how many token sequences the model was asked about, in one batch.
    """

    options: tuple[str, ...]
    log_probs: NDArray[np.float64]
    calls: int

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability of each option."""
        return dict(zip(self.options, np.exp(self.log_probs).tolist(), strict=True))

    @property
    def best(self) -> str:
        """The most probable option; of several the first."""
        return self.options[int(self.log_probs.argmax())]


def score(
    model: CheckedModel,
    prompt: str | bytes | Iterable[int],
    options: Iterable[str],
    *,
    then: str | None = "",
    canonical: bool = True,
    special: Special | None = None,
) -> Scores:
    """The probability of each option after a prompt, given that one of them comes.

    The model is asked once, about a batch of token sequences. What all of them begin with is not asked about.

    Args:
        model: the model.
        prompt: a text or token ids. The tokens at its end may change with the option: it may end inside a token. Of
            token ids, those up to the last special token stay, and so do those that the tokenizer would not write.
        options: different texts.
        then: what follows each option. With "" anything may follow. If one option with `then` begins another one, a
            text that goes on with both counts for the longer. With None the text ends after the option.
        canonical: whether only the token sequences count that the tokenizer itself would write. If not, all sequences
            count that spell the option; there may be very many. They begin with those tokens of the prompt that are
            the same for all options.
        special: as for `Grammar.matcher`: how the name of a special token in a text prompt is read.

    Raises:
        GrammarError: there are no options, two are equal, or one has half of a surrogate pair.
        TokenizerError: the tokenizer's rules are not known (with `then=None` they are not needed), a token id of the
            prompt is out of range, or with `then=None` the tokenizer has no end-of-text token.
        MatcherError: the model returned a wrong array or gives all options the probability 0, or too many token
            sequences spell an option.
        TypeError: an argument is of another type.
    """
    expect("score: model", model, CheckedModel, "a Model (Model.of makes one)")
    expect("score: then", then, (str, type(None)), "a str or None")
    opening = Opening.read(model.tokenizer, prompt, special)
    asking = score_after(model.tokenizer, opening, read_options(options), then, canonical)
    return answered(model, asking)


def read_options(options: Iterable[str]) -> tuple[str, ...]:
    """Options, checked. Raises as `score` does."""
    if isinstance(options, str) or not isinstance(options, Iterable):
        raise TypeError(f"options must be several texts, not {type(options).__name__}")
    read = tuple(options)
    for option in read:
        expect("an option", option, str, "a str")
    if not read:
        raise GrammarError("there are no options")
    if len(set(read)) < len(read):
        raise GrammarError("two options are equal")
    return read


def score_after(
    tok: Tokenizer, opening: Opening, options: tuple[str, ...], then: str | None, canonical: bool = True
) -> Asking[Scores]:
    """The same after an opening, with options that were checked."""
    ends = then is None
    if ends and not tok.eos_token_ids:
        raise TokenizerError(f"score: tokenizer {tok.name!r} has no end-of-text token")
    try:
        texts = [(option + (then or "")).encode() for option in options]
    except UnicodeEncodeError:
        raise GrammarError("an option cannot have half of a surrogate pair") from None
    if canonical:
        spellings = [canonical_spellings(tok, opening, text, ends) for text in texts]
    else:
        start = _start(tok, opening, texts, ends)
        rest = opening.text[len(tok.decode(start)) :]
        spellings = [all_spellings(tok, start, rest + text, ends) for text in texts]
    logs, calls = yield from _sums(opening.fixed, spellings)
    if not ends:
        logs = _apart(texts, logs)
    everything = total(logs)
    if everything == -np.inf:
        raise MatcherError("the model gives all options the probability 0")
    return Scores(options, logs - everything, calls)


def _start(tok: Tokenizer, opening: Opening, texts: Sequence[bytes], ends: bool) -> tuple[int, ...]:
    """The tokens of the opening's text that are the same for all options."""
    every = [one for text in texts for one in canonical_spellings(tok, opening, text, ends)]
    return shared_start(tok, opening, every)


def _sums(before: tuple[int, ...], spellings: Sequence[Sequence[Spelling]]) -> Asking[tuple[NDArray[np.float64], int]]:
    """The log-probability of each option, up to one constant for all, and the number of calls.

    An option without spellings is an empty text, which every text begins with.
    """
    kept = [one.kept for option in spellings for one in option]
    # The empty option stands for all texts, so it needs the probability of what the others begin with, too.
    if not all(spellings):
        kept.append(())
    if not any(spellings):
        return np.zeros(len(spellings)), 0
    weights = yield from weigh(before, kept)
    logs = [
        total(np.array([weights.of(one.kept) + total(weights.rows[one.kept][one.last]) for one in option]))
        if option
        else 0.0
        for option in spellings
    ]
    return np.array(logs), weights.calls


def _apart(texts: Sequence[bytes], logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probabilities that a text goes on with each of some texts, and with none that it begins."""
    apart = np.array(logs)
    for index, text in enumerate(texts):
        longer = [other for other in texts if other != text and other.startswith(text)]
        nearest = [one for one in longer if not any(one != other and one.startswith(other) for other in longer)]
        inside = total(np.array([logs[texts.index(one)] for one in nearest]))
        # Rounding may make the parts a little larger than the whole.
        share = min(1.0, np.exp(inside - logs[index])) if inside > -np.inf else 0.0
        apart[index] = logs[index] + np.log1p(-share) if share < 1.0 else -np.inf
    return apart
