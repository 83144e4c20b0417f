"""Generation on top of the engine, with any model that gives log-probabilities.

    from ffgrammar import lm

    model = lm.Model.of(log_probs, tok)        # log_probs: lists of token ids -> log-probabilities of the next tokens
    lm.score(model, "Two and two is", [" four", " five"])

In reading order:

    model      `Model`: a tokenizer and a function, checked
    opening    what a model is asked about: a prompt's fixed tokens, and the text that may be tokenized again
    weights    one batch of questions: the probabilities of token sequences that share their beginning
    spellings  the token sequences that spell a text
    score      `score`: how probable each of several texts is
"""

from __future__ import annotations

from ffgrammar.lm.model import LanguageModel, Model
from ffgrammar.lm.score import Scores, score

__all__ = ["LanguageModel", "Model", "Scores", "score"]
